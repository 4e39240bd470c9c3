const H = 'GET https://dates.example/api/v2/publicholidays/:year/:country', T = 'GET https://hr.example/team';
const old = (h) => ({ date: h.date, localName: h.local, name: h.name, countryCode: h.country, fixed: true, global: h.where === null, counties: h.where && h.where.map((w) => `${h.country}-${w}`), launchYear: null, type: h.kind });
const of = (f, q, shape) => f.holidays.filter((h) => h.country === q.params.country).map(shape);
export default {
  source: 'https://github.com/nager/Nager.Date/issues/496, https://github.com/nager/Nager.Date/issues/599 and https://github.com/nager/Nager.Date/issues/232 (all opened): type became types, a list, and counties are null or codes of regions',
  says: 'Put public holidays of our people into the calendar of the team',
  facts: (day, r) => {
    const date = (n) => new Date(Date.UTC(2026, 0, 1 + day * 5 + n)).toISOString().slice(0, 10);
    return {
      slot: date(0) + 'T06:00:00Z', weeks: r.pick([undefined, 1, 5]),
      team: [{ name: 'Ada', country: 'GB', county: 'ENG' }, { name: 'Jürgen', country: 'DE', county: 'BY' }, { name: '花子', country: 'JP' }, { name: 'Bö', country: 'DE', county: 'BE' }].filter(() => r.chance(0.8)),
      holidays: r.many(day === 6 ? 0 : 3, 9, () => { const [local, name] = r.pick([['Heilige Drei Könige', 'Epiphany'], ['Boxing Day', 'Boxing Day'], ['元日', "New Year's Day"], ['Tag der “Arbeit”', 'Labour Day']]); return { local, name, date: date(r.int(-3, 40)), country: r.pick(['DE', 'DE', 'GB', 'JP']), where: r.pick([null, null, ['BY', 'ENG'], ['BE']]), kind: r.pick(['Public', 'Public', 'Public', 'Bank', 'School']), also: r.chance(0.3) }; }),
    };
  },
  input: (f) => (f.weeks ? { slot: f.slot, weeks: f.weeks } : { slot: f.slot }),
  api: { [H]: (f, q) => { const list = of(f, q, old); return list.length ? list : { $status: 204 }; }, [T]: (f) => f.team, 'POST https://calendar.example/events': (f, q) => ({ id: `ev${q.id}` }) },
  changes: [{
    name: 'types',
    happened: 'type is a list types, and global is not there: counties are null for all of the country',
    tells: [['type', 'types']],
    api: { [H]: (f, q) => of(f, q, (h) => { const { type, global, ...o } = old(h); return { ...o, types: h.also && type !== 'Public' ? [type, 'Optional'] : h.also ? ['Bank', type] : [type] }; }) },
    right: {
      'in place': [["holiday.type === 'Public' && (holiday.global ||", "((holiday as any).types ?? [holiday.type]).includes('Public') && ((holiday.global ?? holiday.counties === null) ||"]],
      'made old': [['return res.json()\n', "const list: any[] = await res.json()\n  return list.map((h) => (h.types ? { ...h, global: h.counties === null, type: h.types.includes('Public') ? 'Public' : h.types[0] } : h))\n"]],
      'steps': [['const isFree = (holiday: Holiday, { country, county }: Member): boolean =>', "const isFree = (holiday: any, member: Member): boolean => {\n  if (!holiday.types) return wasFree(holiday, member)\n  if (holiday.types.indexOf('Public') < 0) return false\n  if (!holiday.counties) return true\n  return holiday.counties.some((c: string) => c === [member.country, member.county].join('-'))\n}\n\nconst wasFree = (holiday: Holiday, { country, county }: Member): boolean =>"]],
    },
    wrong: {
      'the first type': [["holiday.type === 'Public' && (holiday.global ||", "(holiday.type ?? (holiday as any).types[0]) === 'Public' && ((holiday.global ?? holiday.counties === null) ||"]],
      'all types': [["holiday.type === 'Public' && (holiday.global ||", "(holiday.type === 'Public' || (holiday as any).types) && ((holiday.global ?? holiday.counties === null) ||"]],
      'regions only': [["holiday.type === 'Public'", "((holiday as any).types ?? [holiday.type]).includes('Public')"]],
      'all are free': [["holiday.type === 'Public' && (holiday.global ||", "((holiday as any).types ?? [holiday.type]).includes('Public') && ((holiday.global ?? true) ||"]],
    },
  }, {
    name: 'v3-answer',
    happened: 'holidays are in holidays, names are a list by language with en for the English one, dates are observed and actual, and an empty list is a 200 with null',
    tells: [['holidays', 'names', 'date', 'localName']],
    api: { [H]: (f, q) => { const list = of(f, q, (h) => { const { date, localName, name, ...o } = old(h); return { ...o, dates: { actual: date, observed: date.replace(/-\d\d$/, '-28') }, names: h.local === h.name ? [{ lang: 'en', text: name }] : [{ lang: 'xx', text: localName }, { lang: 'en', text: name }] }; }); return { country: q.params.country, holidays: list.length ? list : null }; } },
    right: {
      'made old': [['return res.json()\n', "const body: any = await res.json()\n  if (Array.isArray(body)) return body\n  return (body.holidays ?? []).map(({ dates, names, ...h }: any) => {\n    const name = names.find((n: any) => n.lang === 'en').text\n    return { ...h, date: dates.actual, name, localName: names.find((n: any) => n.lang !== 'en')?.text ?? name }\n  })\n"]],
      'in each place': [['return res.json()\n', 'const body: any = await res.json()\n  return Array.isArray(body) ? body : body.holidays || []\n'], ['if (h.date < from || h.date > until', 'const date = h.date ?? (h as any).dates.actual\n      if (date < from || date > until'], ['const key = `${h.date}/${h.countryCode}/${h.name}`', "const english: string = h.name ?? (h as any).names.at(-1).text\n      const local: string = h.localName ?? (h as any).names[0].text\n      const key = `${date}/${h.countryCode}/${english}`"], ['h.localName === h.name ? h.name : `${h.localName} (${h.name})`', 'local === english ? english : `${local} (${english})`']],
      'a class': [['return res.json()\n', 'const body: any = await res.json()\n  return body.country ? [body.holidays ?? []].flat().map((h: any) => new V3(h) as Holiday) : body\n'], ['const holidays = memo', "class V3 {\n  global; counties; type; countryCode; fixed; date; name; localName\n  constructor({ global, counties, type, countryCode, fixed, dates, names }: any) {\n    Object.assign(this, { global, counties, type, countryCode, fixed, date: dates.actual })\n    const byLang = new Map<string, string>(names.map((n: any) => [n.lang, n.text]))\n    this.name = byLang.get('en')\n    byLang.delete('en')\n    this.localName = [...byLang.values()][0] || this.name\n  }\n}\n\nconst holidays = memo"]],
    },
    wrong: {
      'no holidays': [['return res.json()\n', 'const body: any = await res.json()\n  return Array.isArray(body) ? body : []\n']],
      'observed days': [['return res.json()\n', "const body: any = await res.json()\n  if (Array.isArray(body)) return body\n  return (body.holidays ?? []).map(({ dates, names, ...h }: any) => {\n    const name = names.find((n: any) => n.lang === 'en').text\n    return { ...h, date: dates.observed, name, localName: names.find((n: any) => n.lang !== 'en')?.text ?? name }\n  })\n"]],
      'English only': [['return res.json()\n', "const body: any = await res.json()\n  if (Array.isArray(body)) return body\n  return (body.holidays ?? []).map(({ dates, names, ...h }: any) => {\n    const name = names.find((n: any) => n.lang === 'en').text\n    return { ...h, date: dates.actual, name, localName: name }\n  })\n"]],
      'the first name': [['return res.json()\n', "const body: any = await res.json()\n  if (Array.isArray(body)) return body\n  return (body.holidays ?? []).map(({ dates, names, ...h }: any) => ({ ...h, date: dates.actual, name: names[0].text, localName: names[0].text }))\n"]],
    },
  }, {
    name: 'people-of-hr',
    happened: 'the team is below people, country and county are one code DE-BY below location, and a name is first and last',
    tells: [['people', 'team', 'country', 'location']],
    api: { [T]: (f) => ({ people: f.team.map((m) => ({ firstName: m.name, lastName: '', location: { code: m.county ? `${m.country}-${m.county}` : m.country } })), page: 1 }) },
    right: {
      'made old': [["const team = (await (await fetch('https://hr.example/team')).json()) as Member[]", "const answer: any = await (await fetch('https://hr.example/team')).json()\n  const team: Member[] = Array.isArray(answer) ? answer : answer.people.map((p: any) => {\n    const [country, county] = p.location.code.split('-')\n    return { name: `${p.firstName} ${p.lastName}`.trim(), country, county }\n  })"]],
      'a reader': [["const team = (await (await fetch('https://hr.example/team')).json()) as Member[]", "const team = people(await (await fetch('https://hr.example/team')).json())"], ['export default', "function people(body: any): Member[] {\n  if (!body.people) return body\n  const found: Member[] = []\n  for (const { firstName, lastName, location: { code } } of body.people) {\n    const cut = code.indexOf('-')\n    found.push({ name: [firstName, lastName].filter(Boolean).join(' '), country: code.slice(0, 2), ...(cut > 0 ? { county: code.slice(cut + 1) } : {}) })\n  }\n  return found\n}\n\nexport default"]],
      'in the loop': [['for (const member of team) {', "for (const given of (team as any).people ?? team) {\n    const code = /^([A-Z]+)-?(.*)$/.exec(given.location?.code ?? '')\n    const member: Member = code ? { name: (given.firstName + ' ' + given.lastName).trim(), country: code[1], county: code[2] || undefined } : given"]],
    },
    wrong: {
      'nobody': [['as Member[]', 'as any\n  if (!Array.isArray(team)) return { free: 0, added: 0 }']],
      'no counties': [["const team = (await (await fetch('https://hr.example/team')).json()) as Member[]", "const answer: any = await (await fetch('https://hr.example/team')).json()\n  const team: Member[] = Array.isArray(answer) ? answer : answer.people.map((p: any) => ({ name: p.firstName, country: p.location.code.slice(0, 2) }))"]],
      'the code for the country': [["const team = (await (await fetch('https://hr.example/team')).json()) as Member[]", "const answer: any = await (await fetch('https://hr.example/team')).json()\n  const team: Member[] = Array.isArray(answer) ? answer : answer.people.map((p: any) => ({ name: p.firstName, country: p.location.code }))"]],
    },
  }],
};
