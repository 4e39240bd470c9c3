async function query(text, variables) {
  const { data, errors } = await web.postJSON('BASE/graphql', { query: text, variables }, { effect: 'read' });
  if (errors && errors.length) throw new Error(errors[0].message);
  return data;
}
async function main() {
  let after = null;
  const open = [];
  do {
    const { pulls } = await query('query($after: String) { pulls(after: $after) { nodes { id title draft reviews { by } } next } }', { after });
    open.push(...pulls.nodes);
    after = pulls.next;
  } while (after);
  const lonely = open.filter((pull) => !pull.draft && pull.reviews.length === 0);
  for (const pull of lonely) await web.postJSON('BASE/pulls/' + pull.id + '/nudge', { title: pull.title });
  return { open: open.length, lonely: lonely.length };
}
