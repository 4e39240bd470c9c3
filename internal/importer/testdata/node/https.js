const https = require('https'); // of Node, as its manual has it
const http = require('node:http');

function get(url) {
  return new Promise((resolve, reject) => {
    http.get(url, { headers: { 'x-key': 'k' } }, (res) => {
      const chunks = [];
      res.on('data', (chunk) => chunks.push(chunk));
      res.on('end', () => resolve({ status: res.statusCode, body: Buffer.concat(chunks).toString() }));
    }).on('error', reject);
  });
}

function post(url, value) {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const req = http.request({ hostname, port, path: pathname, method: 'POST', headers: { 'Content-Type': 'application/json' } }, (res) => {
      res.setEncoding('utf8');
      let data = '';
      res.on('data', (chunk) => { data += chunk; });
      res.on('end', () => resolve(JSON.parse(data)));
    });
    req.on('error', reject);
    req.write(JSON.stringify(value));
    req.end();
  });
}

async function main() {
  const one = await get('BASE/missing');
  const two = await post('BASE/echo', { a: 1 });
  const failed = await get('http://127.0.0.1:1/x').catch((e) => e.name);
  return [one.status, two.method, two.type, two.body, failed, typeof https.request];
}

main().then(console.log);
