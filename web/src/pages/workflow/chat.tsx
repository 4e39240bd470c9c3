import { queryOptions, useQuery } from '@tanstack/react-query';
import { type FormEvent, Suspense, useEffect, useRef, useState } from 'react';
import { Link } from '../../navigation';
import { get, path, post } from '../../api/client';
import { notificationsQuery, scriptQuery } from '../../api/queries';
import { useMay } from '../../api/session';
import type { TalkLine, Thread, Turn, Workflow } from '../../api/types';
import { useSaying } from '../../api/words';
import { useAct } from '../../ui/base/act';
import { Button, Moment, Outside, plain, Section, Spinner } from '../../ui/base/basics';
import { Written } from '../../ui/base/markdown';
import { Empty, Failed, Loading, Refused } from '../../ui/base/states';
import { Value } from '../../ui/base/value';
import { toolWords } from '../../words/status';
import { WorkflowFrame } from './frame';
import { later } from '../../later';

const Tried = later(() => import('../../ui/script/dryrun').then(({ Tried }) => ({ default: Tried })));

export default function ChatPage() {
  return <WorkflowFrame>{(one) => <Chat one={one} />}</WorkflowFrame>;
}

/** The conversation with the planner, and a place to say more. Repairs have threads of their own, which are not here. */
function Chat({ one }: { one: Workflow }) {
  const threads = useQuery({
    queryKey: ['workflow', one.id, 'threads'],
    queryFn: async ({ signal }) => (await get(path('/workflows/{workflow}/threads', one.id), { kind: 'planner' }, signal)).items,
  });
  const notices = useQuery(notificationsQuery());
  const question = notices.data?.find((notice) => notice.workflow === one.id && notice.type === 'question' && !notice.run);
  if (threads.isPending) return <Loading what="the conversation" />;
  if (threads.isError) return <Failed error={threads.error} what="conversation" />;
  const open = threads.data[0] && !threads.data[0].closed ? threads.data[0] : undefined;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="card flex flex-col p-4">
        {threads.data.length === 0 && <Empty title="Nothing was said yet">Say in your own words what it should do, or do otherwise. The planner tries it out without writing anything, and asks you what it has to know.</Empty>}
        {threads.data.slice(0, 5).reverse().map((thread) => <Talk key={thread.id} thread={thread} />)}
        {open && !question && <AtWork thread={open} />}
        {one.version !== '' && <p className="text-sm text-soft">The script is <Link className="link" to="/workflows/:id/script" params={{ id: one.id }}>version {one.version}</Link> now.</p>}
        <Say one={one} asks={question !== undefined} options={question?.options ?? []} begun={threads.data.length > 0} />
      </div>
      <Draft one={one} thread={threads.data[0]} />
    </div>
  );
}

const threadQuery = (thread: Thread) =>
  queryOptions({
    queryKey: ['workflow', thread.workflow, 'thread', thread.id],
    queryFn: ({ signal }) => get(path('/threads/{thread}', thread.id), {}, signal),
  });

/** The planner's words, as they come. */
function AtWork({ thread }: { thread: Thread }) {
  const heard = useQuery(threadQuery(thread)).data?.conversation?.length ?? 0;
  const { text, tool } = useSaying(thread.workflow, heard);
  return (
    <>
      {text && <div className="mr-auto max-w-[48rem] rounded-xl bg-sunken px-3.5 py-2.5"><span className="sr-only">The planner says: </span><Written text={text} /></div>}
      <p role="status" className="my-2 flex items-center gap-2 text-sm text-soft">
        <Spinner /> {thread.missing ? <>No language model answers: <Outside text={thread.missing} /></> : tool ? `The planner ${toolWords[tool] ?? `uses ${plain(tool)}`}.` : 'The planner is at work.'}
      </p>
    </>
  );
}

/** The script that is spoken of, as the planner wrote it last or as it is, and what a run of it would do. */
function Draft({ one, thread }: { one: Workflow; thread: Thread | undefined }) {
  const talk = useQuery({ ...threadQuery(thread ?? { workflow: one.id, id: '' } as Thread), enabled: thread !== undefined });
  const saved = useQuery({ ...scriptQuery(one.id, 'active'), enabled: one.version !== '' });
  const may = useMay('run');
  const written = thread?.closed ? undefined : writtenIn(talk.data?.conversation ?? []);
  const code = written ?? saved.data?.value.code;
  const [tried, tryIt] = useState<string>();
  if (code === undefined) return null;
  const draft = written !== undefined && written !== saved.data?.value.code;
  return (
    <Section title={draft ? 'The draft' : `The script, version ${one.version}`} id="draft" aside={draft && <span className="text-sm text-soft">not saved yet</span>}>
      <pre tabIndex={0} role="group" aria-label={draft ? 'The draft of the script' : 'The script'} className="max-h-[28rem] overflow-auto rounded-md bg-sunken p-3 font-mono text-xs">{plain(code.slice(0, 50_000))}</pre>
      {may && tried !== code && <Button className="mt-3" onClick={() => tryIt(code)}>What would it do now?</Button>}
      {tried === code && <div className="mt-3"><Suspense fallback={<Loading what="what it would do" />}><Tried workflow={one.id} code={draft ? code : undefined} /></Suspense></div>}
    </Section>
  );
}

/** The code that the planner tried or saved last. */
function writtenIn(conversation: Turn[]): string | undefined {
  for (const turn of conversation.toReversed()) {
    const args: unknown = turn.invoked?.args;
    if (args && typeof args === 'object' && 'code' in args && typeof args.code === 'string') return args.code;
  }
  return undefined;
}

function Talk({ thread }: { thread: Thread }) {
  const asked = useQuery(threadQuery(thread));
  if (asked.isPending) return <Loading what="what was said" />;
  if (asked.isError) return <Failed error={asked.error} what="conversation" />;
  const talk = asked.data;
  return (
    <section aria-label={plain(thread.title)} className="mb-3 border-b border-line pb-3">
      <p className="mb-2 text-sm text-soft"><Moment at={thread.opened} /></p>
      <ol className="space-y-2">{(talk.talk ?? []).map((line, i) => <Said key={i} line={line} calls={talk.conversation ?? []} />)}</ol>
    </section>
  );
}

const bubble = 'max-w-[48rem] rounded-xl px-3.5 py-2.5';

function Said({ line, calls }: { line: TalkLine; calls: Turn[] }) {
  if (line.by === 'person') return <li className={`${bubble} ml-auto bg-goldwash`}><span className="sr-only">You: </span><Outside text={line.text} /></li>;
  if (line.by === 'planner') {
    return <li className={`${bubble} mr-auto bg-sunken ${line.question ? 'border-l-4 border-gold' : ''}`}><span className="sr-only">The planner {line.question ? 'asks' : 'says'}: </span><Written text={line.text} /></li>;
  }
  const call = calls.find((turn) => turn.revision === line.revision)?.invoked;
  const result = calls.find((turn) => call && turn.resulted?.call === call.call)?.resulted;
  const said = <span className={line.failed ? 'text-bad' : ''}><Outside text={line.text} /></span>;
  if (!call) return <li className="text-sm text-soft">{said}</li>;
  return (
    <li>
      <details className="text-sm text-soft">
        <summary>{said}</summary>
        <Value value={{ given: call.args, came: result?.result ?? result?.error } as never} label={line.text} />
      </details>
    </li>
  );
}

const templates = ['Run it every weekday at 9.', 'Tell me only when something changed.', 'Explain in plain words what it does.'];

function Say({ one, asks, options, begun }: { one: Workflow; asks: boolean; options: string[]; begun: boolean }) {
  const may = useMay('edit');
  const [text, write] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const send = useAct((said: string) => post(path('/workflows/{workflow}/messages', one.id), { text: said }), { done: () => write('') });
  useEffect(() => {
    if (begun) field.current?.scrollIntoView({ block: 'nearest' });
  }, [begun]);
  if (!may) return null;
  const suggested = asks ? options : begun ? [] : templates;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(text.trim());
  };
  return (
    <form onSubmit={submit} className="mt-2">
      {suggested.length > 0 && (
        <div className="mb-2 flex flex-wrap gap-2">
          {suggested.map((one) => <Button key={one} className="text-left whitespace-normal!" onClick={() => (asks ? send.mutate(one) : write(one))} disabled={send.isPending}>{plain(one)}</Button>)}
        </div>
      )}
      <div className="flex items-end gap-2">
        <label className="min-w-0 flex-1">
          <span className="mb-1 block text-sm font-semibold">{asks ? 'Your answer' : 'What should it do, or do otherwise?'}</span>
          <textarea
            ref={field}
            className="field w-full"
            rows={2}
            value={text}
            required
            onChange={(event) => write(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || text.trim() === '') return;
              event.preventDefault();
              send.mutate(text.trim());
            }}
          />
        </label>
        <Button type="submit" look="primary" busy={send.isPending}>Send</Button>
      </div>
      <Refused error={send.error} />
    </form>
  );
}
