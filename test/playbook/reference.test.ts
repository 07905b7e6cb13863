import { needsEvent } from '../../core/trigger/example-trigger.ts'
import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { parse, stringify } from 'yaml'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { createWorld, resultOf, startProcess } from '../../core/playbook-test/run/run-test.ts'
import { parseWorld } from '../../core/playbook-test/read/parse.ts'
import { writeDuration } from '../../core/playbook/language/durations.ts'
import { grammar } from '../../core/playbook/language/grammar.ts'
import { resolveInputs } from '../../core/playbook/template/inputs.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import { parseWithCalled } from '../../core/playbook/read/parse-with-called.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { readBlocks, replaceBlocks, type Block } from '../support/guide-page.ts'
import { keysTable } from './keys-reference.ts'
import { keysUsed } from './keys-used.ts'

const root = join(import.meta.dirname, '../..')
const path = 'docs/playbooks.md'
const all = readBlocks(path)
const [world, ...examples] = all as [Block, ...Block[]]

/** Steps on the page omit the header of the playbook. */
const head = 'apiVersion: tocsin/v1\nname: piece\non:\n  alert: { type: example }\nsteps:\n'
const whole = ({ text }: Block) => (text.startsWith('-') ? head + text : text)
const regions = /(<!-- keys ([\w ]+) -->\n)[\s\S]*?(?=<!-- \/keys -->)/g

describe('docs/playbooks.md', () => {
  let catalogue: Catalogue
  const ends = new Map<Block, string>()

  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
  })
  after(() => {
    if (process.env['UPDATE']) replaceBlocks(path, ends, all)
  })

  function parsed(source: string): Playbook {
    const beside = examples.flatMap(({ file, text }) => (file === undefined ? [] : [{ file, source: text }]))
    const others = beside.filter((other) => other.source !== source)
    const sources = [{ file: 'block.yaml', source }, ...others]
    const [own] = parseTogether(sources, { catalogue })
    expect(own!.problems.map((problem) => formatProblem(problem, source)).join('\n')).to.equal('')
    return own!.playbook!
  }

  const fileOf = (name: string) => examples.find(({ file }) => file === `${name}.yaml`)?.text
  for (const block of examples) {
    const [first = '', second = ''] = block.text.split('\n')
    it(`shows the actual result of: ${block.file ?? (first.startsWith('-') ? first : second)}`, async () => {
      const playbook = parsed(whole(block))
      const isCalled =
        !playbook.startedBy.hand && playbook.alertTrigger === undefined && !needsEvent(playbook)
      if (isCalled) return
      const beside = { keys: () => [], get: fileOf }
      const { called, problems } = parseWithCalled(playbook.source, { catalogue, beside })
      expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
      const { fixtures, mocks } = worldOf(playbook, called)
      const made = createWorld({ playbook, called, fixtures, mocks }, catalogue)
      const result = resultOf(made, await startProcess(made, made.journal.store))
      expect(result.unmocked.map(({ message }) => message)).to.deep.equal([])
      const end = endOf(result)
      ends.set(block, block.text.replace(/(# → .*\n)*$/, end))
      if (!process.env['UPDATE']) expect(/(# → .*\n)*$/.exec(block.text)?.[0]).to.equal(end)
    })
  }

  /** The fixtures and mocks of the page, without those of steps that the playbook lacks. */
  function worldOf(playbook: Playbook, called: ReadonlyMap<string, Playbook>) {
    const { fixtures, mocks } = parse(world.text) as Record<string, Record<string, unknown>>
    const own = Object.entries(mocks!).filter(
      ([name]) =>
        !name.startsWith('steps.') || new RegExp(`^ *- id: ${name.slice(6)}$`, 'm').test(playbook.source),
    )
    if (playbook.alertTrigger === undefined) delete fixtures!['alert']
    const source = stringify({ fixtures, mocks: Object.fromEntries(own) })
    const read = parseWorld(source, playbook, { catalogue, called })
    const errors = read.problems.filter(({ severity }) => severity === 'error')
    expect(errors.map((problem) => formatProblem(problem, source)).join('\n')).to.equal('')
    const inputs = resolveInputs(playbook, {})
    return { fixtures: { ...read.world!.fixtures({}), inputs }, mocks: read.world!.mocks }
  }

  it('has each key in a table, once', () => {
    const page = readFileSync(join(root, path), 'utf8')
    const found = [...page.matchAll(regions)].flatMap(([, , named = '']) => {
      const [map = '', ...some] = named.split(' ')
      const keys = some.length === 0 ? grammar[map as keyof typeof grammar].keys : some
      return keys.map((key) => `${map}.${key}`)
    })
    expect(found.toSorted()).to.deep.equal(everyKey())
  })

  it('runs each key in an example', () => {
    const used = new Set(examples.flatMap((block) => keysUsed(parse(whole(block)))))
    expect(everyKey().filter((key) => !used.has(key))).to.deep.equal([])
  })

  it('has the tables of the key declarations', async () => {
    const file = join(root, path)
    const given = readFileSync(file, 'utf8').replaceAll(regions, (_, opening: string, named: string) => {
      return `${opening}${keysTable(named)}`
    })
    const written = await format(given, { ...(await resolveConfig(file)), parser: 'markdown' })
    if (process.env['UPDATE']) writeFileSync(file, written)
    const hint = 'UPDATE=1 npx mocha test/playbook/reference.test.ts writes it anew'
    expect(readFileSync(file, 'utf8') === written, hint).to.equal(true)
  })
})

const everyKey = (): readonly string[] =>
  Object.entries(grammar)
    .flatMap(([map, { keys }]) => keys.map((key) => `${map}.${key}`))
    .toSorted()

/** The result of a run as on the page: its end, its output, and its changes to the case. */
function endOf({ status, outcome, durationMs, case: own, notes }: ReturnType<typeof resultOf>): string {
  const time = durationMs === 0 ? '' : ` after ${writeDuration(durationMs)}`
  const why = outcome?.error ? `: ${outcome.error.code}: ${outcome.error.message}` : ''
  const { severity, verdict, summary } = own!
  const changed = {
    ...(severity !== 'medium' && { severity }),
    ...(verdict !== 'unknown' && { verdict }),
    ...(summary !== '' && { summary }),
    ...(notes.length > 0 && { notes }),
  }
  const facts = [
    `${status}${time}${why}`,
    ...(outcome?.output == null ? [] : [`output ${JSON.stringify(outcome.output)}`]),
    ...(Object.keys(changed).length === 0 ? [] : [`case ${JSON.stringify(changed)}`]),
  ]
  return facts.map((fact) => `# → ${fact}\n`).join('')
}
