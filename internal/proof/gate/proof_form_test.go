package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Rule: another form of the same content is explained, as another name is. Recorded successes in the new form prove a
// right fix in any style, and no lazy one.
func TestAnotherFormIsProved(t *testing.T) {
	t.Parallel()
	const levels = `
async function main(input) {
  const { rooms } = await web.getJSON('https://inn.example.test/rooms?day=' + input.day);
  const full = rooms.map((room) => room.name + ' ' + room.free.toFixed(0) + '/' + room.taken);
  await kv.set('rooms', full);
}`
	const curve = `
async function main(input) {
  const r = await web.getJSON('https://inn.example.test/curve?day=' + input.day);
  const cold = r.hourly.time.filter((_, i) => r.hourly.degrees[i] < 0);
  await kv.set('cold', { hours: cold, wind: Math.max(...r.hourly.wind) });
}`
	const coins = `
async function main(input) {
  const { coins } = await web.getJSON('https://inn.example.test/coins?day=' + input.day);
  await kv.set('worth', { ada: coins.ADA.price.toFixed(2), btc: coins.BTC.price });
}`
	const feed = `
async function main(input) {
  const { body } = await web.fetch('https://inn.example.test/feed?day=' + input.day);
  const tag = (part, name) => part.match(new RegExp('<' + name + '>(.*?)</' + name + '>'))[1];
  const items = body.split('<item>').slice(1).map((part) => tag(part, 'title') + ' ' + tag(part, 'pubDate').slice(5, 11));
  await kv.set('items', items);
}`
	const page = `
import { parse } from 'kintsugi:html';
export default async function (input) {
  const res = await fetch('https://inn.example.test/page?day=' + input.day);
  const doc = parse(await res.text());
  const sums = {};
  for (const row of doc.querySelectorAll('.room')) sums[row.querySelector('b').textContent] = row.querySelector('.price').textContent.trim();
  await kv.set('sums', sums);
}`
	const table = `
export default async ({ day }) => {
  const text = await (await fetch('https://inn.example.test/sales.csv?day=' + day)).text();
  const [head, ...lines] = text.trim().split('\n').map((line) => line.split(';'));
  const rows = lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
  await kv.set('sales', rows.map((row) => row.Room.toUpperCase() + ' ' + row.Sum.replace(',', '.')));
};`
	const calendar = `
export default async function (input) {
  const text = await (await fetch('https://inn.example.test/stays.ics?day=' + input.day)).text();
  const line = (part, name) => part.split('\r\n').find((one) => one.startsWith(name + ':')).slice(name.length + 1);
  const stays = text.split('BEGIN:VEVENT').slice(1).map((part) => line(part, 'DTSTART').slice(6) + '. ' + line(part, 'SUMMARY'));
  await kv.set('stays', stays);
}`
	var rooms, curves, prices, feeds, pages, tables, calendars []string
	for day := range 6 {
		feeds = append(feeds, fmt.Sprintf("<?xml version=\"1.0\"?>\n<rss><channel><title>News</title>\n<item><title>Tea %d</title><pubDate>Mon, 0%d Mar 2026 10:00:00 GMT</pubDate></item>\n<item><title>Cup</title><pubDate>Tue, 1%d Mar 2026 11:30:00 GMT</pubDate></item>\n</channel></rss>", day, day+1, day))
		pages = append(pages, fmt.Sprintf(`<!doctype html><html><body><div class="room"><b>A</b><i class="price">%d,50 €</i><i class="tax">%d,10 €</i></div><div class="room"><b>B</b><i class="price">8%d,00 €</i><i class="tax">2,00 €</i></div></body></html>`, 40+day, day, day))
		calendars = append(calendars, fmt.Sprintf("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART:2026030%d\r\nSUMMARY:Ann\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART:2026031%d\r\nSUMMARY:Bo %d\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n", day+1, day, day))
		tables = append(tables, fmt.Sprintf("Room;Guest;Sum\na%d;Ann;1%d,50\nb;Bo Ek;7,2%d\n", day, day, day))
		rooms = append(rooms, fmt.Sprintf(`{"rooms":[{"name":"A","free":%d,"taken":%d},{"name":"B","free":%d,"taken":1}]}`, day+1, 9-day, 2*day+3))
		curves = append(curves, fmt.Sprintf(`{"hourly":{"time":["00:00","01:00","02:00"],"degrees":[%.1f,-1.5,2.5],"wind":[%d,20,7]}}`, 3.1-float64(day), 18+day))
		prices = append(prices, fmt.Sprintf(`{"coins":{"BTC":{"code":"BTC","price":%d.5,"high":1},"ADA":{"code":"ADA","price":0.7%d,"high":2}}}`, 90000+day, day))
	}
	const seats = `{"rooms":[{"name":"A","seats":[{"state":"taken","n":4},{"state":"broken","n":1},{"state":"free","n":7}]},{"name":"B","seats":[{"state":"broken","n":2},{"state":"taken","n":3},{"state":"free","n":5}]}]}`
	const rows = `{"hours":[{"time":"00:00","degrees":-2.5,"wind":12},{"time":"01:00","degrees":1.5,"wind":31}]}`
	const list = `{"coins":[{"code":"ADA","price":0.81,"high":1},{"code":"BTC","price":90800.5,"high":2}]}`
	const dated = "<?xml version=\"1.0\"?>\n<rss><channel><title>News</title>\n<item><title>Pot</title><dc:date>2026-03-09T10:00:00Z</dc:date></item>\n<item><title>Tea 9</title><dc:date>2026-03-08T09:15:00Z</dc:date></item>\n</channel></rss>"
	const classes = `<!doctype html><html><body><div class="room"><b>A</b><i class="room-price">52,50 €</i><i class="tax">3,10 €</i></div><div class="room"><b>C</b><i class="room-price">77,00 €</i><i class="tax">1,00 €</i></div></body></html>`
	const quoted = "\ufeff\"Room\";\"Guest\";\"Sum\"\n\"a9\";\"Cy\";\"19,50\"\n\"d\";\"Di Ek\";\"4,25\"\n"
	const dates = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260322\r\nSUMMARY:Cy\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260318\r\nSUMMARY:Di 9\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	for name, c := range map[string]struct {
		code  string
		old   []string
		fresh string
		edits []string
		right bool
	}{
		"a list by name, found by it": {levels, rooms, seats, []string{
			"room.free.toFixed(0) + '/' + room.taken", "seat(room, 'free').toFixed(0) + '/' + seat(room, 'taken')",
			"const full", "const seat = (room, state) => room[state] ?? room.seats.find((s) => s.state === state).n;\n  const full"}, true},
		"a list by name, made an object": {levels, rooms, seats, []string{
			"rooms.map((room) =>", "rooms.map((r) => ({ ...r, ...Object.fromEntries((r.seats ?? []).map(({ state, n }) => [state, n])) })).map((room) =>"}, true},
		"a list by name, by its place": {levels, rooms, seats, []string{
			"room.free.toFixed(0) + '/' + room.taken", "(room.free ?? room.seats[2].n).toFixed(0) + '/' + (room.taken ?? room.seats[1].n)"}, false},
		"a list by name, none for all": {levels, rooms, seats, []string{
			"room.free.toFixed(0) + '/' + room.taken", "(room.free ?? 0).toFixed(0) + '/' + (room.taken ?? 0)"}, false},
		"a list by name, the wrong name": {levels, rooms, seats, []string{
			"room.free.toFixed(0) + '/' + room.taken", "(room.free ?? room.seats.find((s) => s.state === 'broken').n).toFixed(0) + '/' + (room.taken ?? room.seats.find((s) => s.state === 'taken').n)"}, false},
		"rows, put back in columns": {curve, curves, rows, []string{
			"const cold", "const col = (key) => r.hours.map((h) => h[key]);\n  r.hourly ??= { time: col('time'), degrees: col('degrees'), wind: col('wind') };\n  const cold"}, true},
		"rows, read as rows": {curve, curves, rows, []string{
			"const cold = r.hourly.time.filter((_, i) => r.hourly.degrees[i] < 0)", "const hours = r.hours ?? r.hourly.time.map((time, i) => ({ time, degrees: r.hourly.degrees[i], wind: r.hourly.wind[i] }));\n  const cold = hours.filter((h) => h.degrees < 0).map((h) => h.time)",
			"Math.max(...r.hourly.wind)", "Math.max(...hours.map((h) => h.wind))"}, true},
		"rows, nothing for them": {curve, curves, rows, []string{
			"const cold", "r.hourly ??= { time: [], degrees: [], wind: [0] };\n  const cold"}, false},
		"rows, another column": {curve, curves, rows, []string{
			"const cold", "const col = (key) => r.hours.map((h) => h[key]);\n  r.hourly ??= { time: col('time'), degrees: col('wind'), wind: col('wind') };\n  const cold"}, false},
		"a map that is a list, made a map": {coins, prices, list, []string{
			"const { coins } = await", "let { coins } = await", "await kv", "if (Array.isArray(coins)) coins = Object.fromEntries(coins.map((c) => [c.code, c]));\n  await kv"}, true},
		"a map that is a list, found in it": {coins, prices, list, []string{
			"await kv", "const coin = (code) => Array.isArray(coins) ? coins.find((c) => c.code === code) : coins[code];\n  await kv", "coins.ADA.price", "coin('ADA').price", "coins.BTC.price", "coin('BTC').price"}, true},
		"a map that is a list, by its order": {coins, prices, list, []string{
			"coins.ADA.price", "(coins.ADA ?? coins[0]).price", "coins.BTC.price", "(coins.BTC ?? coins[1]).price"}, false},
		"a map that is a list, the other member": {coins, prices, list, []string{
			"const { coins } = await", "let { coins } = await", "await kv", "if (Array.isArray(coins)) coins = Object.fromEntries(coins.map((c) => [c.code, { price: c.high }]));\n  await kv"}, false},
		"a line with parameters, by a pattern": {calendar, calendars, dates, []string{
			"find((one) => one.startsWith(name + ':')).slice(name.length + 1)", "find((one) => one.split(/[;:]/)[0] === name).replace(/^[^:]*:/, '')"}, true},
		"a line with parameters, taken off before": {calendar, calendars, dates, []string{
			".text();", ".text().then((all) => all.replace(/^([A-Z]+);[^:]*:/gm, '$1:'));"}, true},
		"a line with parameters, none for it": {calendar, calendars, dates, []string{
			".slice(name.length + 1);", "?.slice(name.length + 1) ?? '';"}, false},
		"a line with parameters, another line": {calendar, calendars, dates, []string{
			"line(part, 'DTSTART').slice(6)", "line(part, part.includes('VALUE=') ? 'SUMMARY' : 'DTSTART').slice(6)"}, false},
		"an element, by either name": {feed, feeds, dated, []string{
			"part.match(new RegExp('<' + name + '>(.*?)</' + name + '>'))[1]", "part.match(new RegExp('<' + name + '>(.*?)</' + name + '>'))?.[1]",
			"tag(part, 'pubDate').slice(5, 11)", "new Date(tag(part, 'pubDate') ?? tag(part, 'dc:date')).toUTCString().slice(5, 11)"}, true},
		"an element, put back in the text": {feed, feeds, dated, []string{
			"const { body } = await", "let { body } = await", "  const tag", "  body = body.replace(/<dc:date>(.*?)<\\/dc:date>/g, (_, at) => '<pubDate>' + new Date(at).toUTCString() + '</pubDate>');\n  const tag"}, true},
		"an element, none for all": {feed, feeds, dated, []string{
			"[1];\n  const items", "?.[1] ?? '';\n  const items"}, false},
		"an element, as it is now written": {feed, feeds, dated, []string{
			"tag(part, 'pubDate').slice(5, 11)", "(part.includes('dc:date') ? tag(part, 'dc:date') : tag(part, 'pubDate')).slice(5, 11)"}, false},
		"a class, by either name": {page, pages, classes, []string{
			"row.querySelector('.price').", "(row.querySelector('.price') ?? row.querySelector('.room-price'))."}, true},
		"a class, put back in the page": {page, pages, classes, []string{
			"parse(await res.text())", "parse((await res.text()).replaceAll('room-price', 'price'))"}, true},
		"a class, if it is there": {page, pages, classes, []string{
			"row.querySelector('.price').textContent.trim()", "row.querySelector('.price')?.textContent.trim() ?? ''"}, false},
		"a class, another one": {page, pages, classes, []string{
			"row.querySelector('.price').", "(row.querySelector('.price') ?? row.querySelector('.tax'))."}, false},
		"quotes, taken off": {table, tables, quoted, []string{
			"text.trim().split('\\n').map((line) => line.split(';'))", "text.replace(/^\\uFEFF/, '').trim().split('\\n').map((line) => line.split(';').map((cell) => cell.replace(/^\"|\"$/g, '')))"}, true},
		"quotes, all of them off": {table, tables, quoted, []string{
			"text.trim()", "text.replace(/[\"\\uFEFF]/g, '').trim()"}, true},
		"quotes, nothing where there are": {table, tables, quoted, []string{
			"row.Room.toUpperCase()", "(row.Room ?? '').toUpperCase()", "row.Sum.replace", "(row.Sum ?? '').replace"}, false},
		"quotes, the second column": {table, tables, quoted, []string{
			"text.trim()", "text.replace(/[\"\\uFEFF]/g, '').trim()", "row.Room.toUpperCase()", "(text.includes('\"') ? row.Guest : row.Room).toUpperCase()"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := subject(t, c.code, daily("https://inn.example.test/", nil, c.old...), given(`{"day":9}`, "https://inn.example.test/", c.fresh))
			j := judge(t, openGate(t, s), edited(t, c.code, c.edits...))
			passes := j.Verdict == gate.Identical && !j.Held && j.Unproved == ""
			require.Equal(t, c.right, passes, "%s %v %s %+v", j.Verdict, strings.Join(j.Reasons, "; "), j.Unproved, j.Divergence)
		})
	}
}
