import { parse } from 'kintsugi:xml';

class Repository {
  constructor(base, { prefix = 'oai_dc', set } = {}) {
    this.base = base;
    this.first = { verb: 'ListRecords', metadataPrefix: prefix, ...(set ? { set } : {}) };
  }

  async request(params) {
    const response = await fetch(`${this.base}?${new URLSearchParams(params)}`);
    if (response.status !== 200) throw new Error(`repository: ${response.status}`);
    const doc = parse(await response.text());
    const error = doc.querySelector('error');
    if (error && error.getAttribute('code') !== 'noRecordsMatch') throw new Error(`repository: ${error.textContent}`);
    return doc;
  }

  async *records(from) {
    let params = { ...this.first, from };
    while (params) {
      const doc = await this.request(params);
      yield* doc.querySelectorAll('record');
      const token = doc.querySelector('resumptionToken');
      params = token && token.textContent.trim() ? { verb: 'ListRecords', resumptionToken: token.textContent.trim() } : null;
    }
  }
}

const text = (record, name) => record.querySelector(name)?.textContent.replace(/\s+/g, ' ').trim() ?? '';

function* interesting(records, words) {
  for (const record of records) {
    if (record.querySelector('header').getAttribute('status') === 'deleted') continue;
    const title = text(record, 'dc\\:title');
    if (!words.some((word) => title.toLowerCase().includes(word))) continue;
    yield { id: text(record, 'identifier').split(':').pop(), title, authors: record.querySelectorAll('dc\\:creator').map((c) => c.textContent.trim()) };
  }
}

export default async ({ words = ['graph'], from }) => {
  const repository = new Repository('https://archive.example/oai', { set: 'cs' });
  const records = [];
  for await (const record of repository.records(from)) records.push(record);
  const papers = [...interesting(records, words)];
  for (const { id, title, authors } of papers.slice(0, 5)) {
    const res = await fetch('https://reading.example/api/items', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.READING_TOKEN },
      body: JSON.stringify({ ref: id, title, by: authors.length > 2 ? `${authors[0]} et al.` : authors.join(' and ') }),
    });
    if (!res.ok) throw new Error(`reading list: ${res.status}`);
  }
  return { records: records.length, papers: papers.length };
};
