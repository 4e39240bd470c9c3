/*---
description: it is never done, and on the list
flags: [async]
---*/
