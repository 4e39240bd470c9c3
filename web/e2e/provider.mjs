// A real provider of OpenID Connect: node e2e/provider.mjs PORT REDIRECT. Whoever signs in as GROUP-NAME is in that group.
import Provider from 'oidc-provider';

const [port, redirect] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: 'sender', client_secret: 'another-secret-of-the-tests', redirect_uris: [], response_types: [], grant_types: ['client_credentials'], scope: 'events' }, { client_id: 'kintsugi', client_secret: 'a-secret-of-the-tests', redirect_uris: [redirect], response_types: ['code'], grant_types: ['authorization_code'] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  scopes: ['openid', 'email', 'groups', 'events'],
  features: { clientCredentials: { enabled: true }, introspection: { enabled: true, allowedPolicy: () => true } },
  pkce: { required: () => true },
  cookies: { keys: ['of the tests'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, groups: [id.split('-')[0]] }) }),
});
provider.listen(Number(port), '127.0.0.1', () => console.log('listening'));
