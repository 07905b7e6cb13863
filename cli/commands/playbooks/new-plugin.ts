import { dirname, join, relative } from 'node:path'
import { Command, Option } from 'commander'
import { ConflictError } from '../../../core/errors/errors.ts'
import { readConfig } from '../../../server/config/config.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { makePlugin, type NewPlugin } from '../../new-plugin/make-plugin.ts'
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
  tocsin new plugin ticket-system --yaml --in ~/plugins`,
    )
    .action(async (text: string, { connection, yaml, in: parent }: NewPluginOptions) => {
      const name = pluginNameOf(text)
      await refuseTaken(name.name)
      const place = pluginPlaceOf(process.cwd(), parent, pluginsDir)
      const template = yaml ? 'yaml' : connection ? 'connected' : 'plain'
      const plugin: NewPlugin = { ...place, name, template, root }
      const { folder, files } = await makePlugin(plugin)
      console.log(report(plugin, folder, files))
    })
}

interface NewPluginOptions {
  readonly connection?: boolean
  readonly yaml?: boolean
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
