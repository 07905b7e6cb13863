import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { makePlugin } from '../../cli/new-plugin/make-plugin.ts'
import { pluginPlaceOf } from '../../cli/new-plugin/place-of.ts'
import { pluginNameOf } from '../../cli/new-plugin/plugin-name.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The files that `npm install` adds to a plugin's folder. */
const installed = ['@types', 'chai', 'mocha', 'typescript', '.bin/mocha', '.bin/tsc', '.bin/node']

describe('tocsin new plugin', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let parent: string

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'node_modules/.bin'), { recursive: true })
    await symlink(join(root, 'cli/tocsin.js'), join(folder.path, 'node_modules/.bin/tocsin'))
    await symlink(root, join(folder.path, 'node_modules/tocsin'))
    for (const name of installed)
      await symlink(join(root, 'node_modules', name), join(folder.path, 'node_modules', name))
  })
  beforeEach(async () => {
    parent = await mkdtemp(join(await realpath(folder.path), 'work-'))
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const tocsin = (...args: readonly string[]) => runTocsin(args, { cwd: parent })
  const contents = async (path: string) => (await readdir(path, { recursive: true })).toSorted()
  const npm = (name: string, ...args: readonly string[]) => run('npm', args, { cwd: join(parent, name) })

  const kinds = [
    { kind: 'minimal', name: 'word_counter', options: [], skill: 'word_counter.count_words' },
    { kind: 'with a connection', name: 'bell', options: ['--connection'], skill: 'bell.get_item' },
  ]
  for (const { kind, name, options, skill } of kinds) {
    it(`creates a package that passes its tests, builds and works: ${kind}`, async () => {
      const { code, stdout, stderr } = await tocsin('new', 'plugin', name, ...options)
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      const made = name.replace('_', '-')
      const files = (await contents(join(parent, made))).filter((path) => path.includes('.'))
      for (const path of files) expect(stdout).to.include(`  ${made}/${path}\n`)
      expect(stdout).to.include(`  TOCSIN_PLUGINS=./plugin.ts npx tocsin skills ${name}`)

      expect((await npm(made, 'test')).stdout)
        .to.match(/^ +\d+ passing/m)
        .and.not.include('failing')
      await npm(made, 'run', 'build')
      const types = await readFile(join(parent, made, 'dist/plugin.d.ts'), 'utf8')
      expect(types).to.match(/from 'tocsin\/plugin'[^]*declare const plugin: PluginDefinition/)
      for (const module of ['plugin.ts', 'dist/plugin.js']) {
        const env = { TOCSIN_PLUGINS: `./${made}/${module}` }
        const skills = await runTocsin(['skills', name], { cwd: parent, env })
        expect(skills.stdout + skills.stderr).to.match(new RegExp(`^${skill} .* read$`, 'm'))
      }
    })
  }

  it('creates a sandbox for use by hand', async () => {
    await tocsin('new', 'plugin', 'bell', '--connection')
    const env = { TOCSIN_PLUGINS: './bell/plugin.ts' }
    const { stdout } = await runTocsin(['sandbox', 'bell'], { cwd: parent, env, input: 'add 8 Gong\nquit\n' })
    expect(stdout)
      .to.match(/^ +bell +http:\/\/127/m)
      .and.include('2 items exist')
  })

  it('creates no manifest inside the checkout', async () => {
    const template = 'connected' as const
    const plugin = { name: pluginNameOf('bell'), parent, template, root, isPackage: false }
    const { files } = await makePlugin(plugin)
    expect(files).to.have.members([
      'README.md',
      'bell.test.ts',
      'connection.ts',
      'plugin.ts',
      'sandbox.ts',
      'skills/get-item.ts',
    ])
  })

  it("creates a plugin in the checkout's folder, and a package elsewhere", () => {
    const pluginsDir = '/opt/tocsin/plugins'
    const inside = { parent: pluginsDir, isPackage: false }
    expect(pluginPlaceOf('/opt/tocsin', undefined, pluginsDir)).to.deep.equal(inside)
    expect(pluginPlaceOf('/opt/tocsin', 'plugins', pluginsDir)).to.deep.equal(inside)
    expect(pluginPlaceOf('/opt/tocsin/plugins', undefined, pluginsDir)).to.deep.equal(inside)
    expect(pluginPlaceOf('/opt/tocsin', 'mine', pluginsDir)).to.deep.equal({
      parent: '/opt/tocsin/mine',
      isPackage: true,
    })
    expect(pluginPlaceOf('/home/kim', undefined, pluginsDir)).to.deep.equal({
      parent: '/home/kim',
      isPackage: true,
    })
    const installed = '/home/kim/node_modules/tocsin/plugins'
    expect(pluginPlaceOf('/home/kim/node_modules/tocsin', undefined, installed)).to.include({
      isPackage: true,
    })
  })

  it('creates a plugin in YAML that passes its tests with npm alone', async () => {
    const { code, stdout } = await tocsin('new', 'plugin', 'bell', '--yaml')
    expect(code, stdout).to.equal(0)
    expect(await contents(join(parent, 'bell'))).to.deep.equal([
      'README.md',
      'examples',
      'examples/item.json',
      'examples/items.json',
      'examples/no-item.json',
      'package.json',
      'plugin.yaml',
    ])
    expect((await npm('bell', 'test')).stdout).to.match(/^✓ bell {2}\d+ tests passed/m)
    const [schema = ''] = (await readFile(join(parent, 'bell/plugin.yaml'), 'utf8')).split('\n')
    expect(schema).to.equal(
      '# yaml-language-server: $schema=./node_modules/tocsin/schemas/plugin.schema.json',
    )
    const both = await tocsin('new', 'plugin', 'gong', '--yaml', '--connection')
    expect([both.code, both.stderr.includes("cannot be used with option '--yaml'")]).to.deep.equal([2, true])
  })

  it('requires the tested versions of tools, and this Tocsin', async () => {
    await tocsin('new', 'plugin', 'bell')
    const own = await manifest(root)
    const { name, devDependencies, ...rest } = await manifest(join(parent, 'bell'))
    const { tocsin: here, ...tools } = devDependencies
    for (const [tool, version] of Object.entries(tools))
      expect(version, tool).to.equal(own.devDependencies[tool])
    expect(here).to.equal(`file:${relative(join(parent, 'bell'), root)}`)
    // npm must not look these packages up in the public registry.
    expect({ name, ...rest }).to.deep.include({
      name: '@example/tocsin-bell',
      private: true,
      peerDependencies: { tocsin: `^${own.version}` },
      peerDependenciesMeta: { tocsin: { optional: true } },
    })
  })

  it('overwrites nothing', async () => {
    await mkdir(join(parent, 'bell'))
    await writeFile(join(parent, 'bell/plugin.ts'), 'mine')
    await writeFile(join(parent, 'gong'), 'a file')
    for (const name of ['bell', 'gong']) {
      const { code, stderr } = await tocsin('new', 'plugin', name)
      expect(code).to.equal(1)
      expect(stderr).to.include(`${join(parent, name)} already exists`)
    }
    expect(await contents(parent)).to.deep.equal(['bell', 'bell/plugin.ts', 'gong'])
    expect(await readFile(join(parent, 'bell/plugin.ts'), 'utf8')).to.equal('mine')
  })

  it('creates another folder on request', async () => {
    expect(await tocsin('new', 'plugin', 'bell', '--in', 'all/plugins')).to.include({ code: 0 })
    expect(await contents(join(parent, 'all/plugins'))).to.include('bell/package.json')
    const { stdout } = await tocsin('new', 'plugin', 'gong', '--in', "all of kim's")
    expect(stdout)
      .to.include("made\n  all of kim's/gong/README.md\n")
      .and.include(`  cd 'all of kim'\\''s/gong'\n`)
  })

  it('refuses an invalid or existing plugin name and suggests another', async () => {
    const names = {
      'My Tickets': 'my-tickets',
      TicketSystem: 'ticket-system',
      '../bell': 'bell',
      '7zip': 'zip',
      'a--b': 'a-b',
      bell_: 'bell',
      '': 'ticket-system',
      'ü\u001b[2J': 'j',
      ['x'.repeat(60)]: 'ticket-system',
    }
    for (const name of ['con', 'nul', 'com1', 'lpt9']) {
      const { code, stderr } = await tocsin('new', 'plugin', name)
      expect(code, name).to.equal(1)
      expect(stderr).to.include('Windows reserves it').and.include(`e.g. ${name}-tools`)
    }
    for (const [name, offered] of Object.entries(names)) {
      const { code, stderr } = await tocsin('new', 'plugin', name)
      expect(code, name).to.equal(1)
      expect(stderr).to.include('is not a valid plugin name').and.include(`e.g. ${offered}\n`)
      expect(stderr).not.to.include('\u001b[2J')
    }
    const { code, stderr } = await tocsin('new', 'plugin', 'threat-platform')
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr:
        "error a plugin named 'threat_platform' is installed already\n" +
        'hint  choose another name; `tocsin skills` lists what is installed\n',
    })
    expect(await contents(parent)).to.deep.equal([])
  })
})

interface Manifest {
  readonly name: string
  readonly version: string
  readonly devDependencies: Record<string, string>
}

async function manifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}
