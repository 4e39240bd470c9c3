// Collect the answers of a batch job (one JSON document a line) and file them by question.
const BATCH = 'https://batch.example/v1/files';

function* lines(text) {
  for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line);
}

const collect = async (file) => {
  const res = await fetch(`${BATCH}/${file}/content`);
  if (!res.ok) throw new Error(`file ${file}: ${res.status}`);
  const answers = {};
  const failed = [];
  for (const { custom_id, response, error } of lines(await res.text())) {
    if (error || response.status_code !== 200) { failed.push(custom_id); continue; }
    const { choices: [{ message }], usage: { total_tokens } } = response.body;
    answers[custom_id] = { text: message.content.trim(), tokens: total_tokens };
  }
  return { answers, failed };
};

export default async ({ file }) => {
  const { answers, failed } = await collect(file);
  const spent = Object.values(answers).reduce((n, a) => n + a.tokens, 0);
  for (const [id, { text }] of Object.entries(answers)) await files.write(`answers/${id}.txt`, text + '\n');
  if (failed.length > 0) await notify('Batch ' + file, `${failed.length} failed: ${failed.join(', ')}`);
  const total = ((await kv.get('tokens')) ?? 0) + spent;
  await kv.set('tokens', total);
  const done = await fetch('https://jobs.example/batches/' + file, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ answered: Object.keys(answers).length, failed, spent }) });
  if (!done.ok) throw new Error('jobs: ' + done.status);
};
