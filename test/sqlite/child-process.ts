import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Child {
  readonly process: ChildProcess
  /** Complete printed lines; a line cut off by a kill is omitted. */
  readonly lines: string[]
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Resolves when it has printed this many lines; rejects, with its output, if it ends before. */
  hasPrinted(count: number): Promise<void>
}

const running = new Set<ChildProcess>()

/** For `afterEach`: stops it even if a test failed halfway. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Runs a program of `children/`. `before` is a POSIX shell command that runs first, e.g. to set a limit. */
export function startChild(name: string, args: readonly string[], before = ''): Child {
  const script = fileURLToPath(new URL(`children/${name}.ts`, import.meta.url))
  const shell = before === '' ? [] : ['/bin/sh', '-c', `${before}\nexec "$0" "$@"`]
  const [file = '', ...rest] = [...shell, process.execPath, script, ...args]
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  let complaints = ''
  let cutOff = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (cutOff + text).split('\n')
    cutOff = parts.pop() ?? ''
    lines.push(...parts)
    for (const wake of waiting) wake()
  })
  createInterface(child.stderr).on('line', (line) => (complaints += `${line}\n`))
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    running.add(child)
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  const hasPrinted = (count: number) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (lines.length < count) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
      void ended.then(() => reject(new Error(`${name} ended after ${lines.length} lines:\n${complaints}`)))
    })
  return { process: child, lines, ended, hasPrinted }
}
