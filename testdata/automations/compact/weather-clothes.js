// What to wear
// Before school, write what the weather needs the children to wear.
const layers = (celsius) => (celsius < 5 ? 'coat' : celsius < 15 ? 'jacket' : 'shirt');

async function main(input) {
  const forecast = await web.getJSON('https://weather.example.test/v1/forecast?city=' + encodeURIComponent(input.city));
  const hours = forecast.hourly.filter((h) => h.hour >= 7 && h.hour <= 17);
  const coldest = hours.reduce((low, h) => (h.temperature < low.temperature ? h : low));
  const wet = hours.some((h) => h.rain.probability > 50);
  const text = `${layers(coldest.temperature)}${wet ? ' and rain boots' : ''} (${coldest.temperature.toFixed(1)} degrees at ${coldest.hour}, ${forecast.station.name.toUpperCase()})`;
  await notify('Today', text);
  await files.append('weather.log', forecast.date.slice(0, 10) + ' ' + text + '\n');
  return { coldest: coldest.temperature, wet };
}
// ---- outside
function outside(n) {
  const city = pick(cities);
  return { input: { city }, answers: { ['https://weather.example.test/v1/forecast?city=' + city]: {
    date: day(n), station: { name: city + ' airport', elevation: int(5, 300) },
    hourly: times(8, (i) => ({ hour: 6 + i * 2, temperature: cents(-5, 25), rain: { probability: int(0, 100), amount: cents(0, 4) } })),
  } } };
}
