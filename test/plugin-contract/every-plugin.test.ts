import { expect } from 'chai'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PluginDefinition } from '../../core/plugin/index.ts'
import {
  compilePlugin,
  exampleProblems,
  inHaste,
  loadPlugin,
  pluginFile,
  type LoadedPlugin,
} from '../../core/declarative/index.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { describePlugin } from '../../core/plugin/testing/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'

const pluginsDir = join(import.meta.dirname, '../../plugins')
const has = (folder: string, file: string) => existsSync(join(pluginsDir, folder, file))
const folders = readdirSync(pluginsDir).filter(
  (folder) => has(folder, 'plugin.ts') || has(folder, pluginFile),
)

// The generic plugin tests for all plugins of this repository.
for (const folder of folders) {
  const path = join(pluginsDir, folder)
  const file = join(path, pluginFile)
  const loaded = has(folder, pluginFile) ? loadPlugin({ path: file }) : undefined
  const plugin = loaded === undefined ? await imported(join(path, 'plugin.ts')) : compiled(file, loaded)
  if (plugin === undefined) continue
  const sandbox = await loadSandbox({ pluginsDir }, plugin.name)
  describePlugin(plugin, { folder: path, isDeclared: loaded !== undefined, ...(sandbox && { sandbox }) })
  if (loaded === undefined) continue
  describe(`plugin ${plugin.name}`, () => {
    it('has an answer for every request of its examples', async () => {
      expect(await exampleProblems(loaded.declared!)).to.deep.equal([])
    })
  })
}

async function imported(path: string): Promise<PluginDefinition> {
  return ((await import(pathToFileURL(path).href)) as { default: PluginDefinition }).default
}

/**
 * Undefined if it has problems, which a failing test reports: an error here would hide them behind one of
 * mocha.
 */
function compiled(path: string, { declared, problems, source }: LoadedPlugin): PluginDefinition | undefined {
  if (declared !== undefined) return compilePlugin(inHaste(declared))
  describe(`plugin ${basename(dirname(path))}`, () => {
    it('loads', () => {
      throw new Error(`${path}\n${problems.map((problem) => formatProblem(problem, source)).join('\n')}`)
    })
  })
  return undefined
}

describe('the plugins of this repository', () => {
  it('are all tested above', () => {
    expect(folders).to.include('http')
  })
})
