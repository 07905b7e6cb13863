import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A script of this folder running as a process of its own. */
export interface Child<T> {
  /** What it printed on its first line. */
  readonly said: T
  stop(): Promise<void>
}

/** Starts a script and resolves when it has printed its first line of JSON. */
export async function startChild<T>(script: string, env: Record<string, string> = {}): Promise<Child<T>> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => Promise.reject(new Error(`${script} ended before it was ready`))),
  ])) as [string]
  return {
    said: JSON.parse(line) as T,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
