// A shop's webhook: several kinds of events, each with its own shape.
async function main(event) {
  switch (event.type) {
    case 'order.created': {
      const cents = event.data.lines.reduce((sum, line) => sum + line.quantity * line.unit_cents, 0);
      await web.postJSON('BASE/crm/deals', { ref: event.data.number, cents, coupon: event.data.coupon ?? null });
      return { deal: event.data.number };
    }
    case 'order.cancelled':
      await web.postJSON('BASE/crm/deals/' + event.data.number + '/close', { reason: event.data.reason || 'none given' });
      return { closed: event.data.number };
    case 'customer.updated':
      await kv.set('customer:' + event.data.id, { mail: event.data.email, tags: event.data.tags });
      return { customer: event.data.id };
    default:
      console.warn('not for us: ' + event.type);
      return null;
  }
}
