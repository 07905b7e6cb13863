import { expect } from 'chai'
import { UnavailableError } from '../../core/errors/errors.ts'
import { watchStore } from '../../server/store/watch-store.ts'

describe('watchStore', () => {
  const removed = new UnavailableError('node_removed', 'removed', { retryAfterMs: 1 })
  const gone = new UnavailableError('store_unavailable', 'gone', { retryAfterMs: 1 })

  const found: Readonly<Record<string, UnavailableError>> = { x: gone, r: removed }

  /** @param looks the result of each check: `.` files present, `x` missing, `r` removed; the watch ends after the last */
  async function watched(looks: string) {
    const lines: string[] = []
    const ends = new AbortController()
    let [now, n] = [0, 0]
    const result = await watchStore({
      stores: { gone: () => found[looks[n++] ?? ''] },
      clock: {
        now: () => now,
        async sleep(ms, signal) {
          if (n === looks.length) ends.abort()
          signal.throwIfAborted()
          now += ms
        },
      },
      log: {
        info: () => undefined,
        warn: (_, message) => void lines.push(`warn ${message}`),
        error: (_, message) => void lines.push(`error ${message}`),
        debug: () => undefined,
      },
      signal: ends.signal,
    })
    return { result, looks: n, lines }
  }
  const goneLine = 'error the data directory is gone: no request is acknowledged and no step starts'

  it('resolves with the reason and one warning when the store has been gone for five seconds', async () => {
    expect(await watched('..xxxxxxxxx')).to.deep.equal({ result: gone, looks: 8, lines: [goneLine] })
  })

  it('resolves at once when another process has removed this one', async () => {
    expect(await watched('..rrr')).to.deep.equal({ result: removed, looks: 3, lines: [] })
  })

  it('restarts the countdown when the store is back', async () => {
    expect(await watched('xxxx.xxxx.')).to.deep.equal({
      result: undefined,
      looks: 10,
      lines: [
        goneLine,
        'warn the data directory is writable again',
        goneLine,
        'warn the data directory is writable again',
      ],
    })
  })
})
