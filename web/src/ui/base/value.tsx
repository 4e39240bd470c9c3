import { useState } from 'react';
import type { Json, WriteCall } from '../../api/types';
import { plain } from './basics';

/** A value as JSON, long ones folded. */
export function Value({ value, label, lines = 12 }: { value: Json | undefined; label: string; lines?: number }) {
  const [whole, show] = useState(false);
  if (value === undefined) return <span className="text-soft">nothing</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const all = text.split('\n');
  const shown = whole ? text.slice(0, 400_000) : all.slice(0, lines).map((line) => (line.length > 600 ? `${line.slice(0, 600)}…` : line)).join('\n');
  const folded = !whole && (all.length > lines || all.some((line) => line.length > 600));
  return (
    <div className="min-w-0">
      <pre
        className="max-h-[28rem] overflow-auto rounded-md bg-sunken p-2.5 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:plaintext]"
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        {plain(shown)}
      </pre>
      {folded && (
        <button type="button" className="link mt-1 text-xs" onClick={() => show(true)}>
          show all of it
        </button>
      )}
    </div>
  );
}

const verbs: Record<string, string> = { 'kv.set': 'keeps', 'kv.delete': 'forgets', 'files.write': 'writes the file', 'files.append': 'appends to the file', 'files.remove': 'removes the file' };

/** A write as it would be sent: a message as a message, a request as a request. */
export function WriteCard({ write, done = false }: { write: WriteCall; done?: boolean }) {
  const [first, second, ...rest] = write.args ?? [];
  if (write.tool === 'notify') {
    return (
      <figure className="rounded-lg border border-line bg-paper p-3">
        <figcaption className="mb-1 text-xs font-semibold tracking-wide text-soft uppercase">{done ? 'Message, sent' : 'Message, as it would be sent'}</figcaption>
        <p className="font-semibold [overflow-wrap:anywhere]">{plain(String(first ?? ''))}</p>
        {second !== undefined && <p className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{plain(asText(second)).slice(0, 4000)}</p>}
      </figure>
    );
  }
  const verb = verbs[write.tool];
  if (verb) {
    return (
      <figure className="rounded-lg border border-line bg-paper p-3">
        <figcaption className="mb-1 text-sm">
          <span className="text-soft">{verb}</span> <code className="font-mono font-semibold [overflow-wrap:anywhere]">{plain(asText(first ?? ''))}</code>
        </figcaption>
        {second !== undefined && <Value value={second} label={`What ${write.tool} is given`} lines={6} />}
      </figure>
    );
  }
  const options = [second, ...rest].find((one) => one !== null && typeof one === 'object' && !Array.isArray(one)) as { [key: string]: Json } | undefined;
  const method = String(options?.['method'] ?? (/\.(get|post|put|patch|delete)/i.exec(write.tool)?.[1] ?? write.tool)).toUpperCase();
  return (
    <figure className="rounded-lg border border-line bg-paper p-3">
      <figcaption className="mb-1 text-sm [overflow-wrap:anywhere]">
        <span className="font-mono text-xs font-semibold">{method}</span> <code className="font-mono">{plain(asText(first ?? ''))}</code>
      </figcaption>
      {second !== undefined && <Value value={second} label="What is sent" lines={10} />}
    </figure>
  );
}

const asText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));
