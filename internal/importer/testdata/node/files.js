const fs = require('fs');
const path = require('node:path');

async function main() {
  const lines = fs.readFileSync('./in.txt', 'utf8').trim().split('\n');
  const out = path.join('out', path.basename('in.txt', '.txt') + '.json');
  fs.mkdirSync(path.dirname(out), { recursive: true });
  fs.writeFileSync(out, JSON.stringify(lines));
  try {
    fs.readFileSync('nope.txt');
  } catch (e) {
    return [lines, fs.existsSync('nope.txt'), fs.existsSync(out), e.code];
  }
}

main().catch((err) => {
  console.error(err);
});
