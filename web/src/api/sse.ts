// Reads server-sent events. EventSource would want the name of each type beforehand, and hides why it was refused.

export type ServerEvent = { id: string; type: string; data: string };

/** The events of a stream as they come, and one without data for each sign of life. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield readBlock(block);
    }
  } finally {
    reader.releaseLock();
    // The connection is closed by whoever opened it.
  }
}

function readBlock(block: string): ServerEvent {
  const event: ServerEvent = { id: '', type: '', data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') event.id = value;
    else if (name === 'event') event.type = value;
    else if (name === 'data') data.push(value);
  }
  event.data = data.join('\n');
  return event;
}
