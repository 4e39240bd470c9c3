// Bad reviews
// Tell me at once about reviews with two stars or fewer, and keep the average.
async function main(input) {
  const data = await web.getJSON(`https://places.example.test/v1/places/${input.place}/reviews`);
  const known = new Set(await kv.get('known') || []);
  let bad = 0;
  for (const review of data.reviews) {
    if (known.has(review.id)) continue;
    known.add(review.id);
    if (review.rating <= 2) {
      bad += 1;
      await notify(`${'*'.repeat(review.rating)} from ${review.author.displayName.split(' ')[0]}`, review.text.text.slice(0, 200));
    }
  }
  await kv.set('known', [...known]);
  const average = data.reviews.map((r) => r.rating).reduce((a, b) => a + b, 0) / data.reviews.length;
  return { bad, average: average.toFixed(2), reviews: data.reviews.length };
}
// ---- outside
function outside(n) {
  return { input: { place: 'pl9' }, answers: { 'https://places.example.test/v1/places/pl9/reviews': { name: 'places/pl9', reviews: times(int(2, 5), (i) => ({
    id: 'rv' + (n * 3 + i), rating: int(1, 5), text: { text: text() + ', and it took ' + int(2, 9) + ' days', languageCode: 'en' }, author: { displayName: pick(people), uri: 'https://places.example.test/u/' + int(1, 99) }, publishTime: day(n) + 'T09:00:00Z' })) } } };
}
