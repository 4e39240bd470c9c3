/*---
description: it is on the list
---*/
assert([-0].includes(0), 'zero is zero');
