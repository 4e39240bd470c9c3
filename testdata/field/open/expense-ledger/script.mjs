// Books small expenses by the policy, and lists what a person has to look at.
const LEDGER = 'https://ledger.example/v1/entries';

const getJson = async (url) => {
  const res = await web.fetch(url, { headers: { authorization: `Bearer ${secret('EXPENSES_TOKEN')}` } });
  if (res.status !== 200) throw new LogicError(`${url}: ${res.status}`);
  return JSON.parse(res.body);
};

const limitOf = (person, limits) => {
  const own = limits[person.grade];
  return own === undefined ? limits.default : own;
};

const verdict = (expense, person, limits) => {
  if (!person || !person.active) return 'no such person';
  if (expense.currency !== 'EUR') return `in ${expense.currency}`;
  if (expense.amount > limitOf(person, limits)) return `${expense.amount.toFixed(2)} is over ${limitOf(person, limits)}`;
  if (!expense.receipt && expense.amount > 10) return 'no receipt';
  return null;
};

export default async function ({ limits = { default: 50, manager: 200 } } = {}) {
  const { pending } = await getJson('https://expenses.example/v1/expenses/pending');
  const people = new Map();
  const asked = [];
  let booked = 0;
  for (const expense of pending) {
    const who = expense.employee;
    if (!people.has(who)) people.set(who, await getJson(`https://hr.example/people/${who}`).catch(() => undefined));
    const person = people.get(who);
    const reason = verdict(expense, person, limits);
    if (reason) {
      asked.push(`${expense.id} ${person?.name ?? who}: ${expense.purpose || 'no purpose'} (${reason})`);
      continue;
    }
    await web.postJSON(`${LEDGER}/${expense.id}`, { account: 6500 + (person.costCenter % 100), amount: Math.round(expense.amount * 100), text: `${person.name}, ${expense.purpose || 'no purpose'}`.slice(0, 40) }, { method: 'PUT' });
    booked += Math.round(expense.amount * 100);
  }
  if (asked.length > 0) await notify(`${asked.length} expenses to look at`, asked.join('\n'));
  return { booked: (booked / 100).toFixed(2), asked: asked.length };
}
