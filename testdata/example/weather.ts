// Every morning: whether to take an umbrella, as a message.
interface Input {
  /** One of Berlin, Lisbon, Oslo. */
  city?: string;
  /** Millimetres from which it is rain. */
  rain?: number;
}

interface Forecast { day: string; high: number; low: number; rain: number }

export async function main({ city = 'Berlin', rain = 2 }: Input) {
  const answer = await web.getJSON(`http://127.0.0.1:8091/forecast?city=${encodeURIComponent(city)}`) as { days: Forecast[] };
  const wet = answer.days.filter((one) => one.rain >= rain);

  // The key keeps what was said last, so that nobody is told the same again.
  const said = wet.map((one) => one.day).join(', ') || 'none';
  if (await kv.get('said') !== said) {
    await notify(`Rain in ${city}`, wet.length ? `Take an umbrella on ${said}.` : 'No rain in sight.');
    await kv.set('said', said);
  }
  return { city, days: answer.days.length, wet: wet.map((one) => one.day) };
}
