import { expect } from 'chai'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PluginDefinition } from '../../core/plugin/index.ts'
import { describePlugin } from '../../core/plugin/testing/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'

const pluginsDir = join(import.meta.dirname, '../../plugins')
const folders = readdirSync(pluginsDir).filter((folder) => existsSync(join(pluginsDir, folder, 'plugin.ts')))

// What holds for every plugin holds for the ones of this repository.
for (const folder of folders) {
  const path = join(pluginsDir, folder)
  const module = (await import(pathToFileURL(join(path, 'plugin.ts')).href)) as { default: PluginDefinition }
  const sandbox = await loadSandbox({ pluginsDir }, module.default.name)
  describePlugin(module.default, sandbox === undefined ? { folder: path } : { folder: path, sandbox })
}

describe('the plugins of this repository', () => {
  it('are among those just described', () => {
    expect(folders).to.include('http')
  })
})
