import { expect } from 'chai'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSkill, webhookRequest } from '../../core/plugin/testing/index.ts'
import { Secret, type PluginDefinition } from '../../core/plugin/index.ts'
import { implementationsOf } from '../../core/interface/definitions.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openCheckedPlugins, shippedFile } from '../../core/declarative/index.ts'
import { compiled, pluginWith } from './support.ts'

describe('the file of checked plugins', () => {
  let folder: TemporaryFolder
  let pluginsDir: string
  let checkedFile: string
  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    pluginsDir = join(folder.path, 'plugins')
    checkedFile = join(folder.path, 'checked.json')
  })
  afterEach(() => folder.remove())

  const connection = `fields: { api_key: { secret: true } }
auth: { header: key, value: "\${{ settings.api_key }}" }
errors: [{ when: response.status == 400, hint: check it }]
webhooks:
  events:
    verify: { header: key, value: "\${{ settings.api_key }}" }
    handshake: { text: hello }
    provider: siem`
  const source = pluginWith({
    connection,
    skill:
      'input: { n: { type: integer } }\nrequest: { get: [it, "${{ input.n }}"] }\nimplements: { find_user: { input: { n: 7 }, output: { users: [{ id: a }] } } }\nexamples: [examples/one.json]',
  })

  function write(text = source): void {
    mkdirSync(join(pluginsDir, 'example/examples'), { recursive: true })
    writeFileSync(join(pluginsDir, 'example/plugin.yaml'), text)
    const example = { title: 'One', input: { n: 1 }, responses: [{ body: {} }], output: { status: 200 } }
    writeFileSync(join(pluginsDir, 'example/examples/one.json'), JSON.stringify(example))
  }
  const load = async (): Promise<PluginDefinition> =>
    (await discoverPlugins({ pluginsDir, checkedFile })).plugins[0]!

  it('gives the same plugin as reading it', async () => {
    write()
    const [first, later] = [await load(), await load()]
    const shape = (plugin: PluginDefinition) =>
      JSON.stringify(plugin, (_, value: unknown) => (typeof value === 'function' ? 'function' : value))
    expect(JSON.parse(shape(later))).to.deep.equal(JSON.parse(shape(first)))
    expect(later.skills[0]!.connection).to.equal(later.connection)
    const { find_user: mapped } = implementationsOf(later.skills[0]!)
    expect(mapped!.output!({ status: 200 }, {})).to.deep.equal({ users: [{ id: 'a' }] })
    const { output, requests } = await runSkill(
      later.skills[0]!,
      { n: 7 },
      { settings: { api_key: 'a-long-key' }, replies: [{ json: {} }] },
    )
    expect(output).to.deep.equal({ status: 200 })
    expect(requests[0]).to.include({ path: '/it/7' }).and.have.nested.property('headers.key', 'a-long-key')
    const request = webhookRequest('{}', { headers: { key: 'a-long-key' } })
    const known = { api_key: new Secret('a-long-key') }
    expect(later.connection?.inbound?.['events']?.(request, known).alerts).to.have.length(1)
    expect(later.connection?.handshakes?.['events']?.(request, known)).to.deep.equal({ text: 'hello' })
  })

  it('does not read the YAML again until the plugin is used', async () => {
    write()
    await load()
    const remembered = JSON.parse(readFileSync(checkedFile, 'utf8')) as {
      plugins: Record<string, { plugin: { data: { title: string } } }>
    }
    for (const { plugin } of Object.values(remembered.plugins)) plugin.data.title = 'From the file'
    writeFileSync(checkedFile, JSON.stringify(remembered))
    expect((await load()).title).to.equal('From the file')
  })

  it('reads a plugin that was changed, and reports what is wrong with it', async () => {
    write()
    await load()
    write(source.replace('title: Example', 'title: Changed'))
    expect((await load()).title).to.equal('Changed')
    write(source.replace('get: [it', 'gte: [it'))
    const error: unknown = await load().catch((caught: unknown) => caught)
    expect(error).to.have.property('message').that.includes('E104')
  })

  it('is shipped with a package, and counts for its code whenever that was installed', () => {
    const root = join(folder.path, 'package')
    const code = join(root, 'core/declarative/read.js')
    for (const part of ['declarative', 'expression', 'playbook', 'schema'])
      mkdirSync(join(root, 'core', part), { recursive: true })
    writeFileSync(join(root, 'package.json'), '{}')
    writeFileSync(code, 'one')
    const built = openCheckedPlugins(undefined, root)
    built.add('key', compiled(source), join(root, 'plugins/example/plugin.yaml'))
    built.save()
    const isKnown = () =>
      openCheckedPlugins(checkedFile, root).find('key', () => compiled(source)) !== undefined
    utimesSync(code, 1, 1)
    expect(isKnown()).to.equal(true)
    writeFileSync(code, 'other')
    expect(isKnown()).to.equal(false)
  })

  it('is kept by a checkout for its own plugins, whatever data directory is used', async () => {
    const root = join(import.meta.dirname, '../..')
    await discoverPlugins({ pluginsDir: join(root, 'plugins'), checkedFile })
    expect(existsSync(checkedFile)).to.equal(false)
    const remembered = JSON.parse(readFileSync(join(root, '.build', shippedFile), 'utf8')) as {
      plugins: Record<string, { plugin: { data: { name: string } } }>
    }
    const names = Object.values(remembered.plugins).map(({ plugin }) => plugin.data.name)
    expect(names).to.include('virustotal').and.not.include('example')
  })

  it('may be missing or damaged, and forgets plugins that are gone', async () => {
    write()
    writeFileSync(checkedFile, '{"code":')
    expect((await load()).title).to.equal('Example')
    rmSync(join(pluginsDir, 'example'), { recursive: true })
    await discoverPlugins({ pluginsDir, checkedFile })
    expect(JSON.parse(readFileSync(checkedFile, 'utf8'))).to.deep.include({ plugins: {} })
    const elsewhere = join(folder.path, 'none/checked.json')
    write()
    await discoverPlugins({ pluginsDir, checkedFile: elsewhere })
    expect(existsSync(elsewhere)).to.equal(false)
  })
})
