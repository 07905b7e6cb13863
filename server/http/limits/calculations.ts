import { setImmediate, setTimeout } from 'node:timers/promises'
import { scopeText } from '../../../core/common/scope.ts'
import { FairLines } from '../../../core/common/fair-lines.ts'
import { RequestError } from '../request/request-error.ts'
import { runInSlices, type Sliced } from '../../../core/common/sliced.ts'
import type { Caller } from '../caller/caller.ts'

/** Runs work whose duration depends on the request, such as parsing a playbook, one at a time. */
export interface Calculations {
  /**
   * Does the work when its turn comes. Keys with the same organizations share a queue, and the queues take
   * turns.
   *
   * @throws RequestError `too_many_requests` if the key or its queue is full, `calculations_full` if all
   * queues together are
   */
  inTurn<T>(caller: Pick<Caller, 'uuid' | 'scope'>, work: () => T): Promise<T>
  /** Like `inTurn`, for work that can be interrupted: other calculations run after each time slice. */
  slicesInTurn<T>(caller: Pick<Caller, 'uuid' | 'scope'>, work: Sliced<T>): Promise<T>
}

/**
 * Maximum number of waiting and running calculations. The limit of a key is above what an editor needs during
 * typing.
 */
const [maxOfKey, maxOfLine, maxOfAll] = [8, 16, 64]
/** Length of a time slice in milliseconds, too short to delay other requests noticeably. */
const shortMs = 10

/**
 * After each time slice, other work gets as much time, so that calculations take at most half of the process.
 */
export function createCalculations(): Calculations {
  const lines = new FairLines<() => Promise<number>>()
  const counts = new Map<string, number>()
  let isAtWork = false

  async function workOff(): Promise<void> {
    isAtWork = true
    for (;;) {
      await setImmediate()
      const work = lines.take()
      if (work === undefined) break
      const tookMs = await work()
      if (tookMs >= shortMs) await setTimeout(tookMs)
    }
    isAtWork = false
  }

  const count = (name: string): number => counts.get(name) ?? 0
  function add(name: string, more: 1 | -1): void {
    const now = count(name) + more
    if (now === 0) counts.delete(name)
    else counts.set(name, now)
  }

  async function slicesInTurn<T>(
    { uuid, scope }: Pick<Caller, 'uuid' | 'scope'>,
    work: Sliced<T>,
  ): Promise<T> {
    const line = scopeText(scope)
    const names = [`key ${uuid}`, `line ${line}`, 'all'] as const
    const [ofKey, ofLine, ofAll] = names.map(count) as [number, number, number]
    if (ofKey >= maxOfKey) throw tooMany(`${ofKey} requests of this key are waiting.`)
    if (ofLine >= maxOfLine)
      throw tooMany(`${ofLine} requests of keys with the same organizations are waiting.`)
    if (ofAll >= maxOfAll) throw full(ofAll)
    for (const name of names) add(name, 1)
    return new Promise((resolve, reject) => {
      lines.push(line, async () => {
        let from = performance.now()
        const pause = async (heldMs: number) => {
          await setTimeout(heldMs)
          from = performance.now()
        }
        await runInSlices(work, pause).then(resolve, reject)
        for (const name of names) add(name, -1)
        return performance.now() - from
      })
      if (!isAtWork) void workOff()
    })
  }

  return {
    slicesInTurn,
    inTurn: (caller, work) => slicesInTurn(caller, undivided(work)),
  }
}

// oxlint-disable-next-line require-yield -- it has no parts
function* undivided<T>(work: () => T): Sliced<T> {
  return work()
}

function tooMany(message: string): RequestError {
  return new RequestError('too_many_requests', message, {
    hint: 'send requests one at a time',
    headers: { 'retry-after': '1' },
  })
}

function full(waiting: number): RequestError {
  return new RequestError('calculations_full', `${waiting} requests are waiting.`, {
    hint: 'send the request again after the time in Retry-After',
    headers: { 'retry-after': '5' },
  })
}
