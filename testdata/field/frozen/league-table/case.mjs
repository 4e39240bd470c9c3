const M = 'GET https://football.example/v2/competitions/:code/matches', T = 'GET https://football.example/v2/competitions/:code/teams';
const NAMES = [[11, 'FC Köln', 'Köln'], [12, 'Arsenal FC', 'Arsenal'], [13, 'Olympique', null], [14, '浦和レッズ', '浦和'], [15, 'Real “B”', 'Real B']];
const team = ([id, name, shortName]) => ({ id, name, shortName });
const match = (m) => ({ id: m.id, status: m.status, homeTeam: { id: m.home, name: 'x' }, awayTeam: { id: m.away, name: 'y' }, score: { winner: null, fullTime: { homeTeam: m.goals[0], awayTeam: m.goals[1] }, halfTime: { homeTeam: m.half[0], awayTeam: m.half[1] } } });
const teams = (f) => ({ count: f.teams.length, teams: f.teams.map(team) });
export default {
  source: 'https://docs.football-data.org/general/v4 (opened): version 4 flattened structures and made them consistent; goals are home and away, more states of a match (details from memory)',
  says: 'Keep the table of the league as a file and tell me of a new leader',
  facts: (day, r) => {
    const ids = NAMES.slice(0, r.int(3, 5));
    return { teams: ids, matches: r.many(day === 2 ? 0 : 2, 8, (i) => { const [home, away] = r.mix(ids), done = r.chance(0.75), goals = [r.int(0, 4), r.int(0, 4)]; return { id: day * 100 + i, home: home[0], away: away[0], status: done ? 'FINISHED' : 'SCHEDULED', goals: done ? goals : [null, null], half: done ? goals.map((g) => r.int(0, g)) : [null, null] }; }) };
  },
  api: { [M]: (f) => ({ count: f.matches.length, matches: f.matches.map(match) }), [T]: teams },
  changes: [{
    name: 'v4',
    happened: 'goals in score.fullTime are home and away, and a match that is over may also be AWARDED',
    tells: [['fullTime', 'home', 'homeTeam']],
    api: { [M]: (f) => ({ resultSet: { count: f.matches.length }, matches: f.matches.map((m) => ({ ...match(m), status: m.status === 'FINISHED' && m.id % 3 === 0 ? 'AWARDED' : m.status === 'SCHEDULED' ? 'TIMED' : m.status, score: { winner: null, duration: 'REGULAR', fullTime: { home: m.goals[0], away: m.goals[1] }, halfTime: { home: m.half[0], away: m.half[1] } } })) }) },
    right: {
      'in place': [["if (status !== 'FINISHED') continue", "if (status !== 'FINISHED' && status !== 'AWARDED') continue"], ['const { homeTeam: home, awayTeam: away } = score.fullTime', 'const home = score.fullTime.home ?? score.fullTime.homeTeam\n    const away = score.fullTime.away ?? score.fullTime.awayTeam'], ["(m) => m.status === 'FINISHED'", "(m) => m.status === 'FINISHED' || m.status === 'AWARDED'"]],
      'made old': [['const table = {}', "for (const m of matches) {\n    if (m.status === 'AWARDED') m.status = 'FINISHED'\n    const goals = m.score.fullTime\n    if ('home' in goals) m.score.fullTime = { homeTeam: goals.home, awayTeam: goals.away }\n  }\n  const table = {}"]],
      'defaults': [['module.exports', "const over = ['FINISHED', 'AWARDED']\n\nmodule.exports"], ["status !== 'FINISHED'", '!over.includes(status)'], ['const { homeTeam: home, awayTeam: away } = score.fullTime', 'const { home: h, away: a, homeTeam: home = h, awayTeam: away = a } = score.fullTime'], ["m.status === 'FINISHED'", 'over.includes(m.status)']],
    },
    wrong: {
      'no goals': [['const { homeTeam: home, awayTeam: away } = score.fullTime', 'const { homeTeam: home = 0, awayTeam: away = 0 } = score.fullTime'], ["status !== 'FINISHED'", "!['FINISHED', 'AWARDED'].includes(status)"], ["m.status === 'FINISHED'", "['FINISHED', 'AWARDED'].includes(m.status)"]],
      'without awarded ones': [['const { homeTeam: home, awayTeam: away } = score.fullTime', 'const home = score.fullTime.home ?? score.fullTime.homeTeam\n    const away = score.fullTime.away ?? score.fullTime.awayTeam']],
      'half time': [['const { homeTeam: home, awayTeam: away } = score.fullTime', 'const { homeTeam: home, awayTeam: away } = score.fullTime.homeTeam === undefined ? { homeTeam: score.halfTime.home, awayTeam: score.halfTime.away } : score.fullTime'], ["status !== 'FINISHED'", "!['FINISHED', 'AWARDED'].includes(status)"], ["m.status === 'FINISHED'", "['FINISHED', 'AWARDED'].includes(m.status)"]],
      'not counted at the end': [["if (status !== 'FINISHED') continue", "if (status !== 'FINISHED' && status !== 'AWARDED') continue"], ['const { homeTeam: home, awayTeam: away } = score.fullTime', 'const { home: h, away: a, homeTeam: home = h, awayTeam: away = a } = score.fullTime']],
    },
  }, {
    name: 'ids-and-names',
    happened: 'ids of teams are texts team:11 in teams and numbers in matches, names are below names with a short one, and teams are below response',
    tells: [['teams', 'response', 'names']],
    api: { [T]: (f) => ({ response: f.teams.map(([id, full, short]) => ({ id: `team:${id}`, names: { full, short } })) }) },
    right: {
      'made old': [["const [{ matches }, { teams }] = await Promise.all([get(competition + '/matches'), get(competition + '/teams')])", "const [{ matches }, list] = await Promise.all([get(competition + '/matches'), get(competition + '/teams')])\n  const teams = list.teams || list.response.map(({ id, names }) => ({ id: Number(id.split(':')[1]), name: names.full, shortName: names.short }))"]],
      'in place': [['{ teams }] =', '{ teams: known, response: teams = known }] ='], ['t.shortName || t.name', 't.names ? t.names.short || t.names.full : t.shortName || t.name'], ['(table[t.id] ||', "(table[String(t.id).replace('team:', '')] ||"]],
      'at the fetch': [['  return r.json()\n}', "  const body = await r.json()\n  if (!Array.isArray(body.response)) return body\n  return { teams: body.response.map((t) => ({ shortName: t.names.short, name: t.names.full, id: t.id.slice(5) })) }\n}"]],
    },
    wrong: {
      'nobody played': [["{ teams }] =", '{ teams: known, response: teams = known }] ='], ['t.shortName || t.name', 't.names ? t.names.short || t.names.full : t.shortName || t.name']],
      'short names only': [['{ teams }] =', '{ teams: known, response: teams = known }] ='], ['t.shortName || t.name', "t.names ? t.names.short || t.id : t.shortName || t.name"], ['(table[t.id] ||', "(table[String(t.id).replace('team:', '')] ||"]],
      'long names': [['{ teams }] =', '{ teams: known, response: teams = known }] ='], ['t.shortName || t.name', "t.names ? t.names.full : t.shortName || t.name"], ['(table[t.id] ||', "(table[String(t.id).replace('team:', '')] ||"]],
    },
  }, {
    name: 'score-as-text',
    happened: 'the score is a text, 2:1 with the half time in brackets behind it, and null while a match is not over',
    tells: [['score', 'fullTime']],
    api: { [M]: (f) => ({ matches: f.matches.map((m) => ({ ...match(m), score: m.goals[0] === null ? null : `${m.goals[0]}:${m.goals[1]} (${m.half[0]}:${m.half[1]})` })) }) },
    right: {
      'split': [['const { homeTeam: home, awayTeam: away } = score.fullTime', "const { homeTeam: home, awayTeam: away } = typeof score === 'string' ? (([h, a]) => ({ homeTeam: h, awayTeam: a }))(score.split(' ')[0].split(':').map(Number)) : score.fullTime"]],
      'a pattern': [['const { homeTeam: home, awayTeam: away } = score.fullTime', "const text = /^(\\d+):(\\d+)/.exec(score)\n    const home = text ? +text[1] : score.fullTime.homeTeam\n    const away = text ? +text[2] : score.fullTime.awayTeam"]],
      'made old': [['const table = {}', "matches.forEach((m) => {\n    if (typeof m.score !== 'string') return\n    const [homeTeam, awayTeam] = m.score.match(/\\d+/g).map((n) => parseInt(n, 10))\n    m.score = { fullTime: { homeTeam, awayTeam } }\n  })\n  const table = {}"]],
    },
    wrong: {
      'texts': [['const { homeTeam: home, awayTeam: away } = score.fullTime', "const { homeTeam: home, awayTeam: away } = score.fullTime ?? { homeTeam: score.split(':')[0], awayTeam: score.split(':')[1].split(' ')[0] }"]],
      'skipped': [["if (status !== 'FINISHED') continue", "if (status !== 'FINISHED' || !score.fullTime) continue"]],
      'half time': [['const { homeTeam: home, awayTeam: away } = score.fullTime', "const { homeTeam: home, awayTeam: away } = score.fullTime ?? { homeTeam: +/\\((\\d+)/.exec(score)[1], awayTeam: +/(\\d+)\\)/.exec(score)[1] }"]],
    },
  }],
};
