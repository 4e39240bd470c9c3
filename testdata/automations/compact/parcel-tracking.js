// Where are my parcels
// Twice a day look where each parcel is and tell me when one moves or arrives.
async function main() {
  const parcels = (await kv.get('parcels')) || {};
  const list = await web.getJSON('https://track.example.test/v2/shipments');
  let moved = 0;
  for (const shipment of list.shipments) {
    const last = shipment.events[shipment.events.length - 1];
    const where = `${last.location.address.city}, ${last.description.trim()}`;
    if (parcels[shipment.tracking_number] !== where) {
      moved++;
      parcels[shipment.tracking_number] = where;
      await notify('Parcel ' + shipment.tracking_number, where + ' ' + last.timestamp.replace('T', ' ').slice(0, 16));
    }
  }
  await kv.set('parcels', parcels);
  return { moved, parcels: Object.keys(parcels).length };
}
// ---- outside
function outside(n) {
  return { answers: { 'https://track.example.test/v2/shipments': { shipments: times(int(1, 3), (i) => ({ tracking_number: 'ZX' + (500 + i), service: pick(['express', 'standard']), events: times(int(1, 3), (j) => ({ timestamp: day(n) + 'T1' + j + ':20:00Z', status_code: pick(['transit', 'hub']), description: pick(['Arrived at hub', 'Left the hub', 'Out for delivery']), location: { address: { city: pick(cities), country_code: 'PT' } } })) })) } } };
}
