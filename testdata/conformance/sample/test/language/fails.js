/*---
description: it is on the list
---*/
assert(/(?:(a)|b)*/.exec('ab')[1] === undefined, 'a group forgets');
