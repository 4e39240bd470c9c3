const route = 'GET https://batch.example/v1/files/:file/content';
const nd = (f, line) => ({ $type: 'application/jsonl', $body: f.answers.map((a) => JSON.stringify(line(a))).join('\n') + (f.answers.length ? '\n' : '') });
const body = (a) => ({ id: 'r' + a.id, choices: [{ index: 0, message: { role: 'assistant', content: a.text } }], usage: { prompt_tokens: a.tokens - 3, completion_tokens: 3, total_tokens: a.tokens } });
export default {
  source: 'https://platform.openai.com/docs (batch output files; responses in place of chat completions): output as items, usage without a total, errors inside',
  says: 'File the answers of a batch job and say what it cost',
  facts: (day, r) => ({ file: `file-${day}`, answers: r.many(day === 9 ? 0 : 1, 6, (i) => ({ id: `q-${day}-${i}`, text: r.pick(['Yes.', 'No — “never”.\nReally.', 'はい', ' maybe ']), tokens: r.int(10, 900), failed: r.chance(0.2) })) }),
  input: (f) => ({ file: f.file }),
  api: {
    [route]: (f) => nd(f, (a) => ({ id: 'b' + a.id, custom_id: a.id, response: a.failed ? { status_code: 500, body: null } : { status_code: 200, body: body(a) }, error: null })),
    'PUT https://jobs.example/batches/:file': () => ({ ok: true }),
  },
  changes: [{
    name: 'responses',
    happened: 'choices became output with content parts; usage has input_tokens and output_tokens and no total',
    tells: [['choices', 'output'], ['usage', 'total_tokens', 'choices', 'output']],
    api: { [route]: (f) => nd(f, (a) => ({ id: 'b' + a.id, custom_id: a.id, response: a.failed ? { status_code: 500, body: null } : { status_code: 200, body: { id: 'r' + a.id, output: [{ type: 'message', content: [{ type: 'output_text', text: a.text }] }], usage: { input_tokens: a.tokens - 3, output_tokens: 3 } } }, error: null })) },
    right: {
      'made old': [['const { choices: [{ message }], usage: { total_tokens } } = response.body;', "const b = response.body;\n    const message = b.choices ? b.choices[0].message : { content: b.output[0].content[0].text };\n    const total_tokens = b.usage.total_tokens ?? b.usage.input_tokens + b.usage.output_tokens;"]],
      'a function': [['const collect', "const parts = (b) => (b.output ? [b.output.flatMap((o) => o.content).map((c) => c.text).join(''), b.usage.input_tokens + b.usage.output_tokens] : [b.choices[0].message.content, b.usage.total_tokens]);\n\nconst collect"], ['const { choices: [{ message }], usage: { total_tokens } } = response.body;', 'const [content, total_tokens] = parts(response.body);'], ['message.content.trim()', 'content.trim()']],
      "destructured twice": [['const { choices: [{ message }], usage: { total_tokens } } = response.body;', "let message, total_tokens;\n    if ('output' in response.body) {\n      const { output: [{ content: [{ text }] }], usage: { input_tokens, output_tokens } } = response.body;\n      message = { content: text };\n      total_tokens = input_tokens + output_tokens;\n    } else ({ choices: [{ message }], usage: { total_tokens } } = response.body);"]],
    },
    wrong: {
      'empty': [['const { choices: [{ message }], usage: { total_tokens } } = response.body;', "const { choices: [{ message }] = [{ message: { content: '' } }], usage: { total_tokens } } = response.body;"]],
      'free': [['const { choices: [{ message }], usage: { total_tokens } } = response.body;', "const b = response.body;\n    const message = b.choices ? b.choices[0].message : { content: b.output[0].content[0].text };\n    const total_tokens = b.usage.total_tokens ?? 0;"]],
      'half the cost': [['const { choices: [{ message }], usage: { total_tokens } } = response.body;', "const b = response.body;\n    const message = b.choices ? b.choices[0].message : { content: b.output[0].content[0].text };\n    const total_tokens = b.usage.total_tokens ?? b.usage.input_tokens;"]],
      'those are failed': [['if (error || response.status_code !== 200)', 'if (error || response.status_code !== 200 || !response.body.choices)']],
    },
  }, {
    name: 'lines-unwrapped',
    happened: 'a line has the body and the status directly, custom_id is request.id',
    tells: [['custom_id', 'response', 'request']],
    api: { [route]: (f) => nd(f, (a) => ({ request: { id: a.id }, status: a.failed ? 500 : 200, body: a.failed ? null : body(a) })) },
    right: {
      'made old': [["for (const line of text.split('\\n')) if (line.trim() !== '') yield JSON.parse(line);", "for (const line of text.split('\\n')) {\n    if (line.trim() === '') continue;\n    const o = JSON.parse(line);\n    yield o.request ? { custom_id: o.request.id, error: null, response: { status_code: o.status, body: o.body } } : o;\n  }"]],
      'in the loop': [['for (const { custom_id, response, error } of lines(await res.text())) {', 'for (const o of lines(await res.text())) {\n    const custom_id = o.custom_id ?? o.request.id;\n    const response = o.response ?? { status_code: o.status, body: o.body };\n    const error = o.error;']],
      "a second generator": [['const collect', "function* entries(text) {\n  for (const o of lines(text)) {\n    if ('custom_id' in o) yield o;\n    else yield { custom_id: o.request.id, error: o.status === 200 ? null : o.status, response: { status_code: o.status, body: o.body } };\n  }\n}\n\nconst collect"], ['of lines(await res.text())', 'of entries(await res.text())']],
    },
    wrong: {
      'without name': [['for (const { custom_id, response, error } of lines(await res.text())) {', 'for (const o of lines(await res.text())) {\n    const { custom_id, error, response = { status_code: o.status, body: o.body } } = o;']],
      'all failed': [['error || response.status_code', 'error || response?.status_code']],
      'skipped': [['if (error ||', 'if (!response) continue;\n    if (error ||']],
    },
  }, {
    name: 'null-content',
    happened: 'a refusal has content null and a text in refusal; status_code is a text',
    tells: [['status_code', 'content', 'refusal']],
    api: { [route]: (f) => nd(f, (a) => ({ id: 'b' + a.id, custom_id: a.id, response: { status_code: a.failed ? '500' : '200', body: a.failed ? null : body(a) }, error: null })) },
    right: {
      'numbers': [['response.status_code !== 200', 'Number(response.status_code) !== 200']],
      'loose': [['response.status_code !== 200', "String(response.status_code) !== '200'"]],
      "parsed": [['response.status_code !== 200', 'parseInt(response.status_code, 10) !== 200']],
    },
    wrong: {
      'no check': [['if (error || response.status_code !== 200)', 'if (error || !response.body)'], ['.trim(), tokens: total_tokens', '.trim(), tokens: Number(response.status_code)']],
      'text only': [['response.status_code !== 200', "response.status_code !== '200'"]],
      'any status with two': [['response.status_code !== 200', "!String(response.status_code).includes('0')"]],
    },
  }],
};
