// New releases of what we depend on, once each, with a warning when the license changes.
const PACKAGES = input.packages || ['django', 'click'];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function load(name, tries = 3) {
  for (let attempt = 1; ; attempt++) {
    const res = await fetch(`https://pypi.example/pypi/${name}/json`);
    if (res.ok) return res.json();
    if (res.status === 404) return undefined;
    if (attempt === tries || res.status < 500) throw new Error(`${name} answered ${res.status}`);
    await wait(1000 * 2 ** attempt);
  }
}

const seen = (await kv.get('seen')) || {};
const lines = [];
let yanked = 0;

for (const name of PACKAGES) {
  const project = await load(name);
  if (!project) {
    lines.push(`${name} is gone`);
    continue;
  }
  const { info: { version, license, requires_python: python, home_page: home }, releases } = project;
  const files = releases[version];
  const [first] = files;
  if (files.some((file) => file.yanked)) yanked += 1;
  const known = seen[name];
  if (known && known.version === version) continue;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  lines.push(`${name} ${version} of ${first.upload_time.slice(0, 10)}, ${Object.keys(releases).length} releases, ${Math.round(size / 1024)} KiB${python ? `, Python ${python}` : ''}${home ? ` ${home}` : ''}`);
  if (known && known.license !== license) lines.push(`  license: ${known.license || 'none'} -> ${license || 'none'}`);
  seen[name] = { version, license };
}

if (lines.length > 0) {
  await fetch('https://chat.example/rooms/python', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ message: lines.join('\n'), silent: yanked === 0 }) });
  await kv.set('seen', seen);
}
return { lines: lines.length, yanked };
