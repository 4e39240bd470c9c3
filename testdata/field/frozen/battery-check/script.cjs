'use strict';
// Looks at what the house knows: empty batteries, and windows that are open for too long.
const HOUSE = 'https://house.example/api';

const request = async (path, options) => {
  const { method = 'GET', body } = options || {};
  const response = await fetch(HOUSE + path, {
    method,
    headers: { Authorization: 'Bearer ' + secret('HOUSE_TOKEN'), 'Content-Type': 'application/json' },
    body: body ? JSON.stringify(body) : undefined,
  });
  if (!response.ok) throw new Error(method + ' ' + path + ': ' + response.status);
  return response.json();
};

const domain = (entity) => entity.entity_id.split('.')[0];
const label = (entity) => entity.attributes.friendly_name || entity.entity_id;

function batteries(states) {
  return states
    .filter((s) => typeof s.attributes.battery_level === 'number')
    .map((s) => ({ id: s.entity_id, name: label(s), level: s.attributes.battery_level }));
}

function windows(states, now, minutes) {
  return states.filter((s) => domain(s) === 'binary_sensor' && s.attributes.device_class === 'window' && s.state === 'on')
    .map((s) => ({ name: label(s), minutes: Math.floor((now - Date.parse(s.last_changed)) / 60000) }))
    .filter((w) => w.minutes >= minutes);
}

async function light(on) {
  return request('/services/light/turn_' + (on ? 'on' : 'off'), { method: 'POST', body: { entity_id: 'light.reminder' } });
}

async function main(input) {
  const { slot, low = 20, minutes = 30 } = input;
  const states = await request('/states');
  const told = (await kv.get('told')) || {};
  const empty = batteries(states).filter((b) => b.level < low);
  const fresh = empty.filter((b) => !(b.id in told));
  const open = windows(states, Date.parse(slot), minutes);
  if (fresh.length) await notify('Batteries', fresh.map((b) => b.name + ': ' + b.level + '%').join('\n'));
  if (open.length) await notify('Windows', open.map((w) => w.name + ' for ' + w.minutes + ' min').join('\n'));
  await light(open.length > 0);
  await kv.set('told', Object.fromEntries(empty.map((b) => [b.id, told[b.id] || slot])));
  return { empty: empty.length, open: open.length };
}

exports.main = main;
