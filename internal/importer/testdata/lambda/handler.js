const https = require('https');

exports.handler = async (event) => {
  const orders = await (await fetch('BASE/orders')).json();
  return { statusCode: 200, body: JSON.stringify({ n: orders.length, of: event.of }) };
};
