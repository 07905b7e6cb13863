import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The other system, which outlives Tocsin's processes and counts what it undid. */
export interface UndoVendor {
  readonly url: string
  /** How often the containment of a target was undone. */
  timesOf(target: string): number
  /** Called after each undo and before its answer. */
  onUndo: (target: string) => void
  close(): Promise<void>
}

/**
 * `POST /<class>/<target>` undoes a containment, whatever its state; for the class `safe`, once per idempotency key. `GET` tells whether
 * it is undone.
 */
export async function startVendor(): Promise<UndoVendor> {
  const times = new Map<string, number>()
  const keys = new Set<string>()
  const timesOf = (target: string) => times.get(target) ?? 0
  const vendor = { url: '', timesOf, onUndo: (_target: string) => {} }
  const server = createServer((request, response) => {
    const [, kind, target = ''] = String(request.url).split('/')
    const key = `${target} ${String(request.headers['idempotency-key'])}`
    request.resume()
    request.on('end', () => {
      if (request.method === 'POST' && !(kind === 'safe' && keys.has(key))) {
        keys.add(key)
        times.set(target, timesOf(target) + 1)
        vendor.onUndo(target)
      }
      // Slow enough to be killed halfway.
      setTimeout(() => response.end(JSON.stringify({ undone: timesOf(target) > 0 })), 3)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(vendor, {
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })
}
