/** Which of the images that we run on are old, and what has been pushed since. */
interface Tag { name: string; full_size: number; last_updated: string; images: Array<{ architecture: string; digest?: string; size: number; status: 'active' | 'inactive' }> }
interface TagList { count: number; next: string | null; previous: string | null; results: Tag[] }
interface Deployment { service: string; image: string; arch?: string }

const HUB = 'https://hub.example/v2';
const MB = 1024 * 1024;

async function* tags(repository: string): AsyncGenerator<Tag, void, undefined> {
  let url: string | null = `${HUB}/repositories/${repository}/tags?page_size=2&ordering=last_updated`;
  while (url) {
    const answer: Response = await fetch(url);
    if (answer.status === 404) return;
    if (!answer.ok) throw new Error(`${repository}: hub answered ${answer.status}`);
    const { results, next } = (await answer.json()) as TagList;
    for (const tag of results) yield tag;
    url = next;
  }
}

const split = (image: string): [string, string] => {
  const [name, tag = 'latest'] = image.split(':');
  return [name.includes('/') ? name : `library/${name}`, tag];
};

const digestOf = (tag: Tag, arch: string): string | undefined => tag.images.find((i) => i.architecture === arch && i.status === 'active')?.digest?.replace('sha256:', '').slice(0, 12);

async function check({ service, image, arch = 'amd64' }: Deployment, now: number) {
  const [repository, wanted] = split(image);
  let ours: Tag | undefined;
  let total = 0;
  for await (const tag of tags(repository)) {
    total += 1;
    if (tag.name === wanted) ours = tag;
  }
  if (!ours) return { service, image, days: null, digest: null, total };
  const days = Math.floor((now - Date.parse(ours.last_updated)) / 86_400_000);
  return { service, image, days, digest: digestOf(ours, arch) ?? null, total, mb: Math.round(ours.full_size / MB) };
}

export default async function imageAge({ slot, maxDays = 90 }: { slot: string; maxDays?: number }) {
  const response = await fetch('https://cluster.example/api/deployments', { headers: { Authorization: `Bearer ${process.env.CLUSTER_TOKEN}` } });
  if (!response.ok) throw new Error(`cluster: ${response.status}`);
  const deployments: Deployment[] = await response.json();
  const known: Record<string, string> = (await kv.get('digests')) ?? {};
  const lines: string[] = [];
  for (const d of deployments) {
    const { days, digest, total, mb } = await check(d, Date.parse(slot));
    if (days === null) lines.push(`${d.service}: ${d.image} is not among ${total} tags`);
    else if (days > maxDays) lines.push(`${d.service}: ${d.image} is ${days} days old (${mb} MB)`);
    else if (digest && known[d.image] && known[d.image] !== digest) lines.push(`${d.service}: ${d.image} was pushed again, ${known[d.image]} is ${digest}`);
    if (digest) known[d.image] = digest;
  }
  await kv.set('digests', known);
  if (lines.length) await fetch('https://chat.example/hooks/ops', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ text: lines.join('\n') }) });
  return { deployments: deployments.length, lines };
}
