// Branches that nobody touches
// Each week list the branches without a commit for 30 days, by author.
async function main(input) {
  const branches = await web.getJSON(`https://git.example.test/repos/${input.repo}/branches?per_page=100`);
  const stale = [];
  for (const branch of branches) {
    if (branch.protected) continue;
    const commit = await web.getJSON(`https://git.example.test/repos/${input.repo}/commits/${branch.commit.sha}`);
    const age = Math.floor((Date.now() - new Date(commit.commit.author.date).getTime()) / 86400000);
    if (age > 30) stale.push({ name: branch.name, author: commit.commit.author.name, age });
  }
  const authors = {};
  stale.forEach((s) => { (authors[s.author] ||= []).push(`${s.name} (${s.age} days)`); });
  const lines = Object.entries(authors).sort().map(([author, names]) => `- ${author.split(' ')[0]}: ${names.join(', ')}`);
  await files.write('stale.md', '# Stale branches\n' + lines.join('\n') + '\n');
  return { stale: stale.length, checked: branches.length };
}
// ---- outside
function outside(n) {
  const answers = {};
  const branches = times(int(2, 5), (i) => {
    const sha = 'sha' + pad(n * 10 + i, 6);
    answers['https://git.example.test/repos/acme/site/commits/' + sha] = { sha, commit: { message: text(), author: { name: pick(people), date: day(n - int(5, 90)) + 'T10:00:00Z' } } };
    return { name: pick(nouns) + '-' + i, protected: chance(0.2), commit: { sha, url: 'https://git.example.test/x/' + sha } };
  });
  answers['https://git.example.test/repos/acme/site/branches?per_page=100'] = branches;
  return { input: { repo: 'acme/site' }, answers };
}
