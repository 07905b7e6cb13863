import { dirname, join, relative } from 'node:path'
import { Command, Option } from 'commander'
import { ConflictError } from '../../../core/errors/errors.ts'
import { readConfig } from '../../../server/config/config.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { makePlugin, type NewPlugin } from '../../new-plugin/make-plugin.ts'
import type { OpenedFile } from '../../new-plugin/openapi-file.ts'
import { pluginPlaceOf } from '../../new-plugin/place-of.ts'
import { pluginNameOf } from '../../new-plugin/plugin-name.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'

export function newPluginCommand(): Command {
  return new Command('plugin')
    .description('create a working plugin with tests, as a start for your own')
    .argument('<name>', 'e.g. ticket-system, which playbooks call ticket_system')
    .option('--yaml', 'in YAML, for a system with an HTTP API; needs no code')
    .addOption(
      new Option(
        '--connection',
        'in TypeScript, with a connection to another system, and its sandbox',
      ).conflicts('yaml'),
    )
    .addOption(
      new Option('--openapi <file>', 'in YAML, from an OpenAPI 3 or Swagger 2 document').conflicts([
        'connection',
        'yaml',
      ]),
    )
    .option('--operations <list>', 'with --openapi: ids, numbers or `GET /path`, separated by commas')
    .option('--list', 'with --openapi: only show the operations')
    .option('--in <folder>', 'parent folder of the plugin')
    .addHelpText(
      'after',
      `
In a checkout of Tocsin, creates plugins/<name>, which Tocsin finds there. Elsewhere, creates a separate package; add it to
TOCSIN_PLUGINS. Overwrites nothing.

Continue with docs/write-a-plugin-in-yaml.md, or with plugins/README.md for TypeScript.

Examples:
  tocsin new plugin ticket-system --yaml              a plugin.yaml with recorded answers
  tocsin new plugin ticket-system --connection        the same in TypeScript
  tocsin new plugin word-counter                      the smallest plugin, without a connection
  tocsin new plugin ticket-system --yaml --in ~/plugins
  tocsin new plugin ticket-system --openapi api.yaml  choose the operations at the terminal
  tocsin new plugin ticket-system --openapi api.yaml --operations 'listTickets,GET /tickets/{id}'`,
    )
    .action(async (text: string, options: NewPluginOptions, command: Command) => {
      const { connection, yaml, openapi, operations, list, in: parent } = options
      const name = pluginNameOf(text)
      if (openapi === undefined && (operations ?? list) !== undefined)
        command.error('error: --operations and --list need --openapi')
      const opened = openapi === undefined ? undefined : await (await openApi()).openOpenApiFile(openapi)
      if (opened && list === true) {
        const { operationTable } = await import('../../new-plugin/choose-by-hand.ts')
        console.log(operationTable(opened.operations))
        return
      }
      await refuseTaken(name.name)
      const place = pluginPlaceOf(process.cwd(), parent, pluginsDir)
      const template = yaml || opened ? 'yaml' : connection ? 'connected' : 'plain'
      const plugin: NewPlugin = { ...place, name, template, root }
      if (opened) {
        await importPlugin(plugin, opened, operations)
        return
      }
      const { folder, files } = await makePlugin(plugin)
      console.log(report(plugin, folder, files))
    })
}

/** Makes a plugin of the operations that are given, or chosen at the terminal. */
async function importPlugin(
  plugin: NewPlugin,
  opened: OpenedFile,
  operations: string | undefined,
): Promise<void> {
  const { chosenOperations, generateFrom } = await openApi()
  const chosen = await chosenOperations(opened.operations, operations)
  if (chosen.length === 0) {
    console.log('nothing was written')
    return
  }
  const { files: generated, remarks } = generateFrom(opened, chosen, plugin.name.name)
  const { folder, files } = await makePlugin({ ...plugin, generated })
  const shown = remarks.map((remark) => `  ${printable(remark, longest)}`)
  console.log(
    [report(plugin, folder, files), ...(shown.length === 0 ? [] : ['', 'check:', ...shown])].join('\n'),
  )
}

/** Loaded on demand: it takes longer than the help. */
const openApi = () => import('../../new-plugin/openapi-file.ts')

interface NewPluginOptions {
  readonly connection?: boolean
  readonly yaml?: boolean
  readonly openapi?: string
  readonly operations?: string
  readonly list?: boolean
  readonly in?: string
}

const { pluginsDir } = readConfig({})

/** @throws ConflictError `plugin_exists` */
async function refuseTaken(name: string): Promise<void> {
  const { plugins } = await installedCatalogue()
  if (plugins.every((plugin) => plugin.name !== name)) return
  throw new ConflictError('plugin_exists', `a plugin named '${name}' is installed already`, {
    hint: 'choose another name; `tocsin skills` lists what is installed',
  })
}

function report(plugin: NewPlugin, folder: string, files: readonly string[]): string {
  const listed = files.map((path) => `  ${printable(join(relative('.', folder), path), longest)}`)
  const steps = plugin.isPackage ? stepsOfPackage(plugin, folder) : stepsInCheckout(plugin, folder)
  const shown = steps.map((step) => `  ${printable(step, longest)}`)
  return [paint.good('made'), ...listed, '', 'next:', ...shown].join('\n')
}

/** Paths are shown in full. */
const longest = 5_000

const root = dirname(pluginsDir)

const stepsInCheckout = ({ name: { name }, template }: NewPlugin, folder: string) => [
  ...goTo(root),
  `npx tocsin plugins check ${relative(root, folder)}`,
  ...(template === 'yaml' ? [] : [`npx mocha --no-config "${relative(root, folder)}/**/*.test.ts"`]),
  `npx tocsin skills ${name}`,
  ...(template === 'plain' ? [] : [`npx tocsin sandbox ${name}`]),
]

const stepsOfPackage = ({ name: { name }, template }: NewPlugin, folder: string) => [
  ...goTo(folder),
  'npm install',
  template === 'yaml'
    ? 'npm test'
    : 'npm test                    # with Node 22.18 or later, which runs TypeScript',
  `TOCSIN_PLUGINS=${template === 'yaml' ? './plugin.yaml' : './plugin.ts'} npx tocsin skills ${name}`,
]

function goTo(folder: string): readonly string[] {
  const way = relative('.', folder)
  return way === '' ? [] : [`cd ${quoted(way)}`]
}

/** Quoted for a shell. */
const quoted = (text: string): string =>
  /^[\w./@+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
