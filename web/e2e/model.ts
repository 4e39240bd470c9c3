// A language model that says what it was told to, over the protocol that providers speak.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Turn = { text?: string; tool?: string; args?: object };

export async function serveModel(turns: Turn[]): Promise<{ url: string; server: Server }> {
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const asked = JSON.parse(body || '{}') as { stream?: boolean };
      const turn = turns.shift() ?? { text: 'There is no more to say.' };
      const calls = turn.tool ? [{ index: 0, id: `call_${turns.length}`, type: 'function', function: { name: turn.tool, arguments: JSON.stringify(turn.args ?? {}) } }] : undefined;
      const message = { role: 'assistant', content: turn.text ?? '', ...(calls ? { tool_calls: calls } : {}) };
      const rest = { id: 'x', created: 0, model: 'scripted' };
      const finish_reason = calls ? 'tool_calls' : 'stop';
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
      if (!asked.stream) {
        answer.setHeader('Content-Type', 'application/json');
        answer.end(JSON.stringify({ ...rest, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }));
        return;
      }
      answer.setHeader('Content-Type', 'text/event-stream');
      for (const piece of [
        { choices: [{ index: 0, delta: message, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason }] },
        { choices: [], usage },
      ]) answer.write(`data: ${JSON.stringify({ ...rest, object: 'chat.completion.chunk', ...piece })}\n\n`);
      answer.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server };
}
