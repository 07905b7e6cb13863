import { dirname, join, relative } from 'node:path'
import { Command } from 'commander'
import { ConflictError } from '../../../core/errors/errors.ts'
import { readConfig } from '../../../server/config/config.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { makePlugin, type NewPlugin } from '../../new-plugin/make-plugin.ts'
import { placeOf } from '../../new-plugin/place-of.ts'
import { pluginNameOf } from '../../new-plugin/plugin-name.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'

/** `tocsin new plugin`: a plugin that works, to be changed into another one. */
export function newPluginCommand(): Command {
  return new Command('plugin')
    .description('make a plugin that builds, passes its tests and can be used, to be changed into yours')
    .argument('<name>', 'e.g. ticket-system, which playbooks call ticket_system')
    .option(
      '--connection',
      'there is another system to reach: with a connection, and a sandbox of that system',
    )
    .option('--in <folder>', 'where its folder is made')
    .addHelpText(
      'after',
      `
In the checkout of Tocsin it becomes plugins/<name>, and is found there. Anywhere else it is a package of its own, which TOCSIN_PLUGINS
names. Nothing is overwritten.

plugins/README.md is the guide for what comes next.

Examples:
  tocsin new plugin word-counter                      the smallest there is
  tocsin new plugin ticket-system --connection
  tocsin new plugin ticket-system --connection --in ~/plugins`,
    )
    .action(async (text: string, options: { connection?: boolean; in?: string }) => {
      const name = pluginNameOf(text)
      await refuseTaken(name.name)
      const place = placeOf(process.cwd(), options.in, pluginsDir)
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

/** Of a line: paths are shown whole. */
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

/** As one word of a shell. */
const quoted = (text: string): string =>
  /^[\w./@+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
