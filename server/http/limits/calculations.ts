import { setImmediate, setTimeout } from 'node:timers/promises'
import { scopeText } from '../../../core/common/scope.ts'
import { FairLines } from '../../../core/common/fair-lines.ts'
import { RequestError } from '../request/request-error.ts'
import { runInSlices, type Sliced } from '../../../core/common/sliced.ts'
import type { Caller } from '../caller/caller.ts'

/** Work whose length follows from what somebody sends, such as the reading of a playbook: done one at a time. */
export interface Calculations {
  /**
   * Does the work when its turn comes. Keys that see the same organizations stand in one line, and the lines take turns.
   *
   * @throws RequestError `too_many_requests` where too much of this key or of its line waits already, `calculations_full` where too much of all does
   */
  inTurn<T>(caller: Pick<Caller, 'keyUuid' | 'scope'>, work: () => T): Promise<T>
  /** The same for work that can be interrupted: others are served after each time slice. */
  slicesInTurn<T>(caller: Pick<Caller, 'keyUuid' | 'scope'>, work: Sliced<T>): Promise<T>
}

/** What waits or is under way: of one key more than an editor asks for while somebody types. */
const [maxOfKey, maxOfLine, maxOfAll] = [8, 16, 64]
/** In milliseconds: what is shorter keeps nobody from being answered. */
const shortMs = 10

/** After each time slice others have as much time as it took, so that calculations take half of the process at most. */
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
    { keyUuid, scope }: Pick<Caller, 'keyUuid' | 'scope'>,
    work: Sliced<T>,
  ): Promise<T> {
    const line = scopeText(scope)
    const names = [`key ${keyUuid}`, `line ${line}`, 'all'] as const
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
