import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { makePlugin, type NewPlugin } from '../../cli/new-plugin/make-plugin.ts'
import { pluginNameOf } from '../../cli/new-plugin/plugin-name.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('tocsin plugins', function () {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const make = (name: string, template: NewPlugin['template']) => {
    const root = join(import.meta.dirname, '../..')
    return makePlugin({ name: pluginNameOf(name), parent: folder.path, template, root, isPackage: true })
  }
  const tocsin = (args: readonly string[], env: Record<string, string> = {}) =>
    runTocsin(['plugins', ...args], { cwd: folder.path, env })

  it('lists plugins with their kind and origin', async () => {
    await make('gong', 'yaml')
    const env = { TOCSIN_PLUGINS: './gong/plugin.yaml' }
    const [shown, json] = await Promise.all([tocsin([], env), tocsin(['--json'], env)])
    expect(shown.stdout)
      .to.match(/^case +Case +TypeScript +\d+ +plugins\/case$/m)
      .and.match(/^gong +Gong +YAML +2 +\.\/gong\/plugin\.yaml \(gong\)$/m)
    const plugins = JSON.parse(json.stdout) as readonly { readonly name: string }[]
    expect(plugins.find(({ name }) => name === 'gong')).to.deep.include({
      kind: 'YAML',
      source: './gong/plugin.yaml',
      needs_connection: true,
      skills: ['gong.get_item', 'gong.list_items'],
    })
  })

  it('checks the plugins in a folder, and names each mistake', async () => {
    await make('drum', 'yaml')
    const good = await tocsin(['check', 'drum'])
    expect(good, good.stdout).to.deep.include({ code: 0, stderr: '' })
    expect(good.stdout).to.match(/^✓ drum {2}\d+ tests passed {2}drum\/plugin\.yaml$/m)

    const path = join(folder.path, 'drum/examples/item.json')
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace('"name": "Bell" } }]', '"name": "Gong" } }]'),
    )
    const bad = await tocsin(['check', 'drum'])
    expect(bad.code).to.equal(1)
    expect(bad.stdout)
      .to.match(/^✗ drum {2}2 failed/m)
      .and.include(
        '  examples/item.json\n    the answers give a different `output`: {"found":true,"name":"Gong"}',
      )
      .and.include('get_item matches its example: An item')

    const yaml = join(folder.path, 'drum/plugin.yaml')
    await writeFile(yaml, (await readFile(yaml, 'utf8')).replace('effect: read', 'efect: read'))
    const broken = await tocsin(['check', 'drum', '--json'])
    expect(broken.code).to.equal(1)
    const [tried] = JSON.parse(broken.stdout) as readonly {
      readonly failures: readonly { message: string }[]
    }[]
    expect(tried?.failures[0]?.message).to.match(/plugin\.yaml:\d+:5 {2}error E104 {2}unknown .*efect/)
  })

  it('writes the outputs of the skills into the examples on request', async () => {
    await make('horn', 'yaml')
    const path = join(folder.path, 'horn/examples/item.json')
    const { output, ...example } = JSON.parse(await readFile(path, 'utf8')) as { readonly output: unknown }
    await writeFile(path, JSON.stringify(example))
    const without = await tocsin(['check', 'horn'])
    expect(without.stdout).to.include('--write-outputs').and.include('✗ horn/plugin.yaml  not tested')
    const written = await tocsin(['check', 'horn', '--write-outputs'])
    expect(written, written.stdout).to.include({ code: 0 })
    expect(JSON.parse(await readFile(path, 'utf8'))).to.deep.equal({ ...example, output })
  })

  it('reports a folder that does not exist, and one without a plugin', async () => {
    expect((await tocsin(['check', 'nowhere'])).stderr).to.include('nowhere does not exist')
    await mkdir(join(folder.path, 'empty'))
    const { code, stderr } = await tocsin(['check', 'empty'])
    expect(code).to.equal(1)
    expect(stderr).to.include('./empty contains neither a plugin.yaml nor a plugin.ts')
  })
})
