import { createHmac } from 'node:crypto'

const CRM = 'https://crm.example/api/v3/contacts'

async function crm(method, email, fields) {
  const response = await fetch(`${CRM}/${encodeURIComponent(email)}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.CRM_KEY },
    body: JSON.stringify(fields),
  })
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`crm ${method} ${email}: ${response.status}`)
  return response.json()
}

const day = (timestamp) => new Date(Number(timestamp) * 1000).toISOString().slice(0, 10)

const actions = {
  async delivered({ recipient, timestamp }) {
    await crm('PATCH', recipient, { lastMail: day(timestamp) })
  },
  async bounced({ recipient, code, error, timestamp }) {
    if (!String(code).startsWith('5')) return
    const bounces = (await kv.get('bounces')) || {}
    bounces[recipient] = [...(bounces[recipient] || []), day(timestamp)].slice(-3)
    await kv.set('bounces', bounces)
    await crm('PATCH', recipient, { mailable: false, reason: `${code} ${error}` })
  },
  async unsubscribed({ recipient, tag }) {
    await crm('PATCH', recipient, tag ? { without: tag } : { mailable: false, reason: 'unsubscribed' })
  },
  async complained(event) {
    await crm('PATCH', event.recipient, { mailable: false, reason: 'complained' })
    const headers = Object.fromEntries(JSON.parse(event['message-headers']))
    await notify('Complaint of ' + event.recipient, headers.Subject)
  },
}

export default async function onMailEvent(event) {
  const act = actions[event.event]
  if (!act) return { ignored: event.event }
  await act(event)
  return { done: event.event, key: createHmac('sha256', 'k').update(event.recipient).digest('hex').slice(0, 8) }
}
