import { dirname, join, relative } from 'node:path'
import { Command } from 'commander'
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
    .option('--connection', 'with a connection to another system, and a sandbox of that system')
    .option('--in <folder>', 'parent folder of the plugin')
    .addHelpText(
      'after',
      `
In a checkout of Tocsin, creates plugins/<name>, which Tocsin finds there. Elsewhere, creates a separate package; add it to
TOCSIN_PLUGINS. Overwrites nothing.

Continue with plugins/README.md.

Examples:
  tocsin new plugin word-counter                      the smallest plugin
  tocsin new plugin ticket-system --connection
  tocsin new plugin ticket-system --connection --in ~/plugins`,
    )
    .action(async (text: string, options: { connection?: boolean; in?: string }) => {
      const name = pluginNameOf(text)
      await refuseTaken(name.name)
      const place = pluginPlaceOf(process.cwd(), options.in, pluginsDir)
      const plugin: NewPlugin = { ...place, name, isConnected: options.connection === true }
      const { folder, files } = await makePlugin(plugin)
      console.log(report(plugin, folder, files))
    })
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

function report({ name, isPackage }: NewPlugin, folder: string, files: readonly string[]): string {
  const listed = files.map((path) => `  ${printable(join(relative('.', folder), path), longest)}`)
  const steps = isPackage ? stepsOfPackage(folder, name.name) : stepsInCheckout(folder, name.name)
  const shown = steps.map((step) => `  ${printable(step, longest)}`)
  return [paint.good('made'), ...listed, '', 'next:', ...shown].join('\n')
}

/** Paths are shown in full. */
const longest = 5_000

const root = dirname(pluginsDir)

const stepsInCheckout = (folder: string, name: string) => [
  ...goTo(root),
  `npx mocha --no-config "${relative(root, folder)}/**/*.test.ts"`,
  `npx mocha --no-config test/plugin-contract/every-plugin.test.ts --fgrep "plugin ${name}"`,
  `npx tocsin skills ${name}`,
]

const stepsOfPackage = (folder: string, name: string) => [
  ...goTo(folder),
  `npm install --save-dev ${quoted(root)}`,
  'npm test                    # with Node 22.18 or later, which runs TypeScript',
  `TOCSIN_PLUGINS=./plugin.ts npx tocsin skills ${name}`,
]

function goTo(folder: string): readonly string[] {
  const way = relative('.', folder)
  return way === '' ? [] : [`cd ${quoted(way)}`]
}

/** Quoted for a shell. */
const quoted = (text: string): string =>
  /^[\w./@+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
