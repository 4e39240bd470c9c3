'use strict';

// Webhook of the meeting service: who was in a lesson, and for how long.
const ROLL = 'https://school.example/api/attendance';

function minutes(from, to) {
  return Math.round((new Date(to) - new Date(from)) / 60000);
}

async function post(path, body) {
  const response = await fetch(ROLL + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (response.ok) return response.json();
  if (response.status === 409) return null;
  throw new Error('attendance: ' + response.status + ' for ' + path);
}

const keyOf = (object) => 'meeting/' + object.id;
const person = (p) => (p.email ? p.email.toLowerCase() : p.user_name.trim());

const on = {
  'meeting.started': async ({ object }) => {
    await kv.set(keyOf(object), { topic: object.topic, start: object.start_time, people: {} });
    return 'started';
  },
  'meeting.participant_joined': async ({ object }) => {
    const { participant } = object;
    const meeting = (await kv.get(keyOf(object))) || { topic: object.topic, start: participant.join_time, people: {} };
    const entry = meeting.people[person(participant)] || { minutes: 0 };
    meeting.people[person(participant)] = { ...entry, since: participant.join_time };
    await kv.set(keyOf(object), meeting);
    return 'joined';
  },
  'meeting.participant_left': async ({ object }) => {
    const meeting = await kv.get(keyOf(object));
    const entry = meeting && meeting.people[person(object.participant)];
    if (!entry || !entry.since) return 'not known';
    entry.minutes += minutes(entry.since, object.participant.leave_time);
    delete entry.since;
    await kv.set(keyOf(object), meeting);
    return 'left';
  },
  'meeting.ended': async ({ object }) => {
    const meeting = await kv.get(keyOf(object));
    if (!meeting) return 'not known';
    const rows = Object.entries(meeting.people)
      .map(([who, { minutes: n, since }]) => ({ who, minutes: n + (since ? minutes(since, object.end_time) : 0) }))
      .filter((row) => row.minutes > 0)
      .sort((a, b) => a.who.localeCompare(b.who));
    const made = await post('/lessons', { topic: meeting.topic, day: meeting.start.slice(0, 10), length: minutes(meeting.start, object.end_time), rows });
    await kv.delete(keyOf(object));
    return made ? 'lesson ' + made.id : 'lesson was there';
  },
};

module.exports = async function webhook({ event, payload }) {
  const handle = on[event];
  return handle ? handle(payload) : 'ignored';
};
