import { FairLines } from './fair-lines.ts'

/** Runs tasks one at a time: in order within a queue, and the queues in turn. */
export type InTurn = <T>(line: string, work: () => Promise<T>) => Promise<T>

export function createTurns(): InTurn {
  const lines = new FairLines<() => Promise<void>>()
  let isAtWork = false

  async function workOff(): Promise<void> {
    isAtWork = true
    for (let work = lines.take(); work !== undefined; work = lines.take()) await work()
    isAtWork = false
  }

  return (line, work) =>
    new Promise((resolve, reject) => {
      lines.push(line, () => work().then(resolve, reject))
      if (!isAtWork) void workOff()
    })
}
