// Which bins go out tomorrow? The town gives a calendar file for each street.
const CALENDAR = 'https://town.example/waste/calendar.ics?street='

const unfold = (text) => text.replace(/\r?\n[ \t]/g, '')

function* events(ics) {
  let event = null
  for (const line of unfold(ics).split(/\r?\n/)) {
    if (line === 'BEGIN:VEVENT') event = {}
    else if (line === 'END:VEVENT') {
      yield event
      event = null
    } else if (event) {
      const at = line.indexOf(':')
      event[line.slice(0, at)] = line.slice(at + 1).replace(/\\([,;\\])/g, '$1').replace(/\\n/gi, '\n')
    }
  }
}

const dateOf = (value) => value.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

const addDays = (iso, n) => {
  const d = new Date(iso + 'T12:00:00Z')
  d.setUTCDate(d.getUTCDate() + n)
  return d.toISOString().slice(0, 10)
}

const COLOURS = { Restmüll: 'black', Papier: 'blue', Bio: 'brown', Wertstoffe: 'yellow' }

export default async (input) => {
  const response = await fetch(CALENDAR + encodeURIComponent(input.street))
  if (!response.ok) throw new Error(`calendar: ${response.status}`)
  const tomorrow = addDays(input.slot.slice(0, 10), 1)
  const bins = []
  let upcoming = 0
  for (const e of events(await response.text())) {
    const day = dateOf(e['DTSTART;VALUE=DATE'])
    if (day > tomorrow) upcoming++
    if (day !== tomorrow || e.STATUS === 'CANCELLED') continue
    const kind = e.SUMMARY.split(' ')[0]
    bins.push({ kind, colour: COLOURS[kind] ?? 'none', note: e.DESCRIPTION || undefined })
  }
  bins.sort((a, b) => a.kind.localeCompare(b.kind))
  if (bins.length) {
    await notify('Bins for ' + tomorrow, bins.map((b) => `${b.kind} (${b.colour})${b.note ? ': ' + b.note : ''}`).join('\n'))
    for (const { colour } of bins) await web.postJSON('https://lamp.example/api/blink', { colour })
  }
  return { tomorrow, bins: bins.map((b) => b.kind), upcoming }
}
