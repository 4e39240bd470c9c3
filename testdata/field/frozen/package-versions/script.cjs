// Opens an update request for each of our pins that is behind.
const compare = (a, b) => {
  const [x, y] = [a, b].map((v) => v.split('.').map(Number));
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const d = (x[i] || 0) - (y[i] || 0);
    if (d) return d;
  }
  return 0;
};

const stable = (version) => /^\d+(\.\d+)*$/.test(version);

function pins(text) {
  return text.split(/\r?\n/)
    .map((line) => line.replace(/\s*#.*/, '').trim())
    .filter(Boolean)
    .map((line) => {
      const [, name, version] = /^([\w.-]+)(?:\[[^\]]*\])?==([\w.]+)$/.exec(line) || [];
      if (!name) throw new Error('not a pin: ' + line);
      return { name: name.toLowerCase(), version };
    });
}

async function latest(name) {
  const res = await fetch('https://index.example/pypi/' + name + '/json');
  if (res.status === 404) return null;
  if (!res.ok) throw new Error(name + ': ' + res.status);
  const { info, releases } = await res.json();
  const versions = Object.keys(releases).filter((v) => stable(v) && releases[v].length > 0 && !releases[v].every((file) => file.yanked)).sort(compare);
  if (versions.length === 0) return null;
  const version = versions[versions.length - 1];
  const files = releases[version];
  return {
    version,
    date: files.map((f) => f.upload_time).sort()[0].slice(0, 10),
    python: info.requires_python || 'any',
    size: files.reduce((n, f) => n + f.size, 0),
  };
}

async function update({ repository }) {
  const source = await fetch(`https://code.example/${repository}/raw/requirements.txt`);
  if (!source.ok) throw new Error(`requirements of ${repository}: ${source.status}`);
  const open = await kv.get('requested/' + repository) || {};
  const results = await Promise.all(pins(await source.text()).map(async (pin) => ({ ...pin, found: await latest(pin.name) })));
  let requests = 0;
  for (const { name, version, found } of results) {
    if (!found || compare(found.version, version) <= 0 || open[name] === found.version) continue;
    const { url } = await web.postJSON(`https://code.example/api/${repository}/requests`, {
      title: `Update ${name} from ${version} to ${found.version}`,
      body: `Of ${found.date}, for Python ${found.python}, ${(found.size / 1024).toFixed(0)} KiB`,
    });
    open[name] = found.version;
    await files.append('requests.txt', `${url}\n`);
    requests++;
  }
  await kv.set('requested/' + repository, open);
  return { pins: results.length, requests, unknown: results.filter((r) => !r.found).map((r) => r.name) };
}

exports.handler = update;
