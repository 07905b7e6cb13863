import { parseArgs } from 'node:util'

/** What `npm run bench` is told. */
export interface Options {
  /** Per measurement. */
  readonly seconds: number
  readonly connections: readonly number[]
  /** Names of benchmarks; empty: all. */
  readonly only: readonly string[]
}

export const usage = `usage: npm run bench -- [options]
  --seconds N            per measurement (default 2)
  --connections N,N,…    at once (default 1,32,256)
  --only NAME,NAME,…     of intake, runs, calls, whole-way, expressions (default: all)`

/** Undefined where they cannot be read. */
export function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '2' },
        connections: { type: 'string', default: '1,32,256' },
        only: { type: 'string', default: '' },
      },
    })
    const seconds = Number(values.seconds)
    const connections = values.connections.split(',').map(Number)
    if (!(seconds > 0) || !connections.every((count) => Number.isInteger(count) && count > 0))
      return undefined
    return { seconds, connections, only: values.only.split(',').filter((name) => name !== '') }
  } catch {
    return undefined
  }
}
