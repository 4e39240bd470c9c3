const stations = { north: 'https://weather.example/v1/forecast?lat=54.3&lon=10.1', south: 'https://weather.example/v1/forecast?lat=47.9&lon=11.3' };

const fetchForecast = async (url, tries = 3) => {
  for (let i = 0; ; i++) {
    const res = await fetch(url);
    if (res.ok) return res.json();
    if (res.status < 500 || i === tries - 1) throw new Error(`forecast ${res.status}`);
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** i));
  }
};

export default async function ({ limit = 0 }) {
  const warnings = await Promise.all(Object.entries(stations).map(async ([name, url]) => {
    const { hourly, timezone } = await fetchForecast(url);
    const cold = hourly.time
      .map((time, i) => ({ time, t: hourly.temperature[i], wind: hourly.wind?.[i] ?? 0 }))
      .filter(({ t }) => t !== null && t < limit);
    if (!cold.length) return null;
    const lowest = Math.min(...cold.map((c) => c.t));
    return `${name}: ${cold.length} h below ${limit}, down to ${lowest.toFixed(1)} from ${cold[0].time.slice(11, 16)} ${timezone}, wind ${Math.max(...cold.map((c) => c.wind))}`;
  }));
  const text = warnings.filter(Boolean).join('; ');
  if (text) await notify('Frost', text);
  return { text: text || 'no frost' };
}
