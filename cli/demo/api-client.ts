import { TocsinError } from '../../core/plugin/index.ts'

/** Calls the API as any alert source would: over HTTP, with a key in the cookie. */
export interface ApiClient {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
}

/** @throws TocsinError `demo_call_failed` with the problem document when the answer is not a success */
export function apiClient(apiUrl: string, key: string): ApiClient {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { cookie: `Session=${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new TocsinError('demo_call_failed', `${method} ${path} was answered ${response.status}: ${text}`)
    }
    return JSON.parse(text) as T
  }
  return { get: (path) => call('GET', path), post: (path, body) => call('POST', path, body) }
}
