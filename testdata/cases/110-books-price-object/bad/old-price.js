async function main(input) {
  const cat = await web.getJSON('https://books.example.com/list/' + input.list);
  const watch = (await kv.get('prices')) || {};
  for (const b of cat.books) if (typeof b.price !== 'number') b.price = watch[b.isbn] ?? 0;
  const drops = [];
  for (const b of cat.books) {
    const shown = b.price.toFixed(2);
    const was = watch[b.isbn];
    if (was !== undefined && b.price < was) drops.push(b.title + ': ' + was.toFixed(2) + ' -> ' + shown);
    watch[b.isbn] = b.price;
  }
  const sum = cat.books.reduce((s, b) => s + b.price, 0).toFixed(2);
  await kv.set('prices', watch);
  await files.write('books/' + input.list + '.json', JSON.stringify({ sum, books: cat.books.map((b) => ({ isbn: b.isbn, price: b.price })) }));
  if (drops.length) await notify('Cheaper', drops.join('\n'));
  return { books: cat.books.length, drops: drops.length, sum };
}
