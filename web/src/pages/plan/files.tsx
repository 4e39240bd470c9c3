// The changes of a job, file by file.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DiffFile, diffQuery } from '../../api/agents';
import { Badge, plain } from '../../ui/base/basics';
import { Diff } from '../../ui/script/diff';
import { Failed, Loading } from '../../ui/base/states';
import { changeWords, sentence } from '../../words/agents';
import { count } from '../../words/time';

const first = 30; // files that are listed at once

export function Files({ plan, job, of, only = false }: { plan: string; job: string; of: string; only?: boolean }) {
  const asked = useQuery(diffQuery(plan, job, of));
  const [all, show] = useState(false);
  if (asked.isPending) return <Loading what="what it changed" />;
  if (asked.isError) return <Failed error={asked.error} what="what it changed" />;
  const outside = asked.data.files.filter((file) => file.outside);
  const files = only ? outside : [...outside, ...asked.data.files.filter((file) => !file.outside)];
  if (files.length === 0) return <p className="text-soft">{only ? 'None of the files is outside of what it may touch.' : 'It changed nothing.'}</p>;
  const shown = all ? files : files.slice(0, first);
  const [from, to] = [asked.data.from.slice(0, 10), asked.data.to.slice(0, 10)];
  return (
    <div className="min-w-0">
      <ul className="space-y-1.5">
        {shown.map((file, i) => <File key={`${file.path} ${i}`} file={file} open={i < 3 && (only || !!file.outside)} />)}
      </ul>
      {shown.length < files.length && <button type="button" className="link mt-2" onClick={() => show(true)}>show all {count(files.length, 'file')}</button>}
      {asked.data.cut && <p className="mt-2 text-sm text-soft">There is more than is shown here: <code className="font-mono text-xs">git diff {from} {to}</code></p>}
    </div>
  );
}

function File({ file, open: begin }: { file: DiffFile; open: boolean }) {
  const [open, set] = useState(begin);
  const name = plain(file.path);
  const hunks = file.patch?.includes('\n@@ ') ?? false;
  return (
    <li className={`rounded-lg border ${file.outside ? 'border-warn' : 'border-line'}`} data-file={file.path} data-outside={file.outside ? 'yes' : undefined}>
      <button type="button" aria-expanded={open} onClick={() => set(!open)} className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5 text-left hover:bg-sunken">
        <span aria-hidden="true" className="text-soft">{open ? '▾' : '▸'}</span>
        <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{file.from ? `${plain(file.from)} → ${name}` : name}</span>
        <span className="text-xs text-soft">{changeWords[file.change] ?? file.change}{file.binary ? ', not text' : ''}</span>
        {file.outside && <Badge tone="warn" title={file.outside}>may not touch</Badge>}
      </button>
      {open && (
        <div className="border-t border-line p-2">
          {file.outside && <p className="mb-1.5 text-sm text-warn">{plain(sentence(file.outside))}.</p>}
          {file.symlink && <p className="mb-1.5 text-sm">It leads to <code className="font-mono text-xs">{plain(file.symlink)}</code>.</p>}
          {file.binary ? <p className="text-sm text-soft">It is not text, so what is in it is not shown.</p>
            : hunks ? <Diff diff={file.patch!} label={`What changed in ${name}`} />
            : <p className="text-sm text-soft">{file.cut ? 'There is too much to show it here.' : 'Nothing in it changed.'}</p>}
        </div>
      )}
    </li>
  );
}
