import { nearest } from '../../core/schema/index.ts'
import type { SandboxCommand } from '../../core/plugin/index.ts'
import { paint } from '../output/paint.ts'
import { printableLines } from '../output/printable.ts'
import { table } from '../output/table.ts'
import { curlLines } from './curl-lines.ts'
import type { StartedSandbox } from './start-sandboxes.ts'
import { argumentsIn, wordOf } from './usage.ts'
import type { Failure, SandboxReply } from '../../core/plugin/testing/index.ts'

/** A parsed command, ready to run. */
export type HandWork = () => Promise<string>

export interface ByHandOptions {
  readonly organization: string
  /** The API of the server for the connections, with its prefix. */
  readonly apiUrl: string
  /** Turns the printing of requests on or off. */
  readonly watch: (isOn: boolean) => void
}

/** A command of the prompt. */
interface Entry {
  readonly plugin: string | undefined
  readonly command: SandboxCommand
}

/**
 * Parses a typed line: a command of the prompt or of a sandbox, prefixed with the plugin if several have it.
 *
 * @throws Error for an unknown command
 */
export function byHand(
  sandboxes: readonly StartedSandbox[],
  options: ByHandOptions,
): (line: string) => HandWork {
  const entries: readonly Entry[] = [
    ...sandboxes.flatMap(({ plugin, running }) =>
      (running.commands ?? []).map((command) => ({ plugin, command })),
    ),
    ...general(sandboxes, options, () => help(entries)).map((command) => ({ plugin: undefined, command })),
  ]
  return (line) => {
    const [first = '', ...others] = line.trim().split(/\s+/)
    const isPlugin = sandboxes.some(({ plugin }) => plugin === first.replaceAll('-', '_'))
    const plugin = isPlugin ? first.replaceAll('-', '_') : undefined
    const word = isPlugin ? (others[0] ?? '') : first
    const { plugin: owner, command } = find(entries, plugin, word)
    const typed = line
      .trim()
      .slice(isPlugin ? first.length : 0)
      .trim()
      .slice(word.length)
    const words = argumentsIn(command.usage, typed)
    if (words === undefined) throw new Error(`write it as: ${command.usage}`)
    // Output may contain text of other systems.
    return async () =>
      owner === undefined ? await command.run(...words) : printableLines(await command.run(...words))
  }
}

function find(entries: readonly Entry[], plugin: string | undefined, word: string): Entry {
  const among = plugin === undefined ? entries : entries.filter((entry) => entry.plugin === plugin)
  const [found, another] = among.filter(({ command }) => wordOf(command.usage) === word)
  if (found !== undefined && another === undefined) return found
  if (found !== undefined && another !== undefined) {
    const [one, two] = [found, another].map(({ plugin: name }) => `'${name} ${word}'`)
    throw new Error(`several have '${word}': write ${one} or ${two}`)
  }
  const words = among.map(({ command }) => wordOf(command.usage))
  if (word === '') throw new Error(`${plugin} has: ${words.join(', ') || 'no commands'}`)
  const meant = nearest(word, words)
  throw new Error(
    `unknown command '${word}': ${meant === undefined ? "'help' lists them" : `did you mean ${meant}?`}`,
  )
}

function general(
  sandboxes: readonly StartedSandbox[],
  { organization, apiUrl, watch }: ByHandOptions,
  help: () => string,
): readonly SandboxCommand[] {
  const chosen = (plugin: string): readonly StartedSandbox[] => {
    if (plugin === '' || plugin === 'all') return sandboxes
    const found = sandboxes.filter((one) => one.plugin === plugin.replaceAll('-', '_'))
    if (found.length > 0) return found
    throw new Error(
      `unknown plugin '${plugin}': expected one of ${sandboxes.map((one) => one.plugin).join(', ')}`,
    )
  }
  return [
    {
      usage: 'fail <plugin> <how> [times]',
      description:
        "makes the next requests (default 1) fail, e.g. fail messaging 429 3; 'all' for every plugin",
      run(plugin = '', how = '', times = '') {
        if (!/^\d{0,4}$/.test(times)) throw new Error(`'${times}' is not a valid number of requests`)
        const count = Number(times === '' ? 1 : times)
        for (const { plugin: name, running } of chosen(plugin)) {
          if (running.failNext === undefined) throw new Error(`the sandbox of ${name} cannot be made to fail`)
          running.failNext(chooseFault(how, running.faults), count)
        }
        return `the next ${count === 1 ? 'request' : `${count} requests`} to ${plugin}: ${how}`
      },
    },
    {
      usage: 'limit <plugin> <requests>',
      description: 'limits the requests per minute and answers 429 beyond, e.g. limit travel 5',
      run(plugin = '', requests = '') {
        if (!/^[1-9]\d{0,3}$/.test(requests))
          throw new Error(`'${requests}' is not a valid number of requests`)
        const limited = chosen(plugin)
        for (const { running } of limited) running.limitRate?.({ requests: Number(requests), perMs: 60_000 })
        return `at most ${requests} a minute: ${limited.map((one) => one.plugin).join(', ')}`
      },
    },
    {
      usage: 'heal [plugin]',
      description: 'removes all faults and limits',
      run(plugin = '') {
        const healed = chosen(plugin)
        for (const { running } of healed) running.stopFailing?.()
        return `healed: ${healed.map((one) => one.plugin).join(', ')}`
      },
    },
    {
      usage: 'faults [plugin]',
      description: 'lists the faults',
      run: (plugin = '') =>
        table(
          ['HOW', 'WHAT HAPPENS'],
          faultWords(plugin === '' ? {} : Object.assign({}, ...chosen(plugin).map(faultsOf))),
        ),
    },
    {
      usage: 'settings [plugin]',
      description: 'prints a curl command that creates the connection',
      run: (plugin = '') =>
        chosen(plugin)
          .map((sandbox) => curlLines(sandbox, { organization, apiUrl }))
          .join('\n\n'),
    },
    {
      usage: 'requests <on|off>',
      description: 'shows or hides requests as they arrive',
      run(state = '') {
        if (state !== 'on' && state !== 'off') throw new Error('write it as: requests on, or requests off')
        watch(state === 'on')
        return `requests are ${state === 'on' ? '' : 'not '}shown`
      },
    },
    { usage: 'help', description: 'this list', run: help },
    { usage: 'quit', description: 'stops; so does Ctrl-C', run: () => '' },
  ]
}

const faultsOf = ({ running }: StartedSandbox) => running.faults ?? {}

function help(entries: readonly Entry[]): string {
  const plugins = [...new Set(entries.map(({ plugin }) => plugin))]
  const widest = Math.max(...entries.map(({ command }) => command.usage.length))
  return plugins
    .map((plugin) => {
      const lines = entries
        .filter((entry) => entry.plugin === plugin)
        .map(({ command: { usage, description } }) => `  ${usage.padEnd(widest)}  ${paint.dim(description)}`)
      return [paint.strong(plugin ?? 'all'), ...lines].join('\n')
    })
    .join('\n')
}

/** Failures of the test kit. */
const failures: Readonly<Record<Failure, string>> = {
  reset: 'closes the connection',
  hang: 'never answers',
  drip: 'answers byte by byte, without end',
  garbage: 'answers with invalid JSON',
  huge: 'answers with an oversized body',
  gzip_bomb: 'answers with a small body that decompresses to an oversized one',
}

/** Every kind of failure, with its effect. */
function faultWords(own: Readonly<Record<string, SandboxReply>> = {}): readonly (readonly string[])[] {
  return [
    ['400 to 599', 'answers with this status; 429 with Retry-After: 2'],
    ...Object.entries(failures),
    ...Object.entries(own).map(([name, { status = 200 }]) => [
      name,
      `answers like the real system: ${status}`,
    ]),
  ]
}

/**
 * Parses a kind of failure: a status, a failure of the test kit, or one of the system.
 *
 * @throws Error for an unknown one
 */
function chooseFault(
  typed: string,
  own: Readonly<Record<string, SandboxReply>> = {},
): SandboxReply | Failure {
  const wanted = typed.toLowerCase()
  if (Object.hasOwn(failures, wanted)) return wanted as Failure
  const [, reply] = Object.entries(own).find(([name]) => name.toLowerCase() === wanted) ?? []
  if (reply !== undefined) return reply
  if (!/^[45]\d\d$/.test(wanted)) throw new Error(`unknown fault '${typed}'; 'faults' lists them`)
  return {
    status: Number(wanted),
    ...(wanted === '429' ? { headers: { 'retry-after': '2' } } : {}),
    json: { error: { code: wanted, message: 'The sandbox was told to fail.' } },
  }
}
