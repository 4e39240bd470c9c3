const JSONS = 'GET https://pypi.example/pypi/:name/json';
const file = (p) => (u) => ({ filename: u.name, size: u.size, upload_time: `${p.at}T10:00:00`, upload_time_iso_8601: `${p.at}T10:00:00.123456Z`, yanked: u.yanked });
const info = (p) => ({ name: p.name, version: p.version, license: p.license, requires_python: p.python, home_page: p.home });
const releases = (p) => Object.fromEntries([...p.before.map((v) => [v, []]), [p.version, p.files.map(file(p))]]);
const answer = (make) => (f, q) => { const p = f.packages.find((one) => one.name === q.params.name); return p ? make(p) : { $status: 404, $body: { message: 'Not Found' } }; };
const HEAD = 'const { info: { version, license, requires_python: python, home_page: home }, releases } = project;';
const FILES = 'const files = releases[version];';
const versions = (p) => [...p.before, p.version];
export default {
  source: 'https://github.com/pypa/pip-audit/issues/317 and https://github.com/python-poetry/poetry/issues/6076: the member releases went from the answers about packages; files of a release are in urls, and a list of versions is in another place',
  says: 'Tell the chat of new releases of our dependencies.',
  facts: (day, r) => ({ packages: ['django', 'click', 'httpx', 'numpy'].filter(() => r.chance(0.85)).map((name, i) => {
    const step = Math.floor((day + i) / 2);
    return { name, version: `${i + 1}.${step}.0`, before: Array.from({ length: step }, (_, n) => `${i + 1}.${n}.0`), license: step % 3 ? 'BSD-3-Clause' : r.pick(['MIT', null]), python: r.pick(['>=3.9', null, '>=3.10']), home: r.chance(0.5) ? `https://${name}.example/` : null, at: `2026-03-${String(step % 28 + 1).padStart(2, '0')}`,
      files: r.many(1, 3, (n) => ({ name: `${name}-${step}.${n}.whl`, size: r.int(4000, 900000), yanked: r.chance(0.08) })) };
  }) }),
  input: () => ({ packages: ['django', 'click', 'httpx', 'numpy'] }),
  api: { [JSONS]: answer((p) => ({ info: info(p), last_serial: 1, releases: releases(p), urls: p.files.map(file(p)) })), 'POST https://chat.example/rooms/:room': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'no-releases',
    happened: 'releases went; the files of the release are in urls, and versions lists the releases',
    tells: ['releases', 'urls'],
    api: { [JSONS]: answer((p) => ({ info: info(p), last_serial: 1, versions: versions(p), urls: p.files.map(file(p)) })) },
    right: {
      'by ??': [[HEAD, HEAD.replace('releases }', 'releases, urls, versions }')], [FILES, 'const files = releases?.[version] ?? urls;'], ['Object.keys(releases).length', '(versions ?? Object.keys(releases)).length']],
      'made old': [['  const { info: {', '  project.releases ??= Object.fromEntries(project.versions.map((v) => [v, v === project.info.version ? project.urls : []]));\n  const { info: {']],
      'two cases': [[FILES, "const files = 'releases' in project ? releases[version] : project.urls;\n  const count = 'releases' in project ? Object.keys(releases).length : project.versions.length;"], ['Object.keys(releases).length}', 'count}']],
    },
    wrong: {
      'no count': [[FILES, 'const files = releases?.[version] ?? project.urls;'], ['Object.keys(releases).length', 'Object.keys(releases ?? {}).length']],
      'no files': [[FILES, 'const files = releases?.[version] ?? [];'], ['Object.keys(releases).length', 'Object.keys(releases ?? {}).length'], ['first.upload_time.slice', "(first?.upload_time ?? '').slice"]],
      'counts files': [[FILES, 'const files = releases?.[version] ?? project.urls;'], ['Object.keys(releases).length', 'Object.keys(releases ?? project.urls).length']],
      'skips': [[FILES, 'const files = releases?.[version];\n  if (!files) continue;']],
    },
  }, {
    name: 'iso-times',
    happened: 'upload_time went, upload_time_iso_8601 stays; size is size_bytes; yanked is a reason or null',
    tells: ['upload_time', ['size', 'yanked']],
    api: { [JSONS]: answer((p) => { const files = p.files.map((u) => ({ filename: u.name, size_bytes: u.size, upload_time_iso_8601: `${p.at}T10:00:00.123456Z`, yanked: u.yanked ? 'broken build' : null })); return { info: info(p), last_serial: 1, releases: { ...releases(p), [p.version]: files }, urls: files }; }) },
    right: {
      'by ??': [['first.upload_time.slice', '(first.upload_time ?? first.upload_time_iso_8601).slice'], ['sum + file.size', 'sum + (file.size ?? file.size_bytes)']],
      'an adapter': [[FILES, 'const files = releases[version].map((f) => ({ ...f, size: f.size ?? f.size_bytes, upload_time: f.upload_time || f.upload_time_iso_8601 }));']],
      'destructured': [['const [first] = files;', 'const [{ upload_time_iso_8601: uploaded }] = files;'], ['first.upload_time.slice', 'uploaded.slice'], ['(sum, file) => sum + file.size', '(sum, { size_bytes, size = size_bytes }) => sum + size']],
    },
    wrong: {
      'no size': [['first.upload_time.slice', '(first.upload_time ?? first.upload_time_iso_8601).slice'], ['sum + file.size', 'sum + (file.size ?? 0)']],
      'only the time': [['first.upload_time.slice', '(first.upload_time ?? first.upload_time_iso_8601).slice']],
      'no date': [['first.upload_time.slice(0, 10)', "(first.upload_time ?? '').slice(0, 10)"], ['sum + file.size', 'sum + (file.size ?? file.size_bytes)']],
    },
  }, {
    name: 'metadata',
    happened: 'license is license_expression, home_page is Homepage of project_urls, releases went for versions and urls',
    tells: ['license_expression', ['project_urls', 'home_page']],
    api: { [JSONS]: answer((p) => ({ info: { name: p.name, version: p.version, license: '', license_expression: p.license, requires_python: p.python, project_urls: p.home ? { Homepage: p.home, Source: 'https://git.example/x' } : null }, versions: versions(p), urls: p.files.map(file(p)) })) },
    right: {
      'an adapter': [['  const { info: {', `  if (!project.releases) {
    const { info, urls, versions } = project;
    project.releases = Object.fromEntries(versions.map((v) => [v, v === info.version ? urls : []]));
    info.license = info.license_expression;
    info.home_page = info.project_urls && info.project_urls.Homepage;
  }
  const { info: {`]],
      'in the pattern': [
        [HEAD, 'const { info: { version, license_expression, license: text, requires_python: python, project_urls, home_page: home = project_urls?.Homepage ?? null }, releases, urls, versions } = project;\n  const license = license_expression === undefined ? text : license_expression;'],
        [FILES, 'const files = releases ? releases[version] : urls;'], ['Object.keys(releases).length', '(versions || Object.keys(releases)).length'],
      ],
      'read at the source': [['if (res.ok) return res.json();', `if (res.ok) {
      const body = await res.json();
      if ('releases' in body) return body;
      const { info } = body;
      return { info: { ...info, license: info.license_expression ?? null, home_page: info.project_urls?.Homepage ?? null }, releases: body.versions.reduce((all, v) => ({ ...all, [v]: v === info.version ? body.urls : [] }), {}) };
    }`]],
    },
    wrong: {
      'releases only': [['  const { info: {', '  project.releases ??= Object.fromEntries(project.versions.map((v) => [v, v === project.info.version ? project.urls : []]));\n  const { info: {']],
      'no home': [['  const { info: {', '  project.releases ??= Object.fromEntries(project.versions.map((v) => [v, v === project.info.version ? project.urls : []]));\n  project.info.license = project.info.license || project.info.license_expression;\n  const { info: {']],
      'no license': [['  const { info: {', '  project.releases ??= Object.fromEntries(project.versions.map((v) => [v, v === project.info.version ? project.urls : []]));\n  project.info.home_page ??= project.info.project_urls?.Homepage;\n  const { info: {']],
      'the source': [['  const { info: {', '  project.releases ??= Object.fromEntries(project.versions.map((v) => [v, v === project.info.version ? project.urls : []]));\n  project.info.license = project.info.license_expression ?? project.info.license;\n  project.info.home_page ??= project.info.project_urls?.Source;\n  const { info: {']],
    },
  }],
};
