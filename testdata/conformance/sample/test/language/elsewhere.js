/*---
description: it is about something else
features: [Temporal]
---*/
throw new Test262Error('this must not run');
