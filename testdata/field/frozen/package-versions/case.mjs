const P = 'GET https://index.example/pypi/:name/json', R = 'GET https://code.example/:repo/raw/requirements.txt';
const file = (v, n) => ({ filename: `x-${v.v}-${n}.whl`, upload_time: `${v.at}T0${9 - n}:00:00`, size: v.size + n, yanked: v.yanked });
const files = (v) => Array.from({ length: v.files }, (_, n) => file(v, n));
const pack = (f, q, make) => (f.packages[q.params.name] ? make(f.packages[q.params.name]) : { $status: 404, $body: { message: 'Not Found' } });
const info = (p) => ({ name: p.name, requires_python: p.python });
const old = (p) => ({ info: info(p), releases: Object.fromEntries(p.versions.map((v) => [v.v, files(v)])), urls: [] });
// Answers of the new index: all files in one list, which name their version.
const flat = (p) => ({ meta: { 'api-version': '1.1' }, info: info(p), versions: p.versions.map((v) => v.v), files: p.versions.flatMap((v) => files(v).map((x) => ({ filename: x.filename, 'upload-time': `${x.upload_time}.123456Z`, size: x.size, yanked: v.yanked ? 'broken' : false }))) });
export default {
  source: 'https://github.com/pypi/warehouse/pull/11775, https://github.com/python-poetry/poetry/issues/6076 and https://github.com/pilosus/pip-license-checker/issues/108 (all opened): releases went from answers for a version and shall go altogether; the simple index has one list of files, whose names have the version',
  says: 'Request updates of what we pinned',
  facts: (day, r) => {
    const make = (name) => ({ name, python: r.pick(['>=3.9', '', null]), versions: r.mix(['1.9', '1.10.0', '2.0', '2.0.1', '2.1rc1', `2.${day}.3`]).slice(0, r.int(1, 6)).map((v) => ({ v, at: `2026-0${r.int(1, 6)}-1${r.int(0, 9)}`, size: r.int(1000, 900000), yanked: r.chance(0.2), files: r.pick([0, 1, 2, 2]) })) });
    const names = r.some(['django', 'numpy', 'größe-x', 'flask', 'uvicorn']).filter((n) => n !== 'größe-x');
    return { repo: r.pick(['shop', 'api']), packages: Object.fromEntries(names.filter(() => r.chance(0.85)).map((n) => [n, make(n)])), pins: names.map((n) => ({ name: r.chance(0.5) ? n[0].toUpperCase() + n.slice(1) : n, extra: r.chance(0.2) ? '[all]' : '', v: r.pick(['1.9', '2.0', '1.10.0']), note: r.chance(0.3) ? '  # keep' : '' })) };
  },
  input: (f) => ({ repository: f.repo }),
  api: {
    [P]: (f, q) => pack(f, q, old), [R]: (f) => ({ $type: 'text/plain', $body: ['# pins', ...f.pins.map((p) => `${p.name}${p.extra}==${p.v}${p.note}`), ''].join('\n') }),
    'POST https://code.example/api/:repo/requests': (f, q) => ({ url: `https://code.example/${q.params.repo}/requests/${q.id}` }),
  },
  changes: [{
    name: 'no-releases',
    happened: 'releases is gone: files is one list whose names have the version, upload-time has a dash, microseconds and Z, and yanked is a reason or false',
    tells: [['releases', 'files']],
    api: { [P]: (f, q) => pack(f, q, flat) },
    right: {
      'made old': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const { info } = body;\n  const releases = body.releases || Object.fromEntries(body.versions.map((v) => [v, body.files.filter((f) => f.filename.split('-')[1] === v).map((f) => ({ ...f, upload_time: f['upload-time'] }))]));"]],
      'grouped': [['const { info, releases } = await res.json();', "const { info, files: all = [], ...rest } = await res.json();\n  const releases = rest.releases ?? all.reduce((groups, f) => {\n    const [, v] = /^.+?-([^-]+)-/.exec(f.filename);\n    (groups[v] = groups[v] || []).push(f);\n    return groups;\n  }, {});"], ['(f) => f.upload_time)', "(f) => f.upload_time || f['upload-time'])"]],
      'a function': [['const { info, releases } = await res.json();', 'const json = await res.json();\n  const { info } = json, releases = byVersion(json);'], ['async function latest', "function byVersion({ releases, files, versions }) {\n  if (releases) return releases;\n  const found = {};\n  for (const v of versions) {\n    found[v] = files.filter((f) => f.filename.includes('-' + v + '-'));\n    found[v].forEach((f) => { f.upload_time = f['upload-time'].slice(0, 19); });\n  }\n  return found;\n}\n\nasync function latest"]],
    },
    wrong: {
      'all are unknown': [['const { info, releases } =', 'const { info, releases = {} } =']],
      'yanked ones, too': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const { info } = body;\n  const releases = body.releases || Object.fromEntries(body.versions.map((v) => [v, body.files.filter((f) => f.filename.split('-')[1] === v).map((f) => ({ size: f.size, upload_time: f['upload-time'], yanked: f.yanked === true }))]));"]],
      'all files for each': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const { info } = body;\n  const releases = body.releases || Object.fromEntries(body.versions.map((v) => [v, body.files.map((f) => ({ ...f, upload_time: f['upload-time'] }))]));"]],
      'the first file': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const { info } = body;\n  const releases = body.releases || Object.fromEntries(body.versions.map((v) => [v, body.files.filter((f) => f.filename.split('-')[1] === v).slice(0, 1).map((f) => ({ ...f, upload_time: f['upload-time'] }))]));"]],
    },
  }, {
    name: 'list-of-releases',
    happened: 'releases is a list with version, files and yanked, requires_python stands at the release, sizes are texts',
    tells: [['releases', 'list', 'version']],
    api: { [P]: (f, q) => pack(f, q, (p) => ({ info: { name: p.name }, releases: p.versions.map((v) => ({ version: v.v, yanked: v.yanked, python: { requires: p.python }, files: files(v).map(({ yanked, ...x }) => ({ ...x, size: String(x.size) })) })) })) },
    right: {
      'made old': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const listed = Array.isArray(body.releases);\n  const info = listed ? { requires_python: body.releases[0]?.python.requires } : body.info;\n  const releases = listed ? Object.fromEntries(body.releases.map((r) => [r.version, r.files.map((f) => ({ ...f, size: Number(f.size), yanked: r.yanked }))])) : body.releases;"]],
      'by steps': [['const { info, releases } = await res.json();', "let { info, releases } = await res.json();\n  if (releases.length !== undefined) {\n    const list = releases;\n    releases = {};\n    for (const { version: v, yanked, python, files: own } of list) {\n      releases[v] = own.map((f) => Object.assign({}, f, { yanked }));\n      info = { requires_python: python.requires };\n    }\n  }"], ['n + f.size', 'n + Number(f.size)']],
      'a map': [['const { info, releases } = await res.json();', "const { info, releases: given } = await res.json();\n  const entries = Array.isArray(given) ? given.map((r) => [r.version, r.files.map((f) => ({ ...f, yanked: r.yanked, requires: r.python.requires }))]) : Object.entries(given);\n  const releases = Object.fromEntries(entries);"], ["info.requires_python || 'any'", "info.requires_python || files[0].requires || 'any'"], ['n + f.size', 'n + (+f.size)']],
    },
    wrong: {
      'any Python': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const { info } = body;\n  const releases = Array.isArray(body.releases) ? Object.fromEntries(body.releases.map((r) => [r.version, r.files.map((f) => ({ ...f, size: Number(f.size), yanked: r.yanked }))])) : body.releases;"]],
      'sizes as texts': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const listed = Array.isArray(body.releases);\n  const info = listed ? { requires_python: body.releases[0]?.python.requires } : body.info;\n  const releases = listed ? Object.fromEntries(body.releases.map((r) => [r.version, r.files.map((f) => ({ ...f, yanked: r.yanked }))])) : body.releases;"]],
      'the last that is listed': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const listed = Array.isArray(body.releases);\n  const info = listed ? { requires_python: body.releases[0]?.python.requires } : body.info;\n  const releases = listed ? Object.fromEntries(body.releases.slice(-1).map((r) => [r.version, r.files.map((f) => ({ ...f, size: Number(f.size), yanked: r.yanked }))])) : body.releases;"]],
      'yanked ones, too': [['const { info, releases } = await res.json();', "const body = await res.json();\n  const listed = Array.isArray(body.releases);\n  const info = listed ? { requires_python: body.releases[0]?.python.requires } : body.info;\n  const releases = listed ? Object.fromEntries(body.releases.map((r) => [r.version, r.files.map((f) => ({ ...f, size: Number(f.size) }))])) : body.releases;"]],
    },
  }, {
    name: 'pins-written-otherwise',
    happened: 'the file of pins has a hash behind each pin, and blanks around ==',
    tells: [['pin', 'requirements', 'hash', '==']],
    api: { [R]: (f) => ({ $type: 'text/plain', $body: ['# pins', ...f.pins.map((p) => `${p.name}${p.extra} == ${p.v} --hash=sha256:abc${p.note}`), ''].join('\n') }) },
    right: {
      'a wider pattern': [['==([\\w.]+)$/', '\\s*==\\s*([\\w.]+)(?:\\s+--hash=\\S+)*$/']],
      'line made old': [["line.replace(/\\s*#.*/, '').trim()", "line.replace(/\\s*#.*/, '').replace(/\\s+--hash=\\S+/g, '').replace(/\\s*==\\s*/, '==').trim()"]],
      'cut': [['.exec(line) || [];', ".exec(line.split(' --hash')[0].split(/\\s+/).join('')) || [];"]],
    },
    wrong: {
      'left out': [["if (!name) throw new Error('not a pin: ' + line);\n      return { name: name.toLowerCase(), version };\n    });", "return name && { name: name.toLowerCase(), version };\n    }).filter(Boolean);"]],
      'no version': [['==([\\w.]+)$/', '(?:\\s*==([\\w.]+)| ==.*)$/'], ['version };\n    });', "version: version || '0' };\n    });"]],
      'the first number': [['==([\\w.]+)$/', '\\s*==\\s*(\\d+)[\\w.]*(?:\\s+--hash=\\S+)*$/']],
    },
  }],
};
