// Refusals of the server name commands, for people at a terminal. Beside buttons they are said without them.

/** Why something was refused. Of one that came too late the server says by which numbers it knows that: they tell people nothing. */
export const refusedInWords = ({ status, detail, title }: { status: number; detail: string; title: string }) =>
  status === 412 ? 'Somebody, or Kintsugi itself, went on with it after you had looked.' : withoutCommands(detail) || title;

// A command stands in quotes, whose own arguments may be quoted, or after a colon to the end of its line.
const quoted = /'kintsugi (?:[^'\n]|'[^'\n]*' )*?'(?=[\s,.;:)]|$)/g;
const bare = /(?<=: )kintsugi [a-z]\S*(?: .*)?$/gm;

/** "It takes a name. 'kintsugi script show X' says what it takes" without what leads to the command. */
export function withoutCommands(text: string): string {
  const marked = text.replaceAll(quoted, '\0').replaceAll(bare, '\x01');
  const told = marked.split('\n').map((line) => (/[\0\x01]/.test(line) ? line.split(/(?<=[.!?]) +(?=\S)/).map(cut).filter(Boolean).join(' ') || undefined : line));
  return told.filter((line) => line !== undefined).join('\n') || cut(marked.replaceAll('\x01', '\0'));
}

/** A sentence up to where it begins to lead to a command; one that is there for its command alone is nothing. */
function cut(sentence: string): string {
  if (sentence.includes('\x01')) return '';
  const at = sentence.indexOf('\0');
  if (at < 0) return sentence;
  const ends = [...sentence.slice(0, at).matchAll(/[:;,(] ?/g)];
  return ends.length === 0 ? '' : sentence.slice(0, ends.at(-1)!.index).trim();
}

// A call within a text ends where the text goes on, or where it was cut.
const call = (tool: string) => new RegExp(`\\b${tool.replace('.', '\\.')}\\((.*?)(?:\\)|(…))(?=[,;]|\\.? |\\.?$)`, 'g');

/** A text in which calls of a script are said as what they do: `kv.set("runs", 2)` is `"runs" = 2`. */
export const callsInWords = (text: string) =>
  text
    .replace(call('kv.set'), (_, args: string, cut = '') => args.replace(/^("(?:[^"\\]|\\.)*"), ?/, '$1 = ') + cut)
    .replace(call('kv.delete'), '$1 taken away')
    .replace(call('files.write'), (_, args: string, cut = '') => `the file ${args.replace(/^("(?:[^"\\]|\\.)*"), ?/, '$1 with ')}${cut}`)
    .replace(call('notify'), (_, args: string, cut = '') => `the message ${args}${cut}`);
