import { Command } from 'commander'
import { relative } from 'node:path'
import { NotFoundError } from '../../../core/errors/errors.ts'
import { fileOf, pluginModules, type PluginModule } from '../../../core/registry/plugin-modules.ts'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import { existsSync, statSync } from 'node:fs'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printable, printableJson, printableLines } from '../../output/printable.ts'
import { listPlugins, pluginTable } from '../../plugins/list-plugins.ts'
import { writeOutputs } from '../../plugins/write-outputs.ts'
import { modulesAt, tryPlugin, type TriedPlugin } from '../../plugins/try-plugin.ts'

export function pluginsCommand(): Command {
  return new Command('plugins')
    .description('list the installed plugins, or check plugins')
    .option('--json', 'print JSON: name, title, kind, source, path, needs_connection, skills')
    .addHelpText(
      'after',
      `
Examples:
  tocsin plugins                                      where each plugin comes from
  tocsin plugins check ./bell                         test one that you write`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const plugins = await listPlugins(sources())
      console.log(json === true ? printableJson(plugins) : pluginTable(plugins))
    })
    .addCommand(checkCommand())
}

function sources() {
  const { pluginsDir, plugins } = readConfig(processEnvironment())
  return { pluginsDir, packages: plugins }
}

function checkCommand(): Command {
  return new Command('check')
    .description('run the tests that every plugin must pass, against its sandbox')
    .argument(
      '[paths...]',
      'folders of plugins, plugin.yaml files or modules; default: all installed plugins',
    )
    .option('--json', 'print JSON: name, kind, source, path, passed, failures, warnings')
    .option(
      '--write-outputs',
      'first write the outputs that the skills give into the examples of plugin.yaml',
    )
    .addHelpText(
      'after',
      `
Tests the declaration, the examples, wrong credentials and malformed answers. Calls no other system: a plugin.yaml is tested
against a sandbox made from its examples, unless there is a sandbox.ts beside it.

Examples:
  tocsin plugins check .                              the plugin in this folder
  tocsin plugins check plugins/bell
  tocsin plugins check --write-outputs plugins/bell   review the outputs before you rely on them`,
    )
    .action(async (paths: readonly string[], options: CheckOptions, command: Command) => {
      const isJson = options.json === true || command.parent?.opts()['json'] === true
      const tried: TriedPlugin[] = []
      for (const module of modulesFor(paths)) {
        if (options.writeOutputs === true && module.yaml !== undefined) await writeOutputs(module.yaml)
        const plugin = await tryPlugin(module)
        tried.push(plugin)
        if (!isJson) console.log(report(plugin))
      }
      if (isJson) console.log(printableJson(tried))
      if (tried.some(({ failures }) => failures.length > 0)) throw new Exit(exitCodes.failed)
    })
}

interface CheckOptions {
  readonly json?: boolean
  readonly writeOutputs?: boolean
}

/** @throws NotFoundError `file_not_found` */
function modulesFor(paths: readonly string[]): readonly PluginModule[] {
  if (paths.length === 0) return pluginModules(sources())
  const missing = paths.find((path) => !existsSync(path))
  if (missing !== undefined) throw notFound(`${printable(missing)} does not exist`)
  const modules = modulesAt(paths)
  const empty = modules.find((module) => statSync(fileOf(module)).isDirectory())
  if (empty !== undefined)
    throw notFound(`${printable(empty.source)} contains neither a plugin.yaml nor a plugin.ts`)
  return modules
}

const notFound = (message: string): NotFoundError =>
  new NotFoundError('file_not_found', message, {
    hint: 'name the folder of a plugin; `tocsin new plugin` creates one',
  })

function report({ name, path, passed, failures, warnings }: TriedPlugin): string {
  const where = printable(relative('.', path), 5_000)
  const count = `${passed} test${passed === 1 ? '' : 's'} passed`
  const result =
    failures.length === 0 ? count : name === undefined ? 'not tested' : `${failures.length} failed, ${count}`
  const mark = failures.length === 0 ? paint.good('✓') : paint.bad('✗')
  const lines = failures.map(({ test, message }) =>
    test === undefined ? printableLines(message) : `  ${printable(test)}\n${indented(message)}`,
  )
  const head = `${mark} ${paint.strong(name ?? where)}  ${result}  ${name === undefined ? '' : paint.dim(where)}`
  return [...warnings.map(printableLines), ...lines, head.trimEnd()].join('\n')
}

const indented = (text: string): string => printableLines(text).replaceAll(/^/gm, '    ')
