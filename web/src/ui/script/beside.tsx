import { MergeView } from '@codemirror/merge';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { asScript, readOnly } from './codemirror';

/** Two whole scripts side by side, in colours; what is the same is folded. */
export default function Beside({ before, after, labels }: { before: string; after: string; labels: [string, string] }) {
  const place = useRef<HTMLDivElement>(null);
  const [from, to] = labels;
  useEffect(() => {
    const made = new MergeView({
      parent: place.current!,
      a: { doc: before, extensions: asScript(`Version ${from}`, readOnly, EditorView.lineWrapping) },
      b: { doc: after, extensions: asScript(`Version ${to}`, readOnly, EditorView.lineWrapping) },
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => made.destroy();
  }, [before, after, from, to]);
  return <div ref={place} className="overflow-auto rounded-lg border border-line" />;
}
