// All editors of scripts have this in common. It is loaded with the first of them.
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { nonce } from '../../nonce';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--gold)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--info)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '12.5px', backgroundColor: 'var(--card)', color: 'var(--ink)', maxHeight: '70vh' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--soft)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--gold)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--gold) 30%, transparent) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-collapsedLines': { backgroundImage: 'none', backgroundColor: 'var(--sunken)', color: 'var(--soft)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯" !important' },
  '.cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--good) 12%, transparent) !important' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--bad) 12%, transparent) !important' },
});

/** A script as code, with the styles that the page's rules let run. */
export function asScript(label: string, ...more: Extension[]): Extension[] {
  return [
    EditorView.cspNonce.of(nonce()),
    lineNumbers(),
    highlightSpecialChars(),
    bracketMatching(),
    javascript(),
    syntaxHighlighting(colours),
    look,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    ...more,
  ];
}

export const readOnly: Extension = [EditorState.readOnly.of(true), EditorView.contentAttributes.of({ tabindex: '0' })];
