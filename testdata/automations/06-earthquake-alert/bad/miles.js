// Tells about strong earthquakes near a place, each once.
const EARTH_KM = 3959;
const radians = (degrees) => (degrees * Math.PI) / 180;

function distanceKm(a, b) {
  const half = Math.sin(radians(b.lat - a.lat) / 2) ** 2 +
    Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(radians(b.lon - a.lon) / 2) ** 2;
  return Math.round(2 * EARTH_KM * Math.asin(Math.sqrt(half)));
}

function toQuake(feature, home) {
  const { mag, place, time, magnitudeType } = feature.properties;
  const [lon, lat, depth] = feature.geometry.coordinates;
  return {
    id: feature.id,
    size: `${mag.toFixed(1)} ${(magnitudeType ?? feature.properties.magType).toLowerCase()}`,
    place,
    time: new Date(time).toISOString(),
    depth: Math.round(depth),
    km: distanceKm(home, { lat, lon }),
  };
}

async function main({ home, radius }) {
  const feed = await web.getJSON('https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_day.geojson');
  const told = new Set((await kv.get('told')) ?? []);

  const fresh = feed.features
    .map((feature) => toQuake(feature, home))
    .filter((quake) => quake.km <= radius && !told.has(quake.id))
    .sort((a, b) => a.km - b.km);

  for (const quake of fresh) {
    await notify(`Earthquake ${quake.size}, ${quake.km} km away`, `${quake.place}, ${quake.time}, ${quake.depth} km deep`);
    told.add(quake.id);
  }
  await kv.set('told', [...told]);
  await files.write('last.json', JSON.stringify({ checked: feed.features.length, quakes: fresh }, null, 1));
  return { checked: feed.features.length, told: fresh.map((quake) => quake.id) };
}
