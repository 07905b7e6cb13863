/** The cookie of a session; the cookie of an API key is named `Session`. */
export interface SessionCookie extends BrowserCookie {
  /** Binds a sign-in with the identity provider to the browser that began it. */
  readonly signOn: BrowserCookie
}

interface BrowserCookie {
  readonly name: string
  /** A Set-Cookie header that sets a token for this many milliseconds. */
  set(token: string, maxAgeMs: number): string
  /** A Set-Cookie header that deletes the cookie. */
  readonly clear: string
}

/**
 * Over TLS the name begins with `__Host-`: browsers then accept it only from this host, so that a sibling
 * domain cannot plant a session.
 *
 * @param isSecure the public address uses TLS
 */
export const sessionCookie = (isSecure: boolean): SessionCookie => ({
  ...cookieFor('tocsin_session', isSecure),
  signOn: cookieFor('tocsin_sign_on', isSecure),
})

function cookieFor(bare: string, isSecure: boolean): BrowserCookie {
  const name = isSecure ? `__Host-${bare}` : bare
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const seconds = (ms: number): number => Math.max(0, Math.floor(ms / 1000))
  return {
    name,
    set: (token, maxAgeMs) => `${name}=${token}; Max-Age=${seconds(maxAgeMs)}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  }
}
