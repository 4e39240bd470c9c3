import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { indentOnInput } from '@codemirror/language';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { asScript, readOnly } from './codemirror';
import { host } from './host';

/** A script to read, or with change one to write. */
export default function Editor({ code, label, change }: { code: string; label: string; change?: (code: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const tell = useRef(change);
  tell.current = change;
  const writes = change !== undefined;
  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      doc: code,
      extensions: asScript(
        label,
        writes
          ? [
              history(),
              indentOnInput(),
              autocompletion({ override: [complete] }),
              keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
              EditorView.updateListener.of((update) => update.docChanged && tell.current?.(update.state.doc.toString())),
            ]
          : readOnly,
      ),
    });
    view.current = made;
    return () => made.destroy();
    // The editor keeps its text; only another label makes another editor.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [label, writes]);
  useEffect(() => {
    const now = view.current;
    if (now && !writes && now.state.doc.toString() !== code) now.dispatch({ changes: { from: 0, to: now.state.doc.length, insert: code } });
  }, [code, writes]);
  return (
    <>
      <div ref={place} className="overflow-hidden rounded-lg border border-line" />
      {writes && <p className="mt-1 text-xs text-soft">Tab indents. Press Escape, then Tab, to leave the editor.</p>}
    </>
  );
}

function complete(context: CompletionContext) {
  const word = context.matchBefore(/[\w.]+/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  return { from: word.from, options: host.map(({ name, about }) => ({ label: name, type: 'function', info: about })), validFor: /^[\w.]*$/ };
}
