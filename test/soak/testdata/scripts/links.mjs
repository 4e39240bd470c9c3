// Looks which pages are gone; what a page answers is a matter of its own.
export default async function links() {
  const { pages } = await web.getJSON('BASE/sitemap');
  const gone = [];
  for (const page of pages) {
    const { status } = await web.fetch('BASE' + page);
    if (status >= 500 || status === 408 || status === 429) throw new Error(`${page}: ${status}`);
    if (status === 404 || status === 410) gone.push(page);
  }
  const before = (await kv.get('gone')) ?? [];
  const news = gone.filter((page) => !before.includes(page));
  if (news.length > 0) await web.postJSON('BASE/tasks', { title: 'Mend links', pages: news });
  await kv.set('gone', gone);
  return { gone: gone.length, news: news.length };
}
