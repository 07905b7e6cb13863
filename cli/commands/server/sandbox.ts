import { Command, InvalidArgumentError } from 'commander'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import { sandboxKind } from '../../../core/registry/load-sandbox.ts'
import type { PluginSources } from '../../../core/registry/plugin-modules.ts'
import { NotFoundError, ValidationError } from '../../../core/errors/errors.ts'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import { apiClient, apiUrlOf } from '../../api-client.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { printable } from '../../output/printable.ts'
import { openPrompt } from '../../sandbox/open-prompt.ts'
import { connect } from '../../sandbox/connect.ts'
import { closeSandboxes, startSandboxes, type StartedSandbox } from '../../sandbox/start-sandboxes.ts'
import { talk } from '../../sandbox/talk.ts'
import { newsLines, redactorsOf, requestLine } from '../../sandbox/watch.ts'
import { stopSignal } from '../../stop-signal.ts'
import { paint } from '../../output/paint.ts'
import { curlLines, type ConnectionAddress } from '../../sandbox/curl-lines.ts'

interface SandboxCommandOptions {
  readonly port: number
  readonly connect?: string
  readonly key?: string
  readonly organization: string
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('start emulators of other systems with an interactive prompt')
    .argument('[plugins...]', 'plugins, e.g. messaging; default: those whose sandbox keeps a state')
    .option(
      '--port <n>',
      'port of the first sandbox, counting up for the others; default: free ports',
      portNumber,
      0,
    )
    .option('--connect <url>', 'create the connections on this server and test them')
    .option('--key <key>', 'API key of an administrator for --connect; default: TOCSIN_KEY')
    .option('--organization <code>', 'organization of the connections', 'main')
    .addHelpText(
      'after',
      `
Sandboxes listen on 127.0.0.1 and keep everything in memory. Allow the server to reach them:
  TOCSIN_ALLOW_PRIVATE_EGRESS=127.0.0.1 tocsin serve

The sandbox of a plugin in YAML answers only the requests of its examples, so it starts only if you name the plugin.

Shows each request as it arrives. Type 'help' to list the commands: press a button in a message, book a trip, let the next
requests fail, …

Examples:
  tocsin sandbox                                            those that keep a state, and curl lines for the connections
  TOCSIN_KEY=toc_… tocsin sandbox --connect http://127.0.0.1:8080
  tocsin sandbox messaging okta --port 9000                 two of them, on ports 9000 and 9001`,
    )
    .action(playByHand)
}

async function playByHand(names: readonly string[], options: SandboxCommandOptions): Promise<void> {
  const catalogue = await installedCatalogue()
  const { pluginsDir, plugins: packages } = readConfig(processEnvironment())
  const sources = { pluginsDir, packages }
  const plugins = chosen(names, await kindsOf(catalogue, sources))
  const stopped = stopSignal()
  const prompt = openPrompt()
  let isWatched = true
  let redactors: ReturnType<typeof redactorsOf> = new Map()
  let sandboxes: readonly StartedSandbox[] = []
  try {
    const address = { organization: options.organization, apiUrl: apiUrlOf(options.connect ?? defaultServer) }
    sandboxes = await startSandboxes({
      ...sources,
      plugins,
      firstPort: options.port,
      onAnswer(plugin, request, outcome) {
        const redactor = redactors.get(plugin)
        if (isWatched && redactor) prompt.say(requestLine(plugin, request, outcome, redactor))
      },
      onNews: (plugin, news) => prompt.say(newsLines(plugin, news)),
    })
    redactors = redactorsOf(sandboxes, catalogue)
    prompt.say(greeting(sandboxes, address, options.connect !== undefined))
    if (options.connect !== undefined) await connectAll(sandboxes, options, prompt.say)
    const watch = (isOn: boolean) => void (isWatched = isOn)
    await Promise.race([talk(prompt, sandboxes, { ...address, watch }), stopped])
  } finally {
    prompt.close()
    await closeSandboxes(sandboxes)
  }
}

const defaultServer = 'http://127.0.0.1:8080'

type SandboxKinds = ReadonlyMap<string, Awaited<ReturnType<typeof sandboxKind>>>

async function kindsOf(catalogue: Catalogue, sources: PluginSources): Promise<SandboxKinds> {
  const kinds = new Map<string, Awaited<ReturnType<typeof sandboxKind>>>()
  for (const { name, connection } of catalogue.plugins)
    kinds.set(name, connection === undefined ? undefined : await sandboxKind(sources, name))
  return kinds
}

/** @throws NotFoundError `sandbox_not_found` */
function chosen(names: readonly string[], kinds: SandboxKinds): readonly string[] {
  const available = [...kinds].flatMap(([name, kind]) => (kind === undefined ? [] : [name]))
  if (names.length === 0) return available.filter((name) => kinds.get(name) === 'written')
  const plugins = names.map((name) => name.replaceAll('-', '_'))
  const unknown = plugins.find((name) => !available.includes(name))
  if (unknown === undefined) return [...new Set(plugins)]
  throw new NotFoundError('sandbox_not_found', `the plugin '${printable(unknown)}' has no sandbox`, {
    hint: `plugins with a sandbox: ${available.join(', ')}`,
  })
}

/** @throws ValidationError `key_missing`, and errors of the server */
async function connectAll(
  sandboxes: readonly StartedSandbox[],
  { connect: url = '', key = processEnvironment()['TOCSIN_KEY'], organization }: SandboxCommandOptions,
  say: (text: string) => void,
): Promise<void> {
  if (key === undefined || key === '')
    throw new ValidationError('key_missing', '--connect needs the key of an administrator', [], {
      hint: 'set TOCSIN_KEY or add --key; the first start of a server shows a key, and `tocsin keys create` creates more',
    })
  const api = apiClient(apiUrlOf(url), key)
  for (const sandbox of sandboxes) say(`connection ${await connect(api, sandbox, { organization })}`)
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_000) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 65000.')
}

/** Printed after the start, with curl lines unless --connect creates the connections. */
function greeting(
  sandboxes: readonly StartedSandbox[],
  address: ConnectionAddress,
  connects: boolean,
): string {
  const widest = Math.max(...sandboxes.map(({ plugin }) => plugin.length))
  const list = sandboxes.map(
    ({ plugin, running }) => `  ${plugin.padEnd(widest)}  ${paint.strong(running.url)}`,
  )
  const one = sandboxes.length === 1 ? 'sandbox listens' : 'sandboxes listen'
  return [
    paint.good(`${sandboxes.length} ${one} on 127.0.0.1, with their data in memory`),
    ...list,
    '',
    ...(connects ? [] : byCurl(sandboxes, address)),
    "Requests are shown as they arrive. Type 'help' for commands, 'quit' or Ctrl-C to stop.",
  ].join('\n')
}

function byCurl(sandboxes: readonly StartedSandbox[], address: ConnectionAddress): string[] {
  return [
    'Start a server that may reach them:',
    '  TOCSIN_ALLOW_PRIVATE_EGRESS=127.0.0.1 tocsin serve',
    'Create their connections with an admin key in TOCSIN_KEY, or let --connect <url> create them:',
    '',
    ...sandboxes.flatMap((sandbox) => [curlLines(sandbox, address), '']),
  ]
}
