import { parse } from 'kintsugi:html'

type Exam = { course: string; date: string; time: string; room: string; minutes: number }
type Diff = { added: Exam[]; moved: Array<{ from: Exam; to: Exam }>; gone: Exam[] }

const PAGE = 'https://uni.example/exams'
const MONTHS = ['Januar', 'Februar', 'März', 'April', 'Mai', 'Juni', 'Juli', 'August', 'September', 'Oktober', 'November', 'Dezember']

function isoDate(text: string): string {
  const m = /^(\d{1,2})\. (\p{L}+) (\d{4})$/u.exec(text)
  if (!m) throw new Error(`not a date: "${text}"`)
  return [m[3], String(MONTHS.indexOf(m[2]) + 1).padStart(2, '0'), m[1].padStart(2, '0')].join('-')
}

const clean = (el: { textContent: string }) => el.textContent.replace(/\s+/g, ' ').trim()

async function exams(term: string): Promise<Exam[]> {
  const res = await fetch(`${PAGE}?term=${term}`, { headers: { 'accept-language': 'de' } })
  if (!res.ok) throw new Error(`exams: ${res.status}`)
  const table = parse(await res.text()).querySelector('table#exams')
  if (!table) throw new Error('no table of exams')
  const heads: string[] = table.querySelectorAll('th').map(clean)
  const at = (name: string) => heads.indexOf(name)
  return table.querySelectorAll('tbody tr').map((tr): Exam => {
    const tds: string[] = tr.querySelectorAll('td').map(clean)
    const [time, minutes] = tds[at('Zeit')].split(', ')
    return { course: tds[at('Kurs')], date: isoDate(tds[at('Datum')]), time, room: tds[at('Raum')] || 'offen', minutes: parseInt(minutes, 10) }
  })
}

function diff(before: Exam[], now: Exam[]): Diff {
  const old = new Map(before.map((e) => [e.course, e]))
  const found: Diff = { added: [], moved: [], gone: before.filter((e) => !now.some((n) => n.course === e.course)) }
  for (const exam of now) {
    const known = old.get(exam.course)
    if (!known) found.added.push(exam)
    else if (JSON.stringify(known) !== JSON.stringify(exam)) found.moved.push({ from: known, to: exam })
  }
  return found
}

const line = (e: Exam) => `${e.course}: ${e.date} ${e.time} (${e.minutes} min) ${e.room}`

const main = async ({ term }: { term: string }) => {
  const now = await exams(term)
  const { added, moved, gone } = diff(((await kv.get(`exams/${term}`)) as Exam[] | null) ?? [], now)
  if (added.length) await notify('New exams', added.map(line).join('\n'))
  for (const { from, to } of moved) await notify(`${to.course} is otherwise`, `${line(from)}\n→ ${line(to)}`)
  if (gone.length) await notify('Gone', gone.map((e) => e.course).join(', '))
  await kv.set(`exams/${term}`, now)
  return { exams: now.length, minutes: now.reduce((n, e) => n + e.minutes, 0) }
}

export default main
