import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilePlugin, loadPlugin, readPlugin } from '../../core/declarative/index.ts'
import { NotFoundError } from '../../core/errors/errors.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { pluginWith, saidOf } from './support.ts'

/** Far more than any input needs, far less than a quadratic step would take. */
const enoughMs = 3000

function codesOf(source: string | Uint8Array): readonly string[] {
  const started = processorTime()
  const { plugin, problems } = readPlugin(source)
  expect(processorTime() - started, 'time taken').to.be.below(limitHere(enoughMs))
  if (plugin) compilePlugin(plugin)
  return problems.map(({ code }) => code)
}

const bomb = Array.from({ length: 9 }, (_, at) => {
  const before = at === 0 ? 'x' : `*a${at - 1}`
  return `a${at}: &a${at} [${Array(9).fill(before).join(', ')}]`
}).join('\n')

const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

describe('hostile plugin.yaml files', () => {
  const hostile: Readonly<Record<string, readonly [source: string | Uint8Array, code: string]>> = {
    'an alias bomb': [pluginWith({ skill: bomb }), 'E005'],
    'an alias of itself': [pluginWith({ skill: 'response: &a { properties: { a: *a } }' }), 'E006'],
    'a hundred thousand [': [pluginWith({ skill: `output: ${'['.repeat(100_000)}` }), 'E004'],
    'deep maps in an output': [
      pluginWith({ skill: `output: ${'{a: '.repeat(70)}1${'}'.repeat(70)}` }),
      'E004',
    ],
    'a file of 50 MB': ['#'.repeat(50_000_000), 'E001'],
    'bytes that are no text': [Uint8Array.of(0xff, 0xfe, 0x00), 'E002'],
    'a huge expression': [pluginWith({ skill: `output: { a: "\${{ ${'1 + '.repeat(5000)}1 }}" }` }), 'E209'],
    'a deep expression': [
      pluginWith({ skill: `output: { a: "\${{ ${'('.repeat(2000)}1${')'.repeat(2000)} }}" }` }),
      'E209',
    ],
    'a pattern that expands': [
      pluginWith({ skill: 'input: { a: { pattern: "((a{1000}){1000}){1000}" } }' }),
      'E311',
    ],
    'a field with the name of a prototype': [pluginWith({ skill: 'input: { __proto__: {} }' }), 'E107'],
    'an output with the name of a prototype': [
      pluginWith({ skill: 'output: { __proto__: { a: 1 } }' }),
      'E107',
    ],
    'a key with the name of a prototype': [pluginWith({ skill: 'constructor: x' }), 'E104'],
    'three hundred skills': [
      pluginWith({}) +
        many(
          300,
          (at) =>
            `  - { name: s_${at}, title: a, description: a, effect: read, request: { get: /a }, output: {} }`,
        ),
      'E107',
    ],
    'a direction override': [pluginWith({ skill: 'title: "\u202eabc"' }), 'E003'],
  }
  for (const [what, [source, code]] of Object.entries(hostile)) {
    it(`are refused quickly: ${what}`, () => {
      expect(codesOf(source)).to.include(code)
    })
  }

  it('cannot call a prototype', () => {
    const said = saidOf(
      pluginWith({
        skill: 'output: { a: "${{ settings.constructor }}", b: "${{ response.headers.constructor }}" }',
      }),
    )
    expect(said.join('\n')).to.include("settings has no field 'constructor'")
  })

  it('cannot hide a secret behind the keyword of JSON Schema, or a function', () => {
    for (const field of ['{ secret: true }', '{ x-secret: true }']) {
      for (const read of [
        'settings.key',
        'base64(settings.key)',
        'json(settings)',
        '[settings.key]',
        '{"a": settings}',
      ]) {
        const source = pluginWith({
          connection: `fields: { key: ${field} }`,
          skill: `output: { a: '\${{ ${read} }}' }`,
        })
        expect(codesOf(source), `${field} ${read}`).to.include('E803')
      }
    }
  })

  it('are read or refused, whatever is changed in them', () => {
    const random = makeRandom(seed)
    const sources = ['greynoise', 'abuseipdb'].map((name) =>
      readFileSync(join(import.meta.dirname, `../../plugins/${name}/plugin.yaml`), 'utf8'),
    )
    for (let at = 0; at < times(40); at++) {
      const source = sources[at % 2]!
      const [from, to] = [random(), random()].map((each) => Math.floor(each * source.length))
      const piece = source.slice(to, to! + 40)
      const cut = Math.floor(random() * 30)
      const changed = source.slice(0, from) + (random() < 0.5 ? piece : '') + source.slice(from! + cut)
      const { plugin } = readPlugin(changed)
      const problems = plugin ? checkPlugin(compilePlugin(plugin), undefined) : []
      const other = problems.filter(({ pointer }) => !/examples$|docs$/.test(pointer))
      expect(other, `seed ${seed}, change ${at}`).to.deep.equal([])
    }
  })
})

describe('hostile folders of plugins', () => {
  let folder: TemporaryFolder
  let plugin: string
  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    plugin = join(folder.path, 'plugins/example')
    mkdirSync(join(plugin, 'examples'), { recursive: true })
    writeFileSync(join(folder.path, 'secret.json'), '{ "title": "secret" }')
  })
  afterEach(() => folder.remove())

  /** The problems reported for an example at this path. */
  function refusal(path: string): string {
    writeFileSync(join(plugin, 'plugin.yaml'), pluginWith({ skill: `examples: ["${path}"]` }))
    return loadPlugin({ path: join(plugin, 'plugin.yaml') })
      .problems.map(({ code, message }) => `${code} ${message}`)
      .join('\n')
  }

  it('cannot name files outside', () => {
    for (const path of [
      '../../secret.json',
      'examples/../../../secret.json',
      '/etc/passwd',
      String.raw`..\\secret.json`,
    ])
      expect(refusal(path), path).to.include('is outside of the folder of the plugin')
  })

  it('cannot lead outside through links', () => {
    symlinkSync(join(folder.path, 'secret.json'), join(plugin, 'examples/file.json'))
    symlinkSync(folder.path, join(plugin, 'examples/folder'))
    for (const path of ['examples/file.json', 'examples/folder/secret.json'])
      expect(refusal(path), path).to.include('is a link to a place outside of the folder of the plugin')
  })

  it('cannot make the reader wait or fill the memory', () => {
    writeFileSync(join(plugin, 'examples/large.json'), Buffer.alloc(1_100_000))
    expect(refusal('examples/large.json')).to.include('E804').and.include('at most 1048576 are allowed')
    expect(refusal('examples')).to.include('is not a file')
    execFileSync('mkfifo', [join(plugin, 'examples/pipe.json')])
    expect(refusal('examples/pipe.json')).to.include('is not a file')
    execFileSync('mkfifo', [join(folder.path, 'plugin.yaml')])
    expect(() => loadPlugin({ path: join(folder.path, 'plugin.yaml') })).to.throw(
      NotFoundError,
      'is not a file',
    )
  })

  it('cannot make the reader load a huge plugin.yaml', () => {
    const path = join(plugin, 'plugin.yaml')
    writeFileSync(path, '')
    truncateSync(path, 50_000_000_000)
    const { definition, problems } = loadPlugin({ path, file: 'plugin.yaml' })
    expect(definition).to.equal(undefined)
    expect(problems.map(({ code, message, line }) => ({ code, message, line }))).to.deep.equal([
      { code: 'E001', message: 'the file has 50000000000 bytes; at most 1048576 are allowed', line: 1 },
    ])
  })

  it('cannot break the reader with an example', () => {
    for (const text of [
      '',
      '[]',
      '{"title":1}',
      '['.repeat(100_000),
      '{"__proto__":{}}',
      '{"title":"a","input":{},"output":{},"responses":[{"status":1e9}]}',
    ]) {
      writeFileSync(join(plugin, 'examples/bad.json'), text)
      expect(refusal('examples/bad.json'), text.slice(0, 80)).to.include('E804')
    }
  })
})
