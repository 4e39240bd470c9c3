import { useQuery } from '@tanstack/react-query';
import { go, useSearch } from '../navigation';
import { path, post } from '../api/client';
import { notificationsQuery } from '../api/queries';
import { useMay } from '../api/session';
import { Ask } from '../ui/base/act';
import { Heading } from '../ui/base/basics';
import { Notice } from '../ui/notice/notice';
import { Choice } from '../ui/run/runlist';
import { Empty, Failed, Loading } from '../ui/base/states';
import { told, Ways } from '../ui/base/ways';
import { groupOf, inRows } from '../words/notify';
import { count } from '../words/time';

export default function NotificationsPage() {
  const { all } = useSearch<{ all: string }>();
  const decide = useMay('decide');
  const asked = useQuery(notificationsQuery(all !== undefined));
  const tells = (asked.data ?? []).filter((one) => groupOf(one) !== 'needs' && !one.acknowledged);
  if (asked.isPending) return <><Heading title="Notices" /><Loading what="the notices" /></>;
  return (
    <>
      <Heading title="Notices">
        <Choice label="show" value={all ? 'all' : ''} options={{ '': 'not seen yet', all: 'all' }} change={(next) => void go({ to: '/notifications', search: next ? { all: '1' } : {} })} />
        {decide && tells.length > 0 && !all && (
          <Ask
            word="I have seen those that only tell"
            title={`You have seen ${count(tells.length, 'notice')}`}
            said={`${count(tells.length, 'notice')} seen.`}
            act={async () => {
              for (const one of tells) await post(path('/notifications/{notification}/acknowledge', one.id));
            }}
          >
            <p>What needs you stays. They are all kept, under “all”.</p>
          </Ask>
        )}
      </Heading>
      <Ways label="What is told and waits" ways={told} />
      <div className="card px-4 py-1">
        {asked.isError ? <Failed error={asked.error} what="the notices" />
          : asked.data.length === 0 ? <Empty title="There is nothing that you have not seen" />
          : <ul className="divide-y divide-line">{inRows(asked.data).map(([first, ...others]) => <Notice key={first!.id} one={first!} others={others} />)}</ul>}
      </div>
    </>
  );
}
