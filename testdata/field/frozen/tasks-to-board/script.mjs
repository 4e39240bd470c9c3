class Http {
  static async json(url, options = {}) {
    for (let attempt = 1; ; attempt++) {
      const res = await fetch(url, options);
      if (res.status >= 500 && attempt < 3) { await sleep(100 * attempt); continue; }
      if (!res.ok) throw new Error(`${options.method ?? 'GET'} ${new URL(url).pathname} -> ${res.status}`);
      return res.json();
    }
  }
}

class Board {
  #cards;
  constructor(cards) { this.#cards = cards; }
  static async load() { return new Board((await kv.get('cards')) ?? {}); }
  async put(task, project) {
    const body = JSON.stringify({ title: task.content, column: project?.name ?? 'Inbox', due: task.due?.date ?? null, tags: task.labels.map((l) => l.toUpperCase()) });
    const id = this.#cards[task.id];
    const headers = { 'content-type': 'application/json' };
    const card = id
      ? await Http.json(`https://board.example/cards/${id}`, { method: 'PATCH', headers, body })
      : await Http.json('https://board.example/cards', { method: 'POST', headers, body });
    this.#cards[task.id] = card.id;
  }
  async save() { await kv.set('cards', this.#cards); }
}

export async function main() {
  const [tasks, projects] = await Promise.all(['tasks', 'projects'].map((what) => Http.json(`https://todo.example/rest/v2/${what}`)));
  const byId = new Map(projects.map((p) => [p.id, p]));
  const board = await Board.load();
  for (const task of tasks) {
    if (task.is_completed) continue;
    await board.put(task, byId.get(task.project_id));
  }
  await board.save();
  return { tasks: tasks.length, projects: byId.size };
}
