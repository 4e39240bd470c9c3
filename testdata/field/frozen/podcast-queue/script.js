var FEEDS = ['https://casts.example/feeds/ada', 'https://casts.example/feeds/zoe'];

function field(item, tag) {
  var m = item.match(new RegExp('<' + tag + '>([\\s\\S]*?)</' + tag + '>'));
  return m ? m[1].trim() : null;
}

function plain(s) {
  return s.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&#39;/g, "'").replace(/&quot;/g, '"').replace(/&amp;/g, '&');
}

function seconds(clock) {
  return clock.split(':').reduce(function (sum, part) { return sum * 60 + parseInt(part, 10); }, 0);
}

function parseEpisode(item) {
  var url = item.match(/<enclosure url="([^"]+)"/);
  if (!url) return null;
  return {
    guid: field(item, 'guid'),
    title: plain(field(item, 'title')),
    length: seconds(field(item, 'itunes:duration')),
    at: new Date(field(item, 'pubDate')).getTime(),
    url: plain(url[1]),
  };
}

function load(url) {
  return fetch(url).then(function (res) {
    if (!res.ok) throw new Error(url + ' -> ' + res.status);
    return res.text();
  }).then(function (xml) {
    return xml.split(/<item>/).slice(1).map(parseEpisode).filter(Boolean);
  });
}

exports.main = async function (input) {
  var heard = await kv.get('heard') || {};
  var lists = await Promise.all(FEEDS.map(load));
  var fresh = [].concat.apply([], lists).filter(function (e) { return !heard[e.guid]; });
  fresh.sort(function (a, b) { return a.at - b.at || (a.guid < b.guid ? -1 : 1); });
  var budget = (input.minutes || 90) * 60;
  var queue = [];
  for (var i = 0; i < fresh.length; i++) {
    if (fresh[i].length > budget) continue;
    budget -= fresh[i].length;
    heard[fresh[i].guid] = fresh[i].at;
    queue.push(fresh[i]);
  }
  if (queue.length) {
    await files.write('queue.m3u', '#EXTM3U\n' + queue.map(function (e) { return '#EXTINF:' + e.length + ',' + e.title + '\n' + e.url; }).join('\n') + '\n');
  }
  await kv.set('heard', heard);
  return queue.length + ' of ' + fresh.length;
};
