import { parse } from 'kintsugi:csv';

// Mails finance what is overdue, worst first, and remembers how often a customer was on the list.
const LIMIT = 50;

const escape = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const amount = (record) => parseFloat(record.balance);

function html(records, times) {
  const rows = records.map((r) => `<tr><td>${escape(r.name)}</td><td>${amount(r).toFixed(2)}</td><td>${r.due_date}</td><td>${times[r.customer_id]}</td></tr>`);
  return `<table>${rows.join('')}</table>`;
}

async function download(path) {
  const response = await fetch(`https://erp.example/exports/${path}`, { headers: { 'X-Api-Key': process.env.ERP_KEY } });
  if (response.status === 204) return '';
  if (response.status !== 200) throw new Error('Export failed with status ' + response.status);
  return response.text();
}

async function main() {
  const text = await download('receivables.csv');
  const records = text.trim() === '' ? [] : parse(text, { header: true });
  const overdue = records
    .filter((r) => r.status === 'overdue' && amount(r) > LIMIT)
    .sort((a, b) => amount(b) - amount(a) || (a.customer_id < b.customer_id ? -1 : 1));
  if (overdue.length === 0) {
    console.log('nothing is overdue');
    return { overdue: 0, total: '0.00' };
  }
  const times = (await kv.get('times')) || {};
  for (const { customer_id } of overdue) times[customer_id] = (times[customer_id] || 0) + 1;
  const total = overdue.reduce((sum, r) => sum + Math.round(amount(r) * 100), 0) / 100;
  const sent = await fetch('https://mail.example/v3/mail/send', {
    method: 'POST',
    headers: { Authorization: 'Bearer ' + process.env.MAIL_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ personalizations: [{ to: [{ email: 'finance@firm.example' }] }], subject: `${overdue.length} overdue, ${total.toFixed(2)} EUR`, content: [{ type: 'text/html', value: html(overdue, times) }] }),
  });
  if (sent.status !== 202) throw new Error('Mail failed with status ' + sent.status);
  await kv.set('times', times);
  return { overdue: overdue.length, total: total.toFixed(2) };
}
