interface Match { metric: string; value: number | null; tags: Record<string, string> | null }

interface LegacyAlert {
  ruleId: number;
  ruleName: string;
  ruleUrl: string;
  state: 'ok' | 'alerting' | 'no_data' | 'paused' | 'pending';
  message?: string;
  evalMatches: Match[];
}

abstract class Handler<E> {
  protected abstract readonly base: string;
  abstract handle(event: E): Promise<string>;

  protected async send<R>(method: 'POST' | 'PUT', path: string, body: unknown): Promise<R> {
    const res = await fetch(this.base + path, { method, headers: { 'Content-Type': 'application/json', Authorization: `Token ${process.env.DUTY_TOKEN}` }, body: JSON.stringify(body) });
    if (!res.ok) throw new Error(`${method} ${path} failed (${res.status})`);
    return (await res.json()) as R;
  }
}

class Duty extends Handler<LegacyAlert> {
  protected readonly base = 'https://duty.example/v2';

  private summary({ ruleName, evalMatches, message = 'no message' }: LegacyAlert): string {
    const values = evalMatches.map(({ metric, value }) => `${metric}=${value === null ? 'none' : value.toFixed(1)}`);
    return `${ruleName}: ${values.length ? values.join(', ') : message}`;
  }

  async handle(alert: LegacyAlert): Promise<string> {
    const open = ((await kv.get('open')) ?? {}) as Record<string, string>;
    const key = alert.ruleName;
    switch (alert.state) {
      case 'alerting': {
        if (open[key]) {
          await this.send('POST', `/incidents/${open[key]}/notes`, { note: this.summary(alert) });
          return 'noted';
        }
        const { id } = await this.send<{ id: string }>('POST', '/incidents', { title: this.summary(alert), link: alert.ruleUrl, urgency: alert.evalMatches.some((m) => m.tags?.env === 'prod') ? 'high' : 'low' });
        await kv.set('open', { ...open, [key]: id });
        return 'opened';
      }
      case 'ok': {
        if (!open[key]) return 'unknown';
        await this.send('PUT', `/incidents/${open[key]}`, { status: 'resolved' });
        const { [key]: closed, ...others } = open;
        await kv.set('open', others);
        return 'closed ' + closed;
      }
      default:
        return 'nothing to do for ' + alert.state;
    }
  }
}

export const main = (event: LegacyAlert) => new Duty().handle(event);
