async function main(input) {
  let url = 'https://git.example.test/api/repos?org=' + input.org;
  const repos = [];
  while (url) {
    const res = await web.fetch(url);
    for (const r of JSON.parse(res.body)) repos.push(r.name);
    const next = (res.headers.link || '').match(/<([^>]+)>; rel="next"/);
    url = next ? next[1] : null;
  }
  await files.write('repos-' + input.org + '.txt', repos.join('\n') + '\n');
  await kv.set('repos:' + input.org, repos.length);
  return { repos: repos.length };
}
