import { TocsinError } from '../core/plugin/index.ts'
import { ValidationError } from '../core/errors/errors.ts'
import { printable } from './output/printable.ts'

/** Calls the API of a server over HTTP, with an API key in the cookie. */
export interface ApiClient {
  get<T>(path: string): Promise<T>
  /** The response body as text. */
  text(path: string): Promise<string>
  post<T>(path: string, body: unknown): Promise<T>
  /** The If-Match header for any revision. */
  patch<T>(path: string, body: unknown): Promise<T>
  delete<T>(path: string): Promise<T>
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  readonly hint?: string
  readonly errors?: readonly { readonly pointer?: string; readonly message?: string }[]
}

/**
 * Sends back the cookies of a balancer, which keep all requests at one of several nodes: others do not know a backtest.
 *
 * @param apiUrl with the prefix, without a trailing slash
 * @throws TocsinError with the problem document of a refusal; `server_unreachable`
 */
export function apiClient(apiUrl: string, key: string): ApiClient {
  const cookies = new Map([['Session', key]])

  async function send(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: {
        cookie: [...cookies].map((cookie) => cookie.join('=')).join('; '),
        'content-type': 'application/json',
        ...(method === 'PATCH' && { 'if-match': '*' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new TocsinError('server_unreachable', `no server answers at ${apiUrl}`, {
        cause,
        hint: 'check that the server is running; `tocsin serve` prints its address',
      })
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
      if (name !== '' && name !== 'Session') cookies.set(name, value)
    }
    const text = await response.text()
    if (!response.ok) throw refused(`${method} ${path}`, response.status, text)
    return text
  }
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return JSON.parse(await send(method, path, body)) as T
  }
  return {
    get: (path) => call('GET', path),
    text: (path) => send('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
  }
}

function refused(request: string, status: number, text: string): TocsinError {
  const { code = 'call_refused', detail = text, hint, errors = [] } = problemIn(text)
  const places = errors.map(({ pointer = '', message = '' }) => `\n  ${pointer} ${message}`).join('')
  const message = `${request} was answered ${status}: ${detail}${places}`
  return new TocsinError(code, message, hint === undefined ? {} : { hint })
}

function problemIn(text: string): Problem {
  try {
    return JSON.parse(text) as Problem
  } catch {
    return {}
  }
}

/**
 * The API of a server address: adds the default prefix to one without a path. Throws ValidationError
 * `url_invalid`.
 */
export function apiUrlOf(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new ValidationError('url_invalid', `'${printable(url)}' is not the address of a server`, [], {
      hint: 'write it like http://127.0.0.1:8080',
    })
  const { origin, pathname } = new URL(url)
  return origin + (pathname === '/' ? '/api' : pathname.replace(/\/+$/, ''))
}
