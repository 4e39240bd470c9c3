// A text of a model, which is Markdown. Nothing in it is HTML, no picture is asked for, and links say where they lead.
import Markdown from 'markdown-to-jsx';
import type { ReactNode } from 'react';
import { plain } from './basics';

const Strong = ({ children }: { children?: ReactNode }) => <p className="font-semibold">{children}</p>;

const overrides = {
  a: ({ href, children }: { href?: string; children?: ReactNode }) =>
    /^https?:/.test(href ?? '') ? <a className="link" href={href} target="_blank" rel="noreferrer">{children}<span className="text-soft"> ({plain(new URL(href!).host)})</span></a> : <>{children}</>,
  img: ({ alt }: { alt?: string }) => <>{alt}</>,
  input: ({ checked }: { checked?: boolean }) => <>{checked ? '☑ ' : '☐ '}</>,
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((level) => [level, Strong])),
};

export function Written({ text }: { text: string }) {
  return (
    <div className="written [overflow-wrap:anywhere] [unicode-bidi:plaintext]">
      <Markdown options={{ disableParsingRawHTML: true, forceBlock: true, forceWrapper: true, overrides }}>{plain(text)}</Markdown>
    </div>
  );
}
