import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { compilePlugin, pluginKeys, readPlugin } from '../../core/declarative/index.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { modulesAt, tryPlugin } from '../../cli/plugins/try-plugin.ts'
import { Secret } from '../../core/plugin/index.ts'
import { webhookRequest } from '../../core/plugin/testing/index.ts'
import type { MapDeclaration } from '../../core/playbook/language/key-table.ts'
import { keysTable } from '../playbook/keys-reference.ts'
import { pluginWith, saidOf } from './support.ts'

const root = join(import.meta.dirname, '../..')
const page = (path: string): string => readFileSync(join(root, path), 'utf8')
const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)

const reference = 'docs/declarative-plugins.md'
const regions = /(<!-- keys ([\w ]+) -->\n)[\s\S]*?(?=<!-- \/keys -->)/g
const maps: Readonly<Record<string, MapDeclaration>> = pluginKeys

describe(reference, () => {
  it('has each key in a table, once', () => {
    const found = [...page(reference).matchAll(regions)].flatMap(([, , named = '']) => {
      const [map = '', ...some] = named.split(' ')
      return (some.length === 0 ? Object.keys(maps[map]!.keys) : some).map((key) => `${map}.${key}`)
    })
    // `check` and `before` are requests with further keys.
    const every = Object.entries(maps).flatMap(([map, { keys }]) =>
      Object.keys(keys).flatMap((key) =>
        ['check', 'before'].includes(map) && key in maps['request']!.keys ? [] : [`${map}.${key}`],
      ),
    )
    expect(found.toSorted()).to.deep.equal(every.toSorted())
  })

  it('has the tables of the key declarations', async () => {
    const file = join(root, reference)
    const given = page(reference).replaceAll(
      regions,
      (_, opening: string, named: string) => `${opening}${keysTable(named, maps)}`,
    )
    const written = await format(given, { ...(await resolveConfig(file)), parser: 'markdown' })
    if (process.env['UPDATE']) writeFileSync(file, written)
    const hint = 'UPDATE=1 npx mocha test/declarative/documentation.test.ts writes it anew'
    expect(page(reference) === written, hint).to.equal(true)
  })

  const withFields =
    'fields: { api_key: { secret: true }, client_id: {}, client_secret: { secret: true }, plan: { enum: [free, team] } }'
  for (const block of blocksOf(page(reference), 'yaml')) {
    it(`shows what loads: ${block.split('\n')[0]}`, () => {
      const isOfSkill = /^(request|output|effect|before):/.test(block)
      const input = 'input: { id: {}, since: { optional: true } }'
      const parts = isOfSkill
        ? { skill: `${input}\n${block}` }
        : { connection: block.startsWith('fields:') ? block : `${withFields}\n${block}` }
      const source = block.startsWith('undone_by:') ? withRelated(block) : pluginWith(parts)
      expect(saidOf(source)).to.deep.equal([])
    })
  }
})

/** A destructive skill with these keys, and the skills that they name. */
function withRelated(keys: string): string {
  const about = 'title: T\n    description: D.\n    request: { post: /it }\n    output: {}'
  const skill = `effect: write\nrepeat: safe\ndestructive: containment\ninput: { comment: {} }
output: { id: { type: string, value: "\${{ response.body.id }}" } }\n${keys}`
  return `${pluginWith({ skill })}  - name: release_host
    effect: write\n    repeat: safe\n    input: { id: {}, comment: {} }\n    ${about}
  - name: get_host
    effect: read\n    input: { id: {} }\n    ${about.replace('{}', '{ status: "${{ response.text }}" }')}\n`
}

type Files = Readonly<Record<string, string>>

const sourceIn = (text: string): string =>
  blocksOf(text, 'yaml').find((block) => block.startsWith('# plugins/'))!

/** The examples of the plugin in this folder, by their paths in it. */
const examplesIn = (text: string, folder: string): Files =>
  Object.fromEntries(
    blocksOf(text, 'json').flatMap((block) => {
      const { file, ...example } = JSON.parse(block) as { readonly file?: string }
      return file === undefined ? [] : [[file.replace(`plugins/${folder}/`, ''), JSON.stringify(example)]]
    }),
  )

const filesOf = (files: Files) => ({
  read: (path: string) => (files[path] === undefined ? { refused: 'does not exist' } : { text: files[path] }),
})

/** The result of `tocsin plugins check` for a plugin of these files. */
async function checked(name: string, files: Files) {
  const folder = join(root, '.build/written', name)
  mkdirSync(join(folder, 'examples'), { recursive: true })
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
  const [module] = modulesAt([folder])
  return await tryPlugin(module!)
}

describe('docs/receive-alerts-by-webhook.md', () => {
  const text = page('docs/receive-alerts-by-webhook.md')
  const source = sourceIn(text)
  const body = blocksOf(text, 'json').at(-1)!

  it('shows a webhook that receives what the page shows', () => {
    const { plugin } = readPlugin(source, { files: filesOf(examplesIn(text, 'badlist-alerts')) })
    const { alerts: receive } = compilePlugin(plugin!).connection!.inbound!
    const settings = { signing_secret: new Secret('a-long-secret'), provider: 'badlist' }
    const nowMs = 1_800_000_000_000
    const signed = (time: number) => {
      const signature = createHmac('sha256', 'a-long-secret').update(`${time}.${body}`).digest('hex')
      const headers = { 'x-badlist-time': String(time), 'x-badlist-signature': signature }
      return receive!(webhookRequest(body, { nowMs, headers }), settings)
    }
    const { alerts } = JSON.parse(body) as { readonly alerts: readonly unknown[] }
    expect(signed(1_800_000_000)).to.deep.equal({
      alerts: [
        {
          provider: 'badlist',
          type: 'badlist_beacon',
          content: JSON.stringify(alerts[0]),
          dedupeKey: 'b-17',
        },
      ],
    })
    expect(() => signed(1_700_000_000)).to.throw('more than 300 s from now')
  })

  it('shows files that pass `tocsin plugins check`', async () => {
    const files = { 'README.md': 'badlist_alerts.get_alert', ...examplesIn(text, 'badlist-alerts') }
    const { failures, warnings } = await checked('badlist-alerts', { 'plugin.yaml': source, ...files })
    expect({ failures, warnings }).to.deep.equal({ failures: [], warnings: [] })
  })
})

describe('docs/write-a-plugin-in-yaml.md', () => {
  const text = page('docs/write-a-plugin-in-yaml.md')
  const source = sourceIn(text)
  const examples = examplesIn(text, 'badlist')
  const { problems } = readPlugin(source, { files: filesOf(examples), folder: 'badlist' })

  it('shows a plugin without problems', () => {
    expect(problems.map((problem) => formatProblem(problem, source)).join('\n')).to.equal('')
  })

  it('shows files that pass `tocsin plugins check`', async () => {
    const [readme = ''] = blocksOf(text, 'md')
    const files = { 'plugin.yaml': source, 'README.md': readme, ...examples }
    const { passed, failures, warnings } = await checked('badlist', files)
    expect({ failures, warnings }).to.deep.equal({ failures: [], warnings: [] })
    expect(passed).to.be.above(20)
  })

  it('shows a problem as it is reported', () => {
    const wrong = source.replace(/get: \[lookup, .*\]/, "get: '/lookup/${{ input.value }}'")
    const [problem] = readPlugin(wrong, {}).problems
    const { line, column, code, message, hint } = problem!
    expect(text).to.include(`plugins/badlist/plugin.yaml:${line}:${column} ${code} ${message} (${hint})`)
  })
})
