// One stream of events for all tabs of a browser: over HTTP/1.1 a browser has six connections to a server, and a tab that held
// one would leave the seventh without any.
import { connect, type Connection, type Stream } from './stream';

export type Ask = { join: string } | 'wake' | 'leave';

const tabs = new Set<MessagePort>();
let of = ''; // the session that the stream belongs to
let state: Connection = 'connecting';
let stream: Stream | undefined;

function begin(session: string) {
  stream?.end();
  of = session;
  state = 'connecting';
  stream = connect((told) => {
    if ('state' in told) state = told.state;
    for (const tab of tabs) tab.postMessage(told);
  });
}

function end() {
  stream?.end();
  stream = undefined;
}

addEventListener('connect', (event) => {
  const tab = (event as MessageEvent).ports[0]!;
  tab.onmessage = ({ data }: MessageEvent<Ask>) => {
    if (data === 'wake') return stream?.wake();
    if (data === 'leave') {
      tabs.delete(tab);
      return tabs.size === 0 && end();
    }
    tabs.add(tab);
    // Somebody who signed in meanwhile sees nothing of what the one before them may see.
    if (!stream || data.join !== of) begin(data.join);
    tab.postMessage({ state });
  };
});
