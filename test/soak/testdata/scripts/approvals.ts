interface Claim { id: string; person: string; cents: number; currency: string; why?: string }
export default async function approvals() {
  const answer = await fetch('BASE/claims?state=open');
  if (!answer.ok) throw new Error(`claims: ${answer.status}`);
  const { claims } = (await answer.json()) as { claims: Claim[] };
  const decided: Record<string, string> = {};
  for (const claim of claims) {
    const said = await ask(`Pay ${(claim.cents / 100).toFixed(2)} ${claim.currency} to ${claim.person}${claim.why ? ' for ' + claim.why : ''}?`, { options: ['yes', 'no'], default: 'no', timeoutMs: 72 * 3600 * 1000 });
    decided[claim.id] = said;
    const put = await fetch(`BASE/claims/${claim.id}`, { method: 'PUT', body: JSON.stringify({ paid: said === 'yes' }), headers: { 'content-type': 'application/json' } });
    if (!put.ok) throw new Error(`claim ${claim.id}: ${put.status}`);
  }
  return decided;
}
