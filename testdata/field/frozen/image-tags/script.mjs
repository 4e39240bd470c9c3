const REGISTRY = 'https://hub.example/v2/repositories';

const semver = (name) => {
  const m = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(name);
  return m && m.slice(1).map(Number);
};

const newer = (a, b) => {
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
};

/** All tags of a repository: each page names the next one. */
const tags = async (repository, url = `${REGISTRY}/${repository}/tags?page_size=3`) => {
  const res = await fetch(url);
  if (res.status === 404) return [];
  if (!res.ok) throw new Error(`${repository}: registry said ${res.status}`);
  const { results, next } = await res.json();
  return next ? results.concat(await tags(repository, next)) : results;
};

async function newest(repository, arch) {
  const all = await tags(repository);
  return all
    .map((tag) => ({ tag, version: semver(tag.name), image: tag.images.find((i) => i.architecture === arch) }))
    .filter((t) => t.version && t.image)
    .sort((a, b) => newer(b.version, a.version))
    .map(({ tag, image }) => ({ name: tag.name, digest: image.digest, mb: Math.round(image.size / 1048576), pushed: tag.last_updated.slice(0, 10) }))[0];
}

export default async function ({ repositories = ['acme/api', 'acme/web'], arch = 'amd64' } = {}) {
  const changes = [];
  for (const repository of repositories) {
    const found = await newest(repository, arch);
    const known = await kv.get(`image/${repository}`);
    if (!found || (known && known.name === found.name && known.digest === found.digest)) continue;
    await kv.set(`image/${repository}`, found);
    changes.push(`${repository} ${known?.name ?? 'nothing'} -> ${found.name} (${found.mb} MB, ${found.pushed})`);
    const hook = await fetch('https://deploy.example/hooks/image', { method: 'POST', body: JSON.stringify({ image: `${repository}@${found.digest}` }) });
    if (!hook.ok) throw new Error('deploy: ' + hook.status);
  }
  if (changes.length) await notify('New images', changes.join('\n'));
  return changes.length;
}
