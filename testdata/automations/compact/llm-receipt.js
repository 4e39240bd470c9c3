// Receipts from photos
// Let the model read the day's receipts and put them into the books.
async function main(input) {
  const booked = [];
  for (const photo of input.photos) {
    const answer = await web.postJSON('https://llm.example.test/v1/chat/completions?photo=' + photo, {
      model: 'reader-1', messages: [{ role: 'user', content: 'Read this receipt, answer as JSON: ' + photo }],
    }, { effect: 'read' });
    const receipt = JSON.parse(answer.choices[0].message.content);
    const total = receipt.lines.reduce((sum, line) => sum + line.price * line.count, 0);
    await web.postJSON('https://books.example.test/api/expenses', { shop: receipt.shop.trim(), day: receipt.date, total: Number(total.toFixed(2)) });
    booked.push({ shop: receipt.shop, total: Number(total.toFixed(2)) });
  }
  await kv.set('booked', booked.length);
  return { booked };
}
// ---- outside
function outside(n) {
  const answers = {};
  const photos = times(int(1, 3), (i) => {
    const photo = 'p' + n + '-' + i;
    const receipt = { shop: pick(cities) + ' market', date: day(n), lines: times(int(1, 4), () => ({ what: pick(nouns), price: cents(1, 30), count: int(1, 3) })) };
    answers['POST https://llm.example.test/v1/chat/completions?photo=' + photo] = { id: 'cmpl-' + photo, model: 'reader-1', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(receipt) } }], usage: { prompt_tokens: int(300, 500), completion_tokens: int(20, 90) } };
    return photo;
  });
  return { input: { photos }, answers };
}
