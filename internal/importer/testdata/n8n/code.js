// Sum the totals by customer
const byCustomer = {};
for (const item of $input.all()) {
  byCustomer[item.json.customer] = (byCustomer[item.json.customer] || 0) + Number(item.json.total);
}
return Object.entries(byCustomer).map(([customer, total]) => ({ json: { customer, total, day: $now.toFormat('yyyy-MM-dd') } }));
