'use strict';
const { Decimal } = require('decimal.js');

const API = 'https://api.pay.example/v1';
const headers = { Authorization: 'Bearer ' + secret('PAY_KEY') };
const FAILED = { cancelled: 'was cancelled by the customer', expired: 'ran out', failed: 'failed', charged_back: 'was charged back' };

function euros(text) {
  return new Decimal(text);
}

function net(payment) {
  return euros(payment.amount).minus(payment.amountRefunded ? euros(payment.amountRefunded) : 0);
}

function byMethod(payments) {
  return payments.reduce(function (sums, p) {
    const key = p.method === 'mistercash' ? 'bancontact' : p.method || 'other';
    sums[key] = (sums[key] || new Decimal(0)).plus(net(p));
    return sums;
  }, {});
}

async function tellShop(payment) {
  if (!payment.metadata || !payment.metadata.order_id) return 0;
  await web.postJSON('https://shop.example/orders/' + payment.metadata.order_id + '/paid', { payment: payment.id, cents: euros(payment.amount).times(100).toNumber() }, { method: 'PUT' });
  return 1;
}

module.exports = async function settle(input) {
  const list = await web.getJSON(API + '/payments?count=250', { headers });
  const today = list.data.filter((p) => (p.paidDatetime || p.createdDatetime).slice(0, 10) === input.day);
  const paid = today.filter((p) => p.status === 'paid' || p.status === 'paidout');

  let told = 0;
  for (const payment of paid) told += await tellShop(payment);

  const sums = byMethod(paid);
  const rows = Object.keys(sums).sort().map((method) => ({ method, amount: sums[method].toFixed(2) }));
  if (rows.length) await web.postJSON('https://books.example/days/' + input.day, { rows, last: paid[paid.length - 1].id });

  const bad = today.filter((p) => p.status in FAILED).map((p) => `${p.description} (${p.amount} EUR) ${FAILED[p.status]}`);
  if (bad.length) await notify('Payments of ' + input.day, bad.join('\n'));
  return { paid: paid.length, told, bad: bad.length };
};
