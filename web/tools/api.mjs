// Makes src/api/schema.ts, the types of all that the API takes and answers, from what the program says of itself:
//
//	node tools/api.mjs           write it
//	node tools/api.mjs --check   fail if it is not what the program says
//	node tools/api.mjs --description FILE   write what the program says, and nothing else
//
// It asks a server of its own, or the one at KINTSUGI with KINTSUGI_TOKEN.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const target = new URL('../src/api/schema.ts', import.meta.url);
const binary = process.env.KINTSUGI_BINARY ?? '../bin/kintsugi';

const list = (items) => ({ type: 'array', items });
const written = list({ $ref: '#/components/schemas/GateWrite' });

/** Values that Go keeps as the JSON they came as, of which more is known. */
const known = {
  Effect: { args: list({}) },
  MadeWrite: { args: list({}) },
  GateWrite: { args: list({}) },
  RunCall: { args: list({}) },
  WorkflowAlternative: { writes: written },
  WorkflowRehearsal: { writes: written },
  WorkflowVerification: { writes: written },
};

/** Leaves out what client.ts has for all operations alike: headers, problems, who may ask. */
function essence(description) {
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    operation.parameters = (operation.parameters ?? []).filter((one) => one.in !== 'header');
    for (const status of Object.keys(operation.responses)) {
      if (!status.startsWith('2')) delete operation.responses[status];
      else delete operation.responses[status].headers;
    }
  }
  for (const [name, members] of Object.entries(known)) Object.assign(description.components.schemas[name].properties, members);
  for (const { properties, required } of Object.values(description.components.schemas)) {
    for (const [name, member] of Object.entries(properties ?? {})) {
      // A member that may be missing is left out where there is nothing, so that it is never null.
      if (Array.isArray(member.type) && !required?.includes(name)) member.type = member.type.filter((type) => type !== 'null')[0];
    }
  }
  return description;
}

async function typesOf(description) {
  const text = astToString(await openapiTS(essence(description), { alphabetize: true }))
    // It also says of each path what there is not.
    .replace(/^ {8}(get|put|post|delete|options|head|patch|trace)\?: never;\n/gm, '')
    .replace(/^ {8}parameters: \{\n(?: {12}\w+\?: never;\n)+ {8}\};\n/gm, '')
    .replace(/^ {12}(query|header|path|cookie)\?: never;\n/gm, '')
    .replace(/^ {16}headers: \{\n {20}\[name: string\]: unknown;\n {16}\};\n/gm, '')
    .replace(/^ {4}(responses|parameters|requestBodies|headers|pathItems): never;\n/gm, '')
    .replace(/^export type (webhooks|\$defs) = .*\n/gm, '')
    .replace(/^\/\*\*[^]*?\*\/\n/, '')
    // Values of scripts, models and other servers have no schema: any JSON.
    .replace(/\bunknown(?=[;[\]\s)])/g, 'Json')
    .replace(/^ *\/\*\* Format: \S+ \*\/\n/gm, '')
    .replaceAll('    ', '  ');
  return `// Made by tools/api.mjs from what the API says of itself: run \`make web/api\`, and do not change it by hand.\n
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };\n\n${text}`;
}

async function ask(base, token) {
  const answer = await fetch(`${base}/openapi.json`, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The description that an empty server gives before it is ended. */
async function askOneOfOurOwn() {
  const dir = mkdtempSync(join(tmpdir(), 'kintsugi-api-'));
  const server = spawn(binary, ['dev', '--data-dir', join(dir, 'data'), '--listen', '127.0.0.1:0', '--quiet'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const [, base, token] = await new Promise((resolve, reject) => {
      let said = '';
      const heard = (chunk) => {
        said += chunk;
        const link = /(http:\/\/\S+)\/#token=(\S+)/.exec(said);
        if (link) resolve(link);
      };
      server.stdout.on('data', heard);
      server.stderr.on('data', heard);
      server.once('error', reject);
      void ended.then((code) => reject(new Error(`${binary} ended with ${code}: ${said}`)));
    });
    return await ask(base, token);
  } finally {
    if (server.kill('SIGKILL')) await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

const description = process.env.KINTSUGI ? await ask(process.env.KINTSUGI, process.env.KINTSUGI_TOKEN) : await askOneOfOurOwn();
const file = process.argv.indexOf('--description');
if (file > 0) {
  writeFileSync(process.argv[file + 1], JSON.stringify(description, null, 1));
  process.exit();
}
const text = await typesOf(description);
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('web/src/api/schema.ts is not what the API says of itself: run `make web/api`, and commit it');
  process.exitCode = 1;
}
