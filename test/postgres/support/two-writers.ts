import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CallOutcome, CallRound, StoreCall } from '../children/writes-at-times.ts'

/** Two processes with stores on the same database. */
export interface TwoWriters {
  /** Makes the calls of each pair at the same moment, one in each process; pairs of a batch too. */
  callPairs(pairs: readonly (readonly [StoreCall, StoreCall])[], batch?: number): Promise<CallOutcome[][]>
  close(): Promise<void>
}

/** Time to tell both processes, in milliseconds. */
const noticeMs = 3

export async function startTwoWriters(address: string): Promise<TwoWriters> {
  const children = [start(address), start(address)] as const
  await Promise.all(children.map((child) => once(child, 'message')))
  let round = 0
  const tell = async (child: ChildProcess, given: CallRound): Promise<readonly CallOutcome[]> => {
    const told = once(child, 'message')
    child.send(given)
    const [{ outcomes }] = await told
    return outcomes
  }
  return {
    async callPairs(pairs, batch = 10) {
      const results: CallOutcome[][] = []
      for (let from = 0; from < pairs.length; from += batch) {
        const some = pairs.slice(from, from + batch)
        const given = { round: round++, at: Date.now() + noticeMs }
        const [one = [], other = []] = await Promise.all(
          children.map((child, index) => tell(child, { ...given, calls: some.map((pair) => pair[index]!) })),
        )
        results.push(...one.map((outcome, index) => [outcome, other[index]!]))
      }
      return results
    },
    async close() {
      await Promise.all(
        children.map(async (child) => {
          const ended = once(child, 'exit')
          child.disconnect()
          await ended
        }),
      )
    },
  }
}

const start = (address: string): ChildProcess =>
  fork(join(import.meta.dirname, '../children/writes-at-times.ts'), [address], { serialization: 'advanced' })
