import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Effects in the other system, in order. */
interface Effect {
  readonly skill: string
  readonly key: string
  /** When its request arrived, in epoch milliseconds. */
  readonly at: number
}

/** The other system, which outlives Tocsin's processes and records its effects. */
export interface EffectSandbox {
  readonly url: string
  readonly effects: readonly Effect[]
  timesOf(key: string): number
  /** Called after each effect and before its answer. */
  onEffect: (count: number) => void
  close(): Promise<void>
}

/** `POST /<skill>` with an `idempotency-key` always has an effect; `GET` tells whether the key had one. */
export async function startSandbox(): Promise<EffectSandbox> {
  const effects: Effect[] = []
  const times = new Map<string, number>()
  const timesOf = (key: string) => times.get(key) ?? 0
  const sandbox = { url: '', effects, timesOf, onEffect: (_count: number) => {} }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const key = String(request.headers['idempotency-key'])
      if (request.method === 'POST') {
        effects.push({ skill: String(request.url).slice(1), key, at: Date.now() })
        times.set(key, timesOf(key) + 1)
        sandbox.onEffect(effects.length)
      }
      // Slow enough to be killed halfway.
      setTimeout(() => response.end(JSON.stringify({ times: timesOf(key) })), 4)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  sandbox.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(sandbox, {
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })
}
