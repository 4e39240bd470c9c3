const API = 'https://slack.example/api/'

async function slack(method, params = {}, write = false) {
  const url = API + method + (write ? '' : '?' + new URLSearchParams(params))
  for (let attempt = 0; attempt < 5; attempt++) {
    const res = await fetch(url, write
      ? { method: 'POST', headers: { authorization: 'Bearer ' + process.env.SLACK_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify(params) }
      : { headers: { authorization: 'Bearer ' + process.env.SLACK_TOKEN } })
    if (res.status === 429) {
      await new Promise(resolve => setTimeout(resolve, 1000 * Number(res.headers.get('retry-after') || 1)))
      continue
    }
    const body = await res.json()
    if (!body.ok) throw Error(`${method}: ${body.error}`)
    return body
  }
  throw Error(method + ': too many tries')
}

const lastMessage = async channel => {
  const { messages } = await slack('channels.history', { channel, count: 1 })
  return messages.length ? Number(messages[0].ts) : 0
}

const DAY = 86400
const stale = (last, now, days) => now - last > days * DAY

export default async function tidy({ slot, keep = ['general'], days = 60 }) {
  const now = Date.parse(slot) / 1000
  const { channels } = await slack('channels.list', { exclude_archived: '1' })
  const warned = (await kv.get('warned')) || {}
  const result = { warned: [], archived: [] }
  for (const channel of channels) {
    if (channel.is_archived || keep.includes(channel.name)) continue
    const last = Math.max(await lastMessage(channel.id), channel.created)
    if (!stale(last, now, days)) {
      if (warned[channel.id]) delete warned[channel.id]
      continue
    }
    if (!warned[channel.id]) {
      warned[channel.id] = now
      await slack('chat.postMessage', { channel: channel.id, text: `Nothing was said here for ${days} days; ${channel.members.length} of you are here. It will be archived.` }, true)
      result.warned.push(channel.name)
    } else if (stale(warned[channel.id], now, 2)) {
      await slack('channels.archive', { channel: channel.id }, true)
      delete warned[channel.id]
      result.archived.push(channel.name)
    }
  }
  await kv.set('warned', warned)
  return result
}
