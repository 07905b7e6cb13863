import { expect } from 'chai'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ValidationError } from '../../core/errors/errors.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { compileSchema } from '../../core/schema/index.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import type { PluginSources } from '../../core/registry/plugin-modules.ts'

const root = join(import.meta.dirname, '../..')

function pluginSource(name: string): string {
  return `import { definePlugin, defineSkill } from 'tocsin/plugin'
const echo = defineSkill({
  name: 'echo', title: 'Echo', description: 'Says it again.', effect: 'read',
  input: { type: 'object' }, output: { type: 'object' }, examples: [{ title: 'x', input: {}, output: {} }],
  run: async () => ({}),
})
export default definePlugin({ name: '${name}', title: 'Echo', description: 'Echo.', skills: [echo] })
`
}

async function refusal(sources: PluginSources): Promise<string> {
  return discoverPlugins(sources).then(
    () => expect.fail('it should have been refused'),
    (error: unknown) => {
      expect(error).to.be.instanceOf(ValidationError).and.include({ code: 'plugins_invalid' })
      return (error as ValidationError).message
    },
  )
}

describe('discoverPlugins', () => {
  let pluginsDir: string

  beforeEach(() => {
    // Inside the repository, so that `tocsin/plugin` is found.
    mkdirSync(join(root, '.build'), { recursive: true })
    pluginsDir = mkdtempSync(join(root, '.build', 'plugins-'))
  })
  afterEach(() => rmSync(pluginsDir, { recursive: true }))

  function add(folder: string, source: string, file = 'plugin.ts'): string {
    mkdirSync(join(pluginsDir, folder), { recursive: true })
    writeFileSync(join(pluginsDir, folder, file), source)
    return join(pluginsDir, folder, file)
  }

  it('finds every folder with a plugin, in TypeScript or compiled', async () => {
    add('echo-box', pluginSource('echo_box'))
    add('alpha', pluginSource('alpha'), 'plugin.js')
    add('notes', 'just text', 'README.md')
    const catalogue = await discoverPlugins({ pluginsDir })
    expect(catalogue.plugins.map(({ name }) => name)).to.deep.equal(['alpha', 'echo_box'])
    expect(catalogue.skills.map(({ name }) => name)).to.deep.equal(['alpha.echo', 'echo_box.echo'])
    expect(catalogue.skill('echo_box.echo')?.plugin.name).to.equal('echo_box')
    expect(catalogue.skill('echo_box.none')).to.equal(undefined)
    expect(catalogue.skill('constructor')).to.equal(undefined)
  })

  it('gives a packed plugin that finds no Tocsin beside it the running one', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'packed-'))
    const path = join(elsewhere, 'node_modules/@example/tocsin-bell/dist/plugin.js')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(join(elsewhere, 'node_modules/@example/tocsin-bell/package.json'), '{ "type": "module" }')
    writeFileSync(path, pluginSource('bell'))
    writeFileSync(
      join(dirname(path), 'sandbox.js'),
      "import 'tocsin/plugin/testing'\nexport default { start() {} }\n",
    )
    try {
      const sources = { pluginsDir, packages: [path] }
      expect((await discoverPlugins(sources)).skills.map(({ name }) => name)).to.deep.equal(['bell.echo'])
      expect(await loadSandbox(sources, 'bell')).to.have.property('start')
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })

  it('accepts a copied folder as another integration', async () => {
    cpSync(join(root, 'plugins/http'), join(pluginsDir, 'my-api'), { recursive: true })
    const path = join(pluginsDir, 'my-api')
    expect(await refusal({ pluginsDir })).to.include(
      "plugins/my-api:/name 'http' must match its folder 'my-api'",
    )
    writeFileSync(join(path, 'plugin.ts'), pluginSource('my_api'))
    expect(await loadSandbox({ pluginsDir }, 'my_api')).to.have.property('start')
  })

  const declared = (name: string, path = '/it', more = '') => `apiVersion: tocsin/v1
plugin: ${name}
title: Declared
description: A declared plugin.
connection: { base_url: 'https://api.example.com', check: { get: /ping } }
skills:
  - { name: get_it, title: Get it, description: Gets it, effect: read, request: { get: '${path}' }, ${more}output: { ok: true } }
`

  it('reads plugins that are declared in YAML, in the folder and elsewhere', async () => {
    add('my-api', declared('my_api'), 'plugin.yaml')
    add('elsewhere', declared('other_name'), 'plugin.yaml')
    const elsewhere = join(pluginsDir, 'elsewhere')
    const outside = join(pluginsDir, 'none')
    cpSync(elsewhere, join(outside, 'elsewhere'), { recursive: true })
    rmSync(elsewhere, { recursive: true })
    for (const path of [join(outside, 'elsewhere'), join(outside, 'elsewhere/plugin.yaml')]) {
      const { skills } = await discoverPlugins({ pluginsDir, packages: [path] })
      expect(skills.map(({ name }) => name)).to.deep.equal(['my_api.get_it', 'other_name.get_it'])
    }
  })

  it('says at which place a declared plugin is wrong, and refuses two declarations', async () => {
    add('my-api', declared('my_ipa', '/a/../b'), 'plugin.yaml')
    add('both', declared('both'), 'plugin.yaml')
    add('both', pluginSource('both'))
    const message = await refusal({ pluginsDir })
    expect(message).to.include("plugins/my-api/plugin.yaml:2:9 E806 'my_ipa' must match its folder 'my-api'")
    expect(message).to.match(/plugins\/my-api\/plugin.yaml:7:\d+ E802 the path/)
    expect(message).to.include('plugins/both has plugin.yaml and plugin.ts: remove one of them')
  })

  it('reads a package whose main export is a plugin.yaml, with its examples and sandbox', async () => {
    // Where Node finds the packages that Tocsin imports.
    const name = `tocsin-test-plugin-${process.pid}`
    const path = join(root, 'node_modules', name)
    mkdirSync(join(path, 'examples'), { recursive: true })
    try {
      writeFileSync(join(path, 'package.json'), JSON.stringify({ name, exports: './plugin.yaml' }))
      writeFileSync(join(path, 'plugin.yaml'), declared('gong', '/it', 'examples: [examples/one.json], '))
      const example = { title: 'One', input: {}, responses: [{ body: {} }], output: { ok: true } }
      writeFileSync(join(path, 'examples/one.json'), JSON.stringify(example))
      const sources = { pluginsDir, packages: [name] }
      const catalogue = await discoverPlugins(sources)
      expect(catalogue.plugins.map((plugin) => plugin.name)).to.deep.equal(['gong'])
      expect(catalogue.skill('gong.get_it')!.skill.examples).to.have.length(1)
      expect(await loadSandbox(sources, 'gong')).to.have.property('start')
      writeFileSync(join(path, 'plugin.yaml'), declared('gong', '/it', 'examples: [../one.json], '))
      expect(await refusal(sources)).to.match(/plugin\.yaml:7:\d+ E804 '\.\.\/one\.json' is outside/)
    } finally {
      rmSync(path, { recursive: true })
    }
  })

  it('reports the warnings about declared plugins, once', async () => {
    add('my-api', declared('my_api'), 'plugin.yaml')
    const warned: string[] = []
    const sources = { pluginsDir, checkedFile: join(pluginsDir, 'checked.json') }
    const report: Parameters<typeof discoverPlugins>[1] = (file, warnings) =>
      warned.push(...warnings.map(({ code, line }) => `${file}:${line} ${code}`))
    await discoverPlugins(sources, report)
    await discoverPlugins(sources, report)
    expect(warned).to.deep.equal(['plugins/my-api/plugin.yaml:7 W802'])
  })

  it('adds configured packages and paths', async () => {
    const path = add('elsewhere', pluginSource('free_name'), 'index.ts')
    const catalogue = await discoverPlugins({ pluginsDir: join(pluginsDir, 'none'), packages: [path] })
    expect(catalogue.plugins.map(({ name }) => name)).to.deep.equal(['free_name'])
  })

  it('refuses a plugin that uses another copy of Tocsin, whose error classes differ', async () => {
    const path = add('elsewhere', pluginSource('free_name'), 'index.ts')
    add('elsewhere', '{ "type": "module" }', 'package.json')
    const copy = join(pluginsDir, 'elsewhere/node_modules/tocsin')
    mkdirSync(copy, { recursive: true })
    const manifest = { name: 'tocsin', type: 'module', exports: { './plugin': './plugin.js' } }
    writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(copy, 'plugin.js'), "export * from '../../../../../core/plugin/index.ts'")
    expect(await refusal({ pluginsDir: join(pluginsDir, 'none'), packages: [path] })).to.include(
      `${path} uses a different copy of Tocsin (${join(copy, 'plugin.js')})`,
    )
  })

  it('reports all problems of all plugins in one error', async () => {
    add('broken', "const a = 1\nconst b = { a: 'x'\n  c: 1 }")
    add('throws', "\n\nthrow new Error('no such file')")
    add('imports', "import './elsewhere.ts'")
    add('imports', 'import { nope } from "node:path"\nexport default nope', 'elsewhere.ts')
    add('empty', 'export const plugin = 1')
    add('twin', pluginSource('twin'))
    const twin = add('other', pluginSource('twin'), 'index.ts')
    const message = await refusal({ pluginsDir, packages: ['tocsin-plugin-not-installed', twin] })
    expect(message).to.match(/plugins\/broken cannot be imported: \/\S+\/broken\/plugin\.ts:3: Expected/)
    expect(message).to.match(/plugins\/throws cannot be imported: \/\S+\/throws\/plugin\.ts:3: no such file/)
    expect(message).to.match(/plugins\/imports cannot be imported: \/\S+\/imports\/elsewhere\.ts:1: .*'nope'/)
    expect(message).to.include('plugins/empty must export a plugin as default')
    expect(message).to.match(/tocsin-plugin-not-installed cannot be imported: Cannot find package '[^']+'$/m)
    expect(message).to.include(`${twin} the name 'twin' is taken by plugins/twin`)
  })

  it('tests schemas and examples of packages, but not of the folder, which has its own tests', async () => {
    const broken = (name: string) => pluginSource(name).replace("input: { type: 'object' }", 'input: broken')
    const source = (schema: string) => `const broken = ${schema}\n`
    const pattern = source(`{ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }`)
    const keyword = source(`{ type: 'object', patternProperties: {} }`)
    const path = add('elsewhere', pattern + broken('free_name'), 'index.ts')
    expect(await refusal({ pluginsDir: join(pluginsDir, 'none'), packages: [path] })).to.include(
      ':/skills/echo/input',
    )
    add('quick', pattern + broken('quick'))
    const { skill } = (await discoverPlugins({ pluginsDir })).skill('quick.echo')!
    expect(() => compileSchema(skill.input as JsonSchema)).to.throw(
      ValidationError,
      /the schema cannot be used/,
    )
    add('plain', keyword + broken('plain'))
    expect(await refusal({ pluginsDir })).to.include("unknown keyword 'patternProperties'")
  })

  it('finds nothing in a folder that does not exist', async () => {
    expect((await discoverPlugins({ pluginsDir: join(pluginsDir, 'none') })).plugins).to.deep.equal([])
  })

  it('accepts the plugins of this repository', async () => {
    const catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins') })
    expect(catalogue.skill('http.get')?.skill.effect).to.equal('read')
    expect(catalogue.connection('http')?.title).to.equal('HTTP API')
    const enriching = catalogue.implementing('enrich')
    expect(enriching).to.have.length.above(5)
    for (const { name, skill } of enriching) expect(skill.enriches, name).to.be.an('array')
  })
})

describe('loadSandbox', () => {
  it('finds the sandbox beside the module of a package, whatever its name', async () => {
    const sources = { pluginsDir: 'none', packages: [join(root, 'plugins/travel/plugin.ts')] }
    expect(await loadSandbox(sources, 'travel')).to.have.property('start')
    expect(await loadSandbox(sources, 'messaging')).to.equal(undefined)
  })

  it('returns undefined for a plugin without a sandbox', async () => {
    expect(await loadSandbox({ pluginsDir: join(root, 'plugins') }, 'no_such_plugin')).to.equal(undefined)
  })
})
