import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Whether strace(1) can trace programs and inject failures into system calls. Without it, the tests of power
 * cuts and failing disks are pending, which mocha shows.
 */
export const canTrace =
  process.platform === 'linux' && spawnSync('strace', ['-qq', '-e', 'trace=none', 'true']).status === 0

/** A system call that changed files or made them durable. */
export type FileCall =
  | { readonly call: 'write'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly call: 'sync'; readonly path: string }
  | { readonly call: 'truncate'; readonly path: string; readonly size: number }
  | { readonly call: 'print'; readonly text: string }

const traced = ['pwrite64', 'write', 'fsync', 'fdatasync', 'ftruncate']

/** Starts `node` with these arguments and traces its writes and syncs to `traceFile`. */
export function startTraced(traceFile: string, args: readonly string[]): ChildProcess {
  const options = ['-f', '-qq', '-xx', '-y', '-s', '16777216', '-e', 'signal=none', '-o', traceFile]
  const command = [...options, '-e', `trace=${traced.join(',')}`, '--', process.execPath, ...args]
  return spawn('strace', command, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/**
 * The program and arguments of a tracer that makes system calls fail: `fsync:error=EIO:when=20..30`, see `-e
 * inject` in strace(1). It does not intercept signals. `path`: only calls on this file.
 */
export function failing(injection: string, path?: string): readonly string[] {
  const calls = injection.split(':', 1)[0]
  const options = ['-D', '-f', '-qq', '-o', '/dev/null', '-e', 'signal=none', '-e', `trace=${calls}`]
  if (path !== undefined) options.push('-P', path)
  return ['strace', ...options, '-e', `inject=${injection}`, '--']
}

/** The calls in a trace, in the order in which they returned; without an incomplete last one. */
export function readTrace(traceFile: string): FileCall[] {
  const unfinished = new Map<string, string>()
  const calls: FileCall[] = []
  for (const line of readFileSync(traceFile, 'latin1').split('\n')) {
    const space = line.indexOf(' ')
    const thread = line.slice(0, space)
    let text = line.slice(space + 1).trimStart()
    if (text.endsWith('<unfinished ...>')) {
      unfinished.set(thread, text.slice(0, -'<unfinished ...>'.length))
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(text)
    if (resumed) text = (unfinished.get(thread) ?? '') + text.slice(resumed[0].length)
    const call = parseCall(text)
    if (call) calls.push(call)
  }
  return calls
}

/** E.g. `pwrite64(24<\x2f…>, "\x37…"..., 4096, 8192) = 4096`. */
function parseCall(text: string): FileCall | undefined {
  const result = / = (-?\d+)(?: .*)?$/.exec(text)
  if (result === null) return undefined
  const value = Number(result[1])
  if (value < 0) return undefined
  const open = text.indexOf('(')
  const name = text.slice(0, open)
  const [descriptor = '', ...rest] = text.slice(open + 1, text.lastIndexOf(')')).split(', ')
  const path = unhex(/<(.*)>/.exec(descriptor)?.[1] ?? '').toString()
  switch (name) {
    case 'pwrite64':
      return { call: 'write', path, at: Number(rest[2]), bytes: unhex(rest[0] ?? '').subarray(0, value) }
    case 'write':
      if (!descriptor.startsWith('1<')) return undefined
      return { call: 'print', text: unhex(rest[0] ?? '').toString() }
    case 'fsync':
    case 'fdatasync':
      return { call: 'sync', path }
    case 'ftruncate':
      return { call: 'truncate', path, size: Number(rest[0]) }
    default:
      return undefined
  }
}

const unhex = (text: string): Buffer => Buffer.from(text.replace(/[^0-9a-f]/g, ''), 'hex')
