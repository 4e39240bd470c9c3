/*---
description: it throws
negative:
  phase: runtime
  type: RangeError
---*/
throw new RangeError('x');
