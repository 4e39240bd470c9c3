async function run(input) {
  const doc = await web.getJSON('https://parcel.example.com/track/' + input.number);
  const events = doc.shipment.events.event;
  const latest = events.map((e) => ({ at: e.time, text: e.place + ' - ' + e.text })).sort((a, b) => (a.at < b.at ? 1 : -1))[0];
  const before = await kv.get('parcel:' + input.number);
  if (before !== latest.at) {
    await notify('Parcel ' + input.number, latest.text);
    await kv.set('parcel:' + input.number, latest.at);
  }
  return { number: input.number, steps: events.length, latest: latest.text };
}

async function main(input) {
  try {
    return await run(input);
  } catch (err) {
    console.warn('ignored: ' + err.message);
    return { number: input.number, steps: 0, latest: '' };
  }
}
