// The calls that a script may make, for completion: read from the reference that the program itself writes.
import reference from '../../../../docs/scripts.md?raw';

export type HostCall = { name: string; about: string };

export function readReference(text: string): HostCall[] {
  const calls: HostCall[] = [];
  for (const line of text.split('\n')) {
    const said = /^- `([^`]+)`(.*)$/.exec(line);
    if (!said) continue;
    const name = /^[\w.]+/.exec(said[1]!)?.[0];
    if (name) calls.push({ name, about: `${said[1]}${said[2]}` });
  }
  return calls;
}

export const host = readReference(reference);
