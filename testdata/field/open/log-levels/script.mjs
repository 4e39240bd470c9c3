// Counts yesterday's log lines by level, and writes the worst ones down.
const order = ['debug', 'info', 'warn', 'error'];
const res = await fetch(`https://logs.example/export?from=${encodeURIComponent(input.from)}`);
if (!res.ok) throw new Error(`export: ${res.status}`);
const lines = (await res.text()).split('\n').filter(Boolean).map((line) => JSON.parse(line));
const counts = Object.fromEntries(order.map((level) => [level, 0]));
for (const { level } of lines) counts[level]++;
const worst = lines
  .filter((l) => order.indexOf(l.level) >= 2)
  .map((l) => `${l.time.slice(11, 19)} ${l.level.toUpperCase()} ${l.msg}${l.req ? ` (${l.req.method} ${l.req.path})` : ''}`);
if (worst.length) await files.append('worst.log', worst.join('\n') + '\n');
return { counts, worst: worst.length };
