/*---
description: it is done later
flags: [async, onlyStrict]
---*/
Promise.resolve().then(() => $DONE(), $DONE);
