// What an agent says, while it says it. It is kept nowhere: once a message is whole, it is in the conversation.
import { useEffect, useState } from 'react';
import { readEvents } from './sse';

type Piece = { agent: string; begins?: boolean; text?: string; tool?: string };
export type Saying = { text: string; tool: string };

const nothing: Saying = { text: '', tool: '' };
const most = 20_000; // characters that are shown of one

/** What the planner of a workflow is saying. It begins anew when what was said (heard) has become longer. */
export function useSaying(workflow: string, heard: number): Saying {
  const [saying, say] = useState(nothing);
  useEffect(() => say(nothing), [heard]);
  useEffect(() => {
    const ended = new AbortController();
    const listen = async () => {
      const answer = await fetch(`/api/v1/events?words=true&types=ThreadClosed&workflow=${encodeURIComponent(workflow)}`, { signal: ended.signal, headers: { Accept: 'text/event-stream' } });
      if (!answer.ok || !answer.body) return;
      for await (const event of readEvents(answer.body)) {
        if (event.type !== 'words') continue;
        const piece = JSON.parse(event.data) as Piece;
        if (piece.agent !== 'planner') continue;
        say((before) => {
          const { text, tool } = piece.begins ? nothing : before;
          return { text: (text + (piece.text ?? '')).slice(0, most), tool: piece.tool ?? tool };
        });
      }
    };
    listen().catch(() => {}); // it is a help while one waits: the conversation itself comes in any case
    return () => ended.abort();
  }, [workflow]);
  return saying;
}
