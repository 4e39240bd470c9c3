const LIST = 'GET https://api.football.example/v2/matches';
const CLUBS = ['SV Werder', '1. FC Köln', 'Hertha', 'Świt', '浦和', 'St. Pauli'];
const DONE = ['FINISHED', 'PENALTIES'];
const old = (m) => ({ id: m.id, utcDate: m.at, status: m.state === 'PENALTIES' ? 'FINISHED' : m.state, homeTeam: { id: 1, name: m.home }, awayTeam: { id: 2, name: m.away }, score: { winner: null, duration: m.pens ? 'PENALTY_SHOOTOUT' : 'REGULAR', fullTime: { homeTeam: m.goals && m.goals[0], awayTeam: m.goals && m.goals[1] } } });
const v4 = (m) => { const o = old(m); if (o.status === 'SCHEDULED' && m.timed) o.status = 'TIMED'; o.score.fullTime = { home: m.goals && m.goals[0], away: m.goals && m.goals[1] }; o.homeTeam.tla = 'AAA'; o.awayTeam.tla = 'BBB'; return o; };
const pens = (m) => { const o = old(m); if (m.pens) { o.score.fullTime = { homeTeam: m.goals[0] + m.pens[0], awayTeam: m.goals[1] + m.pens[1] }; o.score.penalties = { homeTeam: m.pens[0], awayTeam: m.pens[1] }; } return o; };
const SHORT = { SCHEDULED: 'NS', IN_PLAY: '2H', PAUSED: 'HT', FINISHED: 'FT', PENALTIES: 'PEN', POSTPONED: 'PST' };
const fixture = (m) => ({ fixture: { id: m.id, timestamp: Date.parse(m.at) / 1000, timezone: 'UTC', status: { long: '', short: SHORT[m.state] } }, teams: { home: { id: 1, name: m.home }, away: { id: 2, name: m.away } }, goals: { home: m.goals && m.goals[0], away: m.goals && m.goals[1] } });
const TAKE = 'const { matches } = await response.json();';
const BACK = `const WORDS = { NS: 'SCHEDULED', TBD: 'SCHEDULED', '1H': 'IN_PLAY', HT: 'PAUSED', '2H': 'IN_PLAY', FT: 'FINISHED', AET: 'FINISHED', PEN: 'FINISHED', PST: 'POSTPONED' };
const back = (r) => ({ utcDate: new Date(r.fixture.timestamp * 1000).toISOString(), status: WORDS[r.fixture.status.short], homeTeam: r.teams.home, awayTeam: r.teams.away, score: { fullTime: { homeTeam: r.goals.home, awayTeam: r.goals.away } } });
`;
const V4 = "if (m.status === 'SCHEDULED') lines";
export default {
  source: 'https://github.com/wtfutil/wtf/pull/2177 and https://github.com/Zemke/tippspiel2/issues/106: version 4 has home and away for homeTeam and awayTeam of a score and TIMED for matches with a time, so that old readers see 0:0 and nothing; the full-time score counts goals of the shoot-out; another provider of the same data wraps it in response with fixture, teams and goals',
  says: 'Tell the family when our clubs play and how it ended.',
  facts: (day, r) => ({
    day: `2026-03-${String(day % 28 + 1).padStart(2, '0')}`,
    matches: day === 7 ? [] : r.many(2, 7, (i) => {
      const state = r.pick(['SCHEDULED', 'SCHEDULED', 'FINISHED', 'PENALTIES', 'FINISHED', 'IN_PLAY', 'PAUSED', 'POSTPONED']);
      const [home, away] = r.mix(CLUBS), n = r.int(0, 2);
      return { id: day * 10 + i, home, away, state, timed: r.chance(0.7), at: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T${r.int(12, 20)}:${r.pick(['00', '30'])}:00Z`, goals: ['SCHEDULED', 'POSTPONED'].includes(state) ? null : state === 'PENALTIES' ? [n, n] : [r.int(0, 4), r.int(0, 4)], pens: state === 'PENALTIES' ? r.pick([[4, 2], [5, 4], [1, 3]]) : null };
    }),
  }),
  input: (f) => ({ day: f.day, clubs: ['SV Werder', '1. FC Köln', '浦和'] }),
  api: { [LIST]: (f) => ({ count: f.matches.length, matches: f.matches.map(old) }), 'POST https://chat.example/rooms/:room': { ok: true } },
  changes: [{
    name: 'v4',
    happened: 'scores have home and away for homeTeam and awayTeam, matches whose time is known are TIMED and no longer SCHEDULED',
    tells: ['TIMED', ['home', 'fullTime']],
    api: { [LIST]: (f) => ({ filters: {}, resultSet: { count: f.matches.length, played: f.matches.filter((m) => DONE.includes(m.state)).length }, matches: f.matches.map(v4) }) },
    right: {
      'by ??': [['m.score.fullTime.homeTeam || 0', '(m.score.fullTime.homeTeam ?? m.score.fullTime.home) || 0'], ['m.score.fullTime.awayTeam || 0', '(m.score.fullTime.awayTeam ?? m.score.fullTime.away) || 0'], [V4, "if (m.status === 'SCHEDULED' || m.status === 'TIMED') lines"]],
      'normalised': [['for (const m of matches) {', "for (const m of matches) {\n  const full = m.score.fullTime;\n  if ('home' in full) m.score.fullTime = { homeTeam: full.home, awayTeam: full.away };\n  if (m.status === 'TIMED') m.status = 'SCHEDULED';"]],
      'lists of words': [['const LIVE', "const AHEAD = new Set(['SCHEDULED', 'TIMED']);\nconst LIVE"], ["m.status === 'SCHEDULED'", 'AHEAD.has(m.status)'], ['const goals = (m) => ({ home: m.score.fullTime.homeTeam || 0, away: m.score.fullTime.awayTeam || 0 });', 'const goals = ({ score: { fullTime } }) => {\n  const { homeTeam, awayTeam, home = homeTeam, away = awayTeam } = fullTime;\n  return { home: home || 0, away: away || 0 };\n};']],
    },
    wrong: {
      'only goals': [['m.score.fullTime.homeTeam || 0', 'm.score.fullTime.homeTeam || m.score.fullTime.home || 0'], ['m.score.fullTime.awayTeam || 0', 'm.score.fullTime.awayTeam || m.score.fullTime.away || 0']],
      'only times': [[V4, "if (['SCHEDULED', 'TIMED'].includes(m.status)) lines"]],
      'home twice': [['m.score.fullTime.homeTeam || 0', 'm.score.fullTime.homeTeam || m.score.fullTime.home || 0'], ['m.score.fullTime.awayTeam || 0', 'm.score.fullTime.awayTeam || m.score.fullTime.home || 0'], [V4, "if (['SCHEDULED', 'TIMED'].includes(m.status)) lines"]],
      'no scores yet': [['m.score.fullTime.homeTeam || 0', 'm.score.fullTime.homeTeam || m.score.fullTime.home || 0'], ['m.score.fullTime.awayTeam || 0', 'm.score.fullTime.awayTeam || m.score.fullTime.away || 0'], [V4, 'if (m.score.fullTime.home === null || m.score.fullTime.homeTeam === null) lines']],
    },
  }, {
    name: 'shoot-out',
    happened: 'the full-time score of a match with a shoot-out has its goals, which penalties has by themselves',
    tells: ['penalties'],
    api: { [LIST]: (f) => ({ count: f.matches.length, matches: f.matches.map(pens) }) },
    right: {
      'taken off': [['m.score.fullTime.homeTeam || 0', '(m.score.fullTime.homeTeam || 0) - (m.score.penalties?.homeTeam || 0)'], ['m.score.fullTime.awayTeam || 0', '(m.score.fullTime.awayTeam || 0) - (m.score.penalties?.awayTeam || 0)']],
      'in the loop': [['const { home, away } = goals(m);', 'let { home, away } = goals(m);\n  if (m.score.penalties) {\n    home -= m.score.penalties.homeTeam;\n    away -= m.score.penalties.awayTeam;\n  }']],
      'a helper of a side': [['const goals = (m) => ({ home: m.score.fullTime.homeTeam || 0, away: m.score.fullTime.awayTeam || 0 });', 'const played = ({ fullTime, penalties = {} }, side) => (fullTime[side] ?? 0) - (penalties[side] ?? 0);\nconst goals = (m) => ({ home: played(m.score, "homeTeam"), away: played(m.score, "awayTeam") });']],
    },
    wrong: {
      'one side': [['m.score.fullTime.homeTeam || 0', '(m.score.fullTime.homeTeam || 0) - (m.score.penalties?.homeTeam || 0)']],
      'only penalties': [['m.score.fullTime.homeTeam || 0', '(m.score.penalties ?? m.score.fullTime).homeTeam || 0'], ['m.score.fullTime.awayTeam || 0', '(m.score.penalties ?? m.score.fullTime).awayTeam || 0']],
      'left out': [["if (m.status === 'FINISHED') {", "if (m.status === 'FINISHED' && !m.score.penalties) {"]],
      'crossed': [['m.score.fullTime.homeTeam || 0', '(m.score.fullTime.homeTeam || 0) - (m.score.penalties?.awayTeam || 0)'], ['m.score.fullTime.awayTeam || 0', '(m.score.fullTime.awayTeam || 0) - (m.score.penalties?.homeTeam || 0)']],
    },
  }, {
    name: 'fixtures',
    happened: 'response is a list of fixture, teams and goals; the state is a short word in status.short, and a time is seconds',
    tells: ['matches', 'response'],
    api: { [LIST]: (f) => ({ results: f.matches.length, errors: [], paging: { current: 1, total: 1 }, response: f.matches.map(fixture) }) },
    right: {
      'put back': [[TAKE, BACK + 'const answer = await response.json();\nconst matches = answer.matches ?? answer.response.map(back);']],
      'an if': [[TAKE, `const body = await response.json();
const matches = body.matches || [];
if (body.response) for (const { fixture, teams, goals } of body.response) {
  const s = fixture.status.short;
  const status = s === 'NS' ? 'SCHEDULED' : s === 'FT' || s === 'AET' || s === 'PEN' ? 'FINISHED' : ['1H', 'HT', '2H', 'ET'].includes(s) ? 'IN_PLAY' : s;
  matches.push({ status, utcDate: fixture.timestamp * 1000, homeTeam: teams.home, awayTeam: teams.away, score: { fullTime: { homeTeam: goals.home, awayTeam: goals.away } } });
}`]],
      'at each place': [
        [TAKE, 'const { matches, response: given } = await response.json();'], ['for (const m of matches) {', 'for (const m of matches ?? given.map((one) => ({ ...one, ...{ homeTeam: one.teams.home, awayTeam: one.teams.away } }))) {\n  const short = m.fixture?.status.short;'],
        ["m.status === 'SCHEDULED'", "(short ?? m.status) === (short ? 'NS' : 'SCHEDULED')"], ['clock(m.utcDate)', 'clock(m.utcDate ?? m.fixture.timestamp * 1000)'], ["'PAUSED']", "'PAUSED', '1H', 'HT', '2H']"], ['LIVE.includes(m.status)', 'LIVE.includes(short ?? m.status)'],
        ["m.status === 'FINISHED'", "m.status === 'FINISHED' || ['FT', 'AET', 'PEN'].includes(short)"], ['m.score.fullTime.homeTeam || 0', '(m.goals ? m.goals.home : m.score.fullTime.homeTeam) || 0'], ['m.score.fullTime.awayTeam || 0', '(m.goals ? m.goals.away : m.score.fullTime.awayTeam) || 0'],
      ],
    },
    wrong: {
      'no matches': [[TAKE, 'const { matches = [] } = await response.json();']],
      'no shoot-outs': [[TAKE, BACK.replace("PEN: 'FINISHED', ", '') + 'const answer = await response.json();\nconst matches = answer.matches ?? answer.response.map(back);']],
      'milliseconds': [[TAKE, BACK.replace(' * 1000', '') + 'const answer = await response.json();\nconst matches = answer.matches ?? answer.response.map(back);']],
      'words as they are': [[TAKE, BACK.replace('WORDS[r.fixture.status.short]', 'r.fixture.status.short') + 'const answer = await response.json();\nconst matches = answer.matches ?? answer.response.map(back);']],
    },
  }],
};
