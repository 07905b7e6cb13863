import { parseArgs } from 'node:util'
import { openHistory, type History } from './history.ts'

/** Options of `npm run bench`. */
export interface Options {
  /** Per measurement. */
  readonly seconds: number
  /** Rounds per measurement and baseline, in turns; the best one counts. */
  readonly rounds: number
  readonly connections: readonly number[]
  /** Numbers of stored alerts, one measurement each. */
  readonly stored: readonly number[]
  /** Number of waiting runs. */
  readonly waiting: readonly number[]
  /** Names of benchmarks; empty: all. */
  readonly only: readonly string[]
  readonly history: History
}

export const names = [
  'intake',
  'runs',
  'calls',
  'storm',
  'whole-way',
  'cluster',
  'bytes',
  'growth',
  'large-run',
  'profile',
  'page',
  'expressions',
] as const

const historyFile = 'node_modules/.cache/tocsin-bench.jsonl'

export const usage = `usage: npm run bench -- [options]
  --seconds N            per measurement (default 2)
  --rounds N             of each measurement beside its baseline, of which the best is shown (default 1)
  --connections N,N,…    at once (default 1,32,256)
  --stored N,N,…         alerts stored beforehand (default 1000,10000)
  --waiting N,N,…        runs that wait beforehand (default 10000)
  --history FILE         where figures of each commit are kept (default ${historyFile})
  --only NAME,NAME,…     of ${names.join(', ')} (default: all)
  --long                 as --seconds 10 --rounds 3 --stored 1000,10000,100000,1000000 --waiting 100000`

/** Undefined if they cannot be read. */
export function readOptions(args: readonly string[]): Options | undefined {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: text,
        rounds: text,
        connections: text,
        stored: text,
        waiting: text,
        history: text,
        only: text,
        long: { type: 'boolean' },
      },
    })
    const isLong = values.long === true
    const options = {
      seconds: Number(values.seconds ?? (isLong ? 10 : 2)),
      rounds: Number(values.rounds ?? (isLong ? 3 : 1)),
      connections: numbers(values.connections ?? '1,32,256'),
      stored: numbers(values.stored ?? (isLong ? '1000,10000,100000,1000000' : '1000,10000')),
      waiting: numbers(values.waiting ?? (isLong ? '100000' : '10000')),
      only: values.only?.split(',') ?? [],
      history: openHistory(values.history ?? historyFile),
    }
    const isFine =
      options.seconds > 0 &&
      options.rounds > 0 &&
      [options.rounds, ...options.connections, ...options.stored, ...options.waiting].every(
        Number.isInteger,
      ) &&
      options.only.every((name) => (names as readonly string[]).includes(name))
    return isFine ? options : undefined
  } catch {
    return undefined
  }
}

const numbers = (list: string): readonly number[] => list.split(',').map(Number)
