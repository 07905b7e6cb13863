import { dirname, relative } from 'node:path'
import { compilePlugin, exampleProblems, inHaste, loadPlugin } from '../../core/declarative/index.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'
import type { PluginDefinition } from '../../core/plugin/index.ts'
import { contractTests } from '../../core/plugin/testing/index.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import {
  fileOf,
  pluginModules,
  type PluginModule,
  type PluginSources,
} from '../../core/registry/plugin-modules.ts'
import { pluginKindOf, type PluginKind } from './list-plugins.ts'

/** The result of checking one plugin. */
export interface TriedPlugin {
  readonly name: string | undefined
  readonly kind: PluginKind
  readonly source: string
  readonly path: string
  /** Number of passed tests. */
  readonly passed: number
  /** A problem with a place in `plugin.yaml` belongs to no test. */
  readonly failures: readonly { readonly test: string | undefined; readonly message: string }[]
  /** Warnings at their places in `plugin.yaml`. */
  readonly warnings: readonly string[]
}

/** Runs the tests that every plugin passes: declaration, examples, wrong credentials, malformed answers. */
export async function tryPlugin(module: PluginModule): Promise<TriedPlugin> {
  const about = { kind: pluginKindOf(module), source: module.source, path: fileOf(module) }
  const { definition, failures, warnings } = await (module.yaml === undefined
    ? fromModule(about.path)
    : fromYaml(module, module.yaml))
  if (definition === undefined) return { ...about, name: undefined, passed: 0, failures, warnings }
  const only: PluginSources = { pluginsDir: '', packages: [about.path] }
  const sandbox = await loadSandbox(only, definition.name)
  const found = [...failures]
  let passed = 0
  const isPackage = module.folder === undefined
  const isDeclared = module.yaml !== undefined
  const options = { folder: dirname(about.path), isPackage, isDeclared, ...(sandbox && { sandbox }) }
  for (const { name, run } of contractTests(definition, options)) {
    try {
      await run()
      passed++
    } catch (error) {
      found.push({ test: name, message: (error as Error).message })
    }
  }
  return { ...about, name: definition.name, passed, failures: found, warnings }
}

/** The plugins at these paths of folders, modules and `plugin.yaml` files. */
export const modulesAt = (paths: readonly string[]): readonly PluginModule[] =>
  pluginModules({
    pluginsDir: '',
    packages: paths.map((path) => (/^\.{0,2}\//.test(path) ? path : `./${path}`)),
  })

interface Loaded extends Pick<TriedPlugin, 'failures' | 'warnings'> {
  readonly definition: PluginDefinition | undefined
}

async function fromModule(path: string): Promise<Loaded> {
  const { plugins } = await discoverPlugins({ pluginsDir: '', packages: [path] })
  return { definition: plugins[0], failures: [], warnings: [] }
}

async function fromYaml({ folder }: PluginModule, path: string): Promise<Loaded> {
  const { declared, problems, source } = loadPlugin({
    path,
    file: relative('.', path),
    isNamedAfterFolder: folder !== undefined,
  })
  const shown = (wanted: string) =>
    problems.filter(({ severity }) => severity === wanted).map((problem) => formatProblem(problem, source))
  const warnings = shown('warning')
  if (declared === undefined)
    return {
      definition: undefined,
      failures: shown('error').map((message) => ({ test: undefined, message })),
      warnings,
    }
  const failures = (await exampleProblems(declared)).map(({ file, problem }) => ({
    test: file,
    message: problem,
  }))
  return { definition: compilePlugin(inHaste(declared)), failures, warnings }
}
