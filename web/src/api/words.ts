// The words of an agent, while it says them. They are kept nowhere: once a message is whole, it is in the conversation.
import { useEffect, useState } from 'react';
import { hear } from './live';

type Piece = { agent: string; workflow: string; begins?: boolean; text?: string; tool?: string };
export type Saying = { text: string; tool: string };

const nothing: Saying = { text: '', tool: '' };
const most = 20_000; // characters that are shown of one

/** The planner's words of a workflow, as they come. It begins anew when what was said (heard) has become longer. */
export function useSaying(workflow: string, heard: number): Saying {
  const [saying, say] = useState(nothing);
  useEffect(() => say(nothing), [heard]);
  useEffect(
    () =>
      hear((event) => {
        const piece = JSON.parse(event.data) as Piece;
        if (piece.agent !== 'planner' || piece.workflow !== workflow) return;
        say((before) => {
          const { text, tool } = piece.begins ? nothing : before;
          return { text: (text + (piece.text ?? '')).slice(0, most), tool: piece.tool ?? tool };
        });
      }),
    [workflow],
  );
  return saying;
}
