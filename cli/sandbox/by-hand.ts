import { nearest } from '../../core/schema/index.ts'
import type { SandboxCommand } from '../../core/plugin/index.ts'
import { paint } from '../output/paint.ts'
import { printableLines } from '../output/printable.ts'
import { table } from '../output/table.ts'
import { chooseFault, faultWords } from './choose-fault.ts'
import { curlLines } from './curl-lines.ts'
import type { StartedSandbox } from './start-sandboxes.ts'
import { argumentsIn, wordOf } from './usage.ts'

/** A line that was understood, as work to do. */
export type Work = () => Promise<string>

export interface ByHandOptions {
  readonly organization: string
  /** Of the server that the connections are meant for, with its prefix. */
  readonly apiUrl: string
  /** Shows requests or no longer does. */
  readonly watch: (isOn: boolean) => void
}

/** A command, of one sandbox or for all. */
interface Entry {
  readonly plugin: string | undefined
  readonly command: SandboxCommand
}

/**
 * Understands what is typed at the prompt: a command of the prompt, or one of a sandbox, with the plugin's name before it where several have it.
 *
 * @throws Error that says what was not understood
 */
export function byHand(sandboxes: readonly StartedSandbox[], options: ByHandOptions): (line: string) => Work {
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
    // What people and other systems wrote is part of it.
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
  if (word === '') throw new Error(`${plugin} has: ${words.join(', ') || 'nothing to do by hand'}`)
  const meant = nearest(word, words)
  throw new Error(
    `'${word}' is no command: ${meant === undefined ? "'help' lists them" : `did you mean ${meant}?`}`,
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
    throw new Error(`'${plugin}' is none of ${sandboxes.map((one) => one.plugin).join(', ')}`)
  }
  return [
    {
      usage: 'fail <plugin> <how> [times]',
      description: "the next requests (1) meet a fault, e.g. fail messaging 429 3; 'all' for every plugin",
      run(plugin = '', how = '', times = '') {
        if (!/^\d{0,4}$/.test(times)) throw new Error(`'${times}' is no number of requests`)
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
      description: 'no more requests a minute are answered, others with 429, e.g. limit travel 5',
      run(plugin = '', requests = '') {
        if (!/^[1-9]\d{0,3}$/.test(requests)) throw new Error(`'${requests}' is no number of requests`)
        const limited = chosen(plugin)
        for (const { running } of limited) running.limitRate?.({ requests: Number(requests), perMs: 60_000 })
        return `at most ${requests} a minute: ${limited.map((one) => one.plugin).join(', ')}`
      },
    },
    {
      usage: 'heal [plugin]',
      description: 'requests are answered again, whatever was said with fail and limit',
      run(plugin = '') {
        const healed = chosen(plugin)
        for (const { running } of healed) running.stopFailing?.()
        return `healed: ${healed.map((one) => one.plugin).join(', ')}`
      },
    },
    {
      usage: 'faults [plugin]',
      description: 'the ways to fail',
      run: (plugin = '') =>
        table(
          ['HOW', 'WHAT HAPPENS'],
          faultWords(plugin === '' ? {} : Object.assign({}, ...chosen(plugin).map(faultsOf))),
        ),
    },
    {
      usage: 'settings [plugin]',
      description: 'the connection to make, as a curl line',
      run: (plugin = '') =>
        chosen(plugin)
          .map((sandbox) => curlLines(sandbox, { organization, apiUrl }))
          .join('\n\n'),
    },
    {
      usage: 'requests <on|off>',
      description: 'show requests as they arrive, or do not',
      run(state = '') {
        if (state !== 'on' && state !== 'off') throw new Error('write it as: requests on, or requests off')
        watch(state === 'on')
        return `requests are ${state === 'on' ? '' : 'not '}shown`
      },
    },
    { usage: 'help', description: 'this list', run: help },
    { usage: 'quit', description: 'end; Ctrl-C does too', run: () => '' },
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
