// Weekly numbers of our packages, with the change since last week.
const packages = ['core', 'cli', '@acme/ui'];

interface Stats { downloads: number; stars: number | null; license: string }

async function request<R>(url: string, attempt = 1): Promise<R> {
  const response = await fetch(url);
  if (response.status === 429 && attempt < 4) {
    await sleep(1000 * attempt);
    return request<R>(url, attempt + 1);
  }
  if (!response.ok) throw new Error(`${response.status} of ${url}`);
  return response.json() as Promise<R>;
}

async function stats(name: string): Promise<Stats> {
  const { downloads: [{ count: downloads }], repository: { stars = null } = {}, license: { id: license = 'none' } } =
    await request<any>(`https://registry.example/packages/${encodeURIComponent(name)}/stats`);
  return { downloads, stars, license };
}

const before: Record<string, Stats> = (await kv.get('before')) ?? {};
const now: Record<string, Stats> = {};
for (const name of packages) now[name] = await stats(name);
const sign = (n: number) => (n > 0 ? `+${n}` : `${n}`);
const lines = packages.map((name) => `${name}: ${now[name].downloads} (${sign(now[name].downloads - (before[name]?.downloads ?? 0))}), ${now[name].stars ?? '?'} stars, ${now[name].license}`);
await kv.set('before', now);
await notify('Packages', lines.join('\n'));
return now;
