/** The cookie of people who are signed in; never that of an API key, which is named `Session`. */
export interface SessionCookie {
  readonly name: string
  /** A Set-Cookie header that hands out a token for so many milliseconds. */
  set(token: string, maxAgeMs: number): string
  /** A Set-Cookie header that takes it away. */
  readonly clear: string
}

/**
 * Over TLS the name begins with `__Host-`: browsers then take it from this very host alone, so that a page of a neighbouring one cannot plant a
 * session of its own.
 *
 * @param isSecure people reach the server over TLS
 */
export function sessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? '__Host-tocsin_session' : 'tocsin_session'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const seconds = (ms: number): number => Math.max(0, Math.floor(ms / 1000))
  return {
    name,
    set: (token, maxAgeMs) => `${name}=${token}; Max-Age=${seconds(maxAgeMs)}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  }
}
