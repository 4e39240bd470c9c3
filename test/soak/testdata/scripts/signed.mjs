import { createHmac } from 'node:crypto';

export default async function () {
  const config = await web.getJSON('BASE/config');
  const body = JSON.stringify(config.flags);
  const signature = createHmac('sha256', 'not-a-secret').update(body).digest('hex');
  const put = await fetch('BASE/flags', { method: 'PUT', body, headers: { 'content-type': 'application/json', 'x-signature': signature } });
  if (put.status >= 400) throw new Error('flags were refused: ' + put.status);
  await kv.set('signature', signature);
  return signature.slice(0, 8);
}
