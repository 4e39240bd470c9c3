import { parse } from 'kintsugi:csv';

async function main() {
  const response = await fetch('BASE/export/accounts.csv');
  if (response.status !== 200) throw new Error('the export answered ' + response.status);
  const rows = parse(await response.text(), { header: true });
  const late = rows.filter((row) => row.state === 'late' && Number(row.balance) > 25);
  await kv.set('rows', rows.length);
  if (!late.length) {
    console.log('nobody is late');
    return { late: 0, total: '0.00' };
  }
  const cents = late.reduce((sum, row) => sum + Math.round(Number(row.balance) * 100), 0);
  await web.postJSON('BASE/mail/send', {
    to: 'books@example.test',
    subject: late.length + ' late accounts',
    html: '<ol>' + late.map((row) => `<li>${row.customer}: ${row.balance}</li>`).join('') + '</ol>',
  });
  return { late: late.length, total: (cents / 100).toFixed(2) };
}
