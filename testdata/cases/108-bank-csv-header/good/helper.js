// Imports the bank's statement.
function parse(text) {
  const [head, ...lines] = text.trim().split('\n').map((l) => l.split(';'));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

function amountOf(row) {
  const text = row.Betrag !== undefined ? row.Betrag : row['Betrag (EUR)'];
  return Number(text.replace('.', '').replace(',', '.'));
}

async function main(input) {
  const res = await web.fetch('https://bank.example.com/export.csv?month=' + input.month, { headers: { accept: 'text/csv' } });
  if (res.status !== 200) throw new Error('export: status ' + res.status);
  const rows = parse(res.body);
  let balance = 0;
  for (const row of rows) balance += amountOf(row);
  const big = rows.filter((row) => Math.abs(amountOf(row)) >= 1000).map((row) => row.Empfaenger);
  await kv.set('bank:' + input.month, { rows: rows.length, balance: balance.toFixed(2), big });
  return { rows: rows.length, balance: balance.toFixed(2) };
}
