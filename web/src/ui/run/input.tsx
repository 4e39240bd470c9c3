// The input of a run: a form of what the script says it takes, or JSON.
import { useState } from 'react';
import type { Json } from '../../api/types';
import { plain } from '../base/basics';
import { Field } from '../base/field';

type Kind = { type?: string; enum?: Json[]; anyOf?: Kind[]; default?: Json; description?: string };
type Takes = Kind & { properties?: Record<string, Kind>; required?: string[] };

const isObject = (value: unknown): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a server's schema, if a form can be made of it. */
export const formOf = (schema: unknown): Takes | undefined => {
  const takes = isObject(schema) ? (schema as unknown as Takes) : undefined;
  return takes && (!takes.type || takes.type === 'object') && Object.keys(takes.properties ?? {}).length > 0 ? takes : undefined;
};

/** The text of a field becomes a value by how the field asks for it. */
const kindOf = (one: Kind) => one.enum ? 'choice' : one.type ?? (['string', 'number', 'boolean'].includes(typeof one.default) ? typeof one.default : one.anyOf ? 'json' : 'any');

const written = (one: Kind, value: Json | undefined): string => {
  if (value === undefined) return '';
  const kind = kindOf(one);
  return (kind === 'string' || (kind === 'any' && !isJSON(value))) && typeof value === 'string' ? value : kind === 'json' || kind === 'array' || kind === 'object' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
};

/** A field of any type takes a text, unless it can only be meant as JSON. */
const meant = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

const isJSON = (text: Json) => typeof text === 'string' && meant(text) !== text;

const parse = (text: string, what: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new Error(`${what} is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
};

export type Given = { asJSON: boolean; text: string; fields: Record<string, string>; takes: Takes | undefined };

/** The first content of a form: the input that is given otherwise, else nothing. */
export const givenAtFirst = (takes: Takes | undefined, input: Json | undefined): Given => {
  const given = isObject(input) ? input : {};
  const known = Object.keys(takes?.properties ?? {});
  return {
    asJSON: !takes || (input !== undefined && Object.keys(given).some((name) => !known.includes(name))),
    text: JSON.stringify(input ?? takes?.default ?? {}, null, 2),
    fields: Object.fromEntries(known.map((name) => [name, written(takes!.properties![name]!, given[name])])),
    takes,
  };
};

/** The input that was written; throws what is wrong with it. */
export function inputOf(given: Given): Json {
  if (given.asJSON || !given.takes) return parse(given.text, 'This');
  const made: Record<string, Json> = {};
  for (const [name, one] of Object.entries(given.takes.properties ?? {})) {
    const text = given.fields[name] ?? '';
    // A text that has to be there may be empty; of everything else nothing written is nothing given.
    if (text === '' && !(kindOf(one) === 'string' && given.takes.required?.includes(name))) continue;
    made[name] = kindOf(one) === 'string' ? text : kindOf(one) === 'any' ? meant(text) : parse(text, name);
  }
  return made;
}

export function InputFields({ given, change }: { given: Given; change: (given: Given) => void }) {
  const [wrong, say] = useState('');
  const { takes } = given;
  // From one to the other what was written is kept.
  const turn = () => {
    try {
      const value = inputOf(given);
      change(given.asJSON ? { ...givenAtFirst(takes, value), asJSON: false } : { ...given, asJSON: true, text: JSON.stringify(value, null, 2) });
      say('');
    } catch (cause) {
      say(cause instanceof Error ? cause.message : String(cause));
    }
  };
  const put = (name: string, text: string) => change({ ...given, fields: { ...given.fields, [name]: text } });
  return (
    <div className="space-y-3">
      {given.asJSON || !takes ? (
        <Field label="The input, as JSON">
          <textarea className="field w-full font-mono text-xs" rows={8} value={given.text} onChange={(event) => change({ ...given, text: event.target.value })} required spellCheck={false} />
        </Field>
      ) : Object.entries(takes.properties ?? {}).map(([name, one]) => (
        <Field key={name} label={plain(name)} hint={hint(one, takes.required?.includes(name) ?? false)}>
          <One name={name} one={one} required={takes.required?.includes(name) ?? false} text={given.fields[name] ?? ''} write={(text) => put(name, text)} />
        </Field>
      ))}
      {wrong && <p role="alert" className="text-sm text-bad">{wrong}</p>}
      {takes && <button type="button" className="link text-sm" onClick={turn}>{given.asJSON ? 'As a form' : 'As JSON'}</button>}
    </div>
  );
}

const hint = (one: Kind, required: boolean) => {
  const kind = kindOf(one);
  return plain([one.description, one.default !== undefined ? `Left out: ${JSON.stringify(one.default)}.` : required ? '' : 'May be left out.', kind === 'any' ? 'A text, or JSON.' : kind === 'json' || kind === 'array' || kind === 'object' ? 'As JSON.' : ''].filter(Boolean).join(' '));
};

function One({ one, required, text, write }: { name: string; one: Kind; required: boolean; text: string; write: (text: string) => void }) {
  const kind = kindOf(one);
  if (kind === 'choice' || kind === 'boolean') {
    const options = one.enum ?? [true, false];
    return (
      <select className="field w-full" value={text} required={required} onChange={(event) => write(event.target.value)}>
        <option value="">{required ? 'Choose' : 'not given'}</option>
        {options.map((option) => <option key={JSON.stringify(option)} value={JSON.stringify(option)}>{kind === 'boolean' ? (option ? 'yes' : 'no') : plain(typeof option === 'string' ? option : JSON.stringify(option))}</option>)}
      </select>
    );
  }
  if (kind === 'string' || kind === 'any') return <input className="field w-full" value={text} onChange={(event) => write(event.target.value)} />;
  if (kind === 'number') return <input className="field w-full" type="number" step="any" value={text} required={required} onChange={(event) => write(event.target.value)} />;
  return <textarea className="field w-full font-mono text-xs" rows={3} value={text} required={required} onChange={(event) => write(event.target.value)} spellCheck={false} />;
}
