import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a tool can interpret systemd units. */
export const hasSystemdAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

/** What `systemd-analyze` answers. */
export function systemdAnalyze(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}` }
}

/**
 * The system calls that the filters of a unit allow: the first filter is the allow list, those with `~`
 * remove calls.
 */
export function allowedCalls(unit: string): ReadonlySet<string> {
  const sets = readSets(systemdAnalyze('syscall-filter').text)
  const members = (name: string): readonly string[] =>
    name.startsWith('@') ? (sets.get(name) ?? []).flatMap(members) : [name]
  let allowed = new Set<string>(members('@default'))
  for (const [, isTakenAway, names = ''] of unit.matchAll(/^SystemCallFilter=(~?)(.+)$/gm)) {
    const named = new Set(names.split(' ').flatMap(members))
    allowed = isTakenAway === '~' ? allowed.difference(named) : allowed.union(named)
  }
  return allowed
}

function readSets(text: string): ReadonlyMap<string, readonly string[]> {
  const sets = new Map<string, string[]>()
  let current: string[] = []
  for (const line of text.split('\n')) {
    if (/^@[\w-]+$/.test(line)) sets.set(line, (current = []))
    else if (/^ +[@\w-]+$/.test(line)) current.push(line.trim())
  }
  return sets
}

/**
 * The program and arguments of a tracer that writes the system calls of another program to a file and does
 * not intercept signals.
 */
export const tracing = (file: string): readonly string[] => [
  'strace',
  '-D',
  '-f',
  '-qq',
  '-e',
  'signal=none',
  '-o',
  file,
  '--',
]

/** The names of the system calls in a file written by `tracing`. */
export function tracedCalls(file: string): ReadonlySet<string> {
  const calls = readFileSync(file, 'latin1').matchAll(/^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed)/gm)
  return new Set([...calls].map(([, name = '']) => name))
}
