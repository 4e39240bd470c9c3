import { stringify } from 'kintsugi:csv';

// The week's pictures of our models: who was liked most, as a table, and a thank-you for the best three.
const API = 'https://gallery.example/api/v1';

const pageOf = async (model, page) => {
  const res = await fetch(`${API}/images?modelId=${model}&page=${page}&limit=2`);
  if (res.status >= 500) return { items: [], metadata: { totalPages: page, currentPage: page } };
  if (!res.ok) throw new Error(`images of ${model}: ${res.status}`);
  return res.json();
};

const imagesOf = async (model) => {
  const first = await pageOf(model, 1);
  const rest = await Promise.all(Array.from({ length: first.metadata.totalPages - 1 }, (_, i) => pageOf(model, i + 2)));
  return [first, ...rest].flatMap((page) => page.items);
};

const likes = ({ stats: { likeCount = 0, heartCount = 0, laughCount = 0 } }) => likeCount + 2 * heartCount + laughCount;

export default async function digest({ since, models = [11, 12] }) {
  const lists = await Promise.all(models.map(imagesOf));
  const people = new Map();
  lists.flat().filter((image) => image.createdAt >= since && image.nsfw !== true).forEach((image) => {
    const one = people.get(image.username) ?? { name: image.username, images: 0, likes: 0, best: null };
    const n = likes(image);
    if (!one.best || n > one.best.n) one.best = { id: image.id, n };
    people.set(image.username, { ...one, images: one.images + 1, likes: one.likes + n });
  });
  const ranking = Array.from(people.values()).sort((a, b) => b.likes - a.likes || a.name.localeCompare(b.name));
  await files.write('ranking.csv', stringify(ranking.map((p) => ({ name: p.name, images: p.images, likes: p.likes, best: p.best.id }))));
  for (const { name, best } of ranking.slice(0, 3).filter((p) => p.likes > 0)) {
    await fetch(`${API}/images/${best.id}/comments`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text: `Thank you, ${name}!` }) });
  }
  return { people: ranking.length, images: ranking.reduce((n, p) => n + p.images, 0), first: ranking[0]?.name ?? null };
}
