import { readFile } from 'node:fs/promises'
import type { RunningServer } from '../../support/server/start-server.ts'

/** Peak memory of the process since its start, in MB; undefined except on Linux. */
export async function peakMemory({ command }: RunningServer): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const status = await readFile(`/proc/${command.process.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
