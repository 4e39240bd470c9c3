/** The nonce lets a style through that is made in the browser: the server gives each answer another one. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}
