/*---
description: it passes
includes: []
---*/
assert([1, 2].at(-1) === 2, 'at');
