/* eslint-disable no-console */
import { DateTime } from 'luxon';

const PLACES = [
  { name: 'Shizuoka', lat: 34.97, lon: 138.38, km: 300 },
  { name: 'Thessaloniki', lat: 40.64, lon: 22.94, km: 250 },
];

const rad = (deg) => (deg * Math.PI) / 180;

function distance(a, b) {
  const h = Math.sin(rad(b.lat - a.lat) / 2) ** 2 + Math.cos(rad(a.lat)) * Math.cos(rad(b.lat)) * Math.sin(rad(b.lon - a.lon) / 2) ** 2;
  return 12742 * Math.asin(Math.sqrt(h));
}

async function getFeatures(params) {
  const features = [];
  for (let offset = 1; ; offset += 4) {
    const res = await fetch('https://quakes.example/fdsnws/event/1/query?' + new URLSearchParams({ ...params, format: 'geojson', limit: 4, offset }));
    if (res.status === 204) return features;
    if (!res.ok) throw new Error('quakes: ' + (await res.text()));
    const { features: list } = await res.json();
    features.push(...list);
    if (list.length < 4) return features;
  }
}

const severity = ({ mag, alert, tsunami }) => (tsunami ? 'tsunami' : alert && alert !== 'green' ? alert : mag >= 6 ? 'strong' : 'light');

function describe(feature, place) {
  const { geometry: { coordinates: [lon, lat, depth] }, properties } = feature;
  const km = Math.round(distance(place, { lat, lon }) / 10) * 10;
  return { id: feature.id, km, depth: Math.round(depth), mag: properties.mag.toFixed(1), what: severity(properties), title: properties.place, time: properties.time, near: km <= place.km };
}

export default async function check({ slot, minimum = 3 }) {
  const since = await kv.get('since') || Date.parse(slot) - 86400000;
  const features = (await getFeatures({ starttime: new Date(since).toISOString(), minmagnitude: minimum })).filter((f) => f.properties.type === 'earthquake');
  let sent = 0;
  for (const place of PLACES) {
    const near = features.map((f) => describe(f, place)).filter((q) => q.near).sort((a, b) => a.time - b.time);
    for (const q of near) {
      const at = DateTime.fromMillis(q.time, { zone: 'Asia/Tokyo' }).toFormat('dd.MM. HH:mm');
      const res = await fetch('https://sms.example/2010/Messages', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ To: place.name, Body: `M${q.mag} ${q.what}, ${q.km} km (${q.title}), ${q.depth} km deep, ${at}` }).toString(),
      });
      if (!res.ok) throw new Error('sms: ' + res.status);
      sent++;
    }
  }
  const last = features.reduce((max, f) => Math.max(max, f.properties.time), since);
  await kv.set('since', last + 1);
  return { seen: features.length, sent };
}
