import { expect } from 'chai'
import fc from 'fast-check'
import type { Connection } from '../../core/domain/connection.ts'
import { PlaybookError } from '../../core/errors/playbook-error.ts'
import { findLookups, omittedSkills } from '../../core/investigation/find-lookups.ts'
import { createInvestigatorGenerator } from '../../core/investigation/investigator-generator.ts'
import { generateInvestigator } from '../../core/investigation/generate-investigator.ts'
import { createWorld, resultOf, startProcess } from '../../core/playbook-test/run/run-test.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import {
  defineConnection,
  definePlugin,
  defineSkill,
  type AnySkill,
  type JsonSchema,
  type PluginDefinition,
} from '../../core/plugin/index.ts'
import { type Catalogue, buildCatalogue } from '../../core/registry/catalogue.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'
import casePlugin from '../../plugins/case/plugin.ts'
import indicatorsPlugin from '../../plugins/indicators/plugin.ts'
import { tries } from '../support/random.ts'

const acme = { code: 'acme' }

const connection = defineConnection({
  title: 'Rogue',
  description: 'A service.',
  settings: { type: 'object', additionalProperties: false, properties: {} },
  baseUrl: () => 'https://rogue.example',
  authenticate: async () => {},
})

const connected = (plugin: string, name: string): Connection => ({
  uuid: name,
  organizationUuid: 'o',
  name,
  plugin,
  settings: {},
  secretReferences: {},
  enabled: true,
  secretsAt: 0,
  broken: null,
  lastFailure: null,
  warning: null,
  signIn: null,
  revision: 1,
  createdAt: 0,
  modifiedAt: 0,
})

const value = { type: 'string' } as const
const kind = { type: 'string' } as const
const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  required,
  properties,
})

const inputs: readonly JsonSchema[] = [
  object({ kind, value }),
  object({ kind, value }, []),
  { ...object({ kind, value }), additionalProperties: false },
  object({ kind: { enum: ['ip', 'domain', 'url', 'hash'] }, value }),
  object({ kind: { enum: ['ip'] }, value }),
  object({ kind: { const: 'ip' }, value }),
  object({ kind: { type: 'integer' }, value }),
  object({ kind, value: { type: 'integer' } }),
  object({ kind, value: { type: ['string', 'null'], maxLength: 5 } }),
  object({ kind, value: { type: 'string', format: 'date-time' } }),
  object({ kind, value: { enum: ['a', 'b'] } }),
  object({ value }),
  object({ kind }),
  object({ kind, value, limit: { type: 'integer' } }),
  object({ kind, value, limit: { type: 'integer', default: 3 } }, ['kind', 'value']),
  object({ kind, value, 'odd-name': { type: 'string' } }, ['kind', 'value']),
  {
    type: 'object',
    oneOf: [object({ kind: { const: 'ip' }, value }), object({ kind: { const: 'domain' }, value })],
  },
  { type: 'object', allOf: [object({ kind }), object({ value })] },
  { type: 'object' },
  { type: 'object', properties: { kind, value }, required: ['kind', 'value', 'undeclared'] },
]

const scores: readonly JsonSchema[] = [
  { type: 'number' },
  { type: ['number', 'null'] },
  { type: 'integer', minimum: 0, maximum: 100 },
  { type: 'null' },
  { enum: [0, 50, 100, null] },
  { const: 70 },
  { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  { type: 'string' },
  { type: ['number', 'string'] },
  { type: 'boolean' },
  { type: 'number', 'x-sensitive': true },
  {},
]

const outputs: readonly ((score: JsonSchema) => JsonSchema)[] = [
  (score) => object({ risk: object({ score }) }),
  (score) => object({ risk: object({ score }), value, kind }),
  (score) => object({ risk: object({ score }), value: { type: 'integer' } }),
  (score) => ({ ...object({ risk: object({ score }) }), additionalProperties: true }),
  (score) => object({ risk: object({ score }) }, []),
  (score) => object({ risk: object({ score }, []) }),
  (score) => object({ risk: { anyOf: [object({ score }), { type: 'null' }] } }),
  (score) => object({ risk: { oneOf: [object({ score }), object({ score: { type: 'null' } })] } }),
  (score) => ({
    type: 'object',
    oneOf: [object({ risk: object({ score }) }), object({ risk: object({ score }), more: value })],
  }),
  (score) => ({ type: 'object', anyOf: [object({ risk: object({ score }) }), object({ nothing: value })] }),
  (score) => object({ risk: { ...object({ score }), 'x-sensitive': true } }),
  (score) => ({ ...object({ risk: object({ score }) }), 'x-sensitive': true }),
  (score) => object({ risk: object({ score, note: { ...value, 'x-sensitive': true } }) }),
  (score) => object({ risk: object({ score }), raw: { type: 'object', 'x-sensitive': true } }),
  (score) => object({ risk: { $ref: '#/$defs/risk' }, score }, ['risk']),
  (score) => object({ nested: object({ risk: object({ score }) }) }),
  (score) => object({ risk: score }),
  (score) => ({ type: 'array', items: object({ risk: object({ score }) }) }),
  () => ({ type: 'object' }),
]

interface Shape {
  readonly input: JsonSchema
  readonly output: JsonSchema
  readonly score: JsonSchema
  readonly enriches: readonly string[]
  readonly name: string
  readonly needsConnection: boolean
  readonly effect: 'read' | 'write'
}

const shape: fc.Arbitrary<Shape> = fc
  .record({
    input: fc.constantFrom(...inputs),
    output: fc.constantFrom(...outputs),
    score: fc.constantFrom(...scores),
    enriches: fc.subarray(['ip', 'domain', 'url', 'hash', 'email', 'user', 'company', 'car']),
    name: fc.constantFrom('look_up', 'a', 'a_2', 'extract', 'ip'),
    needsConnection: fc.boolean(),
    effect: fc.constantFrom('read', 'read', 'read', 'write'),
  })
  .map((parts) => ({ ...parts, output: parts.output(parts.score) }))

const pluginNames = ['rogue', 'rogue_2', 'steps', 'observables', 'results'] as const

function pluginOf(name: string, shapes: readonly Shape[]): PluginDefinition {
  const skills = shapes.map((each, index): AnySkill => {
    const repeat = each.effect === 'write' ? { repeat: 'safe' as const } : {}
    return {
      ...defineSkill({
        name: `${each.name}_${index}`,
        title: 'Look up',
        description: 'What is known.',
        effect: 'read',
        enriches: each.enriches as never,
        connection,
        input: each.input,
        output: { ...each.output, $defs: { risk: object({ score: each.score }) } },
        examples: [],
        run: async () => ({}) as never,
      }),
      effect: each.effect,
      ...repeat,
      ...(each.needsConnection ? {} : { connection: undefined }),
    } as never
  })
  return definePlugin({ name, title: 'Rogue', description: 'Rogue.', connection, skills: skills as never })
}

const plugins = fc
  .uniqueArray(fc.constantFrom(...pluginNames), { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => fc.array(shape, { minLength: 1, maxLength: 4 }).map((s) => pluginOf(name, s))),
    ),
  )

const withShipped = (own: readonly PluginDefinition[]): Catalogue =>
  buildCatalogue([casePlugin, indicatorsPlugin, ...own])

const connectionsOf = (own: readonly PluginDefinition[]): readonly Connection[] =>
  own.flatMap(({ name }) => ['a-b', 'a_b', 'A b', 'ip'].map((each) => connected(name, each)))

function errorsIn(source: string, catalogue: Catalogue): readonly string[] {
  return parsePlaybook(source, { catalogue }).problems.map(({ code, message }) => `${code} ${message}`)
}

describe('an enriching skill of any shape', () => {
  it('never makes a generated investigation invalid', () => {
    fc.assert(
      fc.property(plugins, (own) => {
        const catalogue = withShipped(own)
        const source = generateInvestigator('x', acme, findLookups(catalogue, connectionsOf(own)), {
          leftOut: omittedSkills(catalogue),
        })
        expect(errorsIn(source, catalogue), source).to.deep.equal([])
      }),
      tries(150),
    )
  })

  it('is part of the investigation exactly if its plugin passes the contract test', () => {
    fc.assert(
      fc.property(shape, (one) => {
        const plugin = pluginOf('rogue', [one])
        const catalogue = withShipped([plugin])
        const extracted = ['ip', 'domain', 'url', 'hash', 'email', 'user']
        const isUsable = checkPlugin(plugin, undefined).every(({ pointer }) => pointer.endsWith('/examples'))
        const used = findLookups(catalogue, connectionsOf([plugin])).length > 0
        if (isUsable) expect(used).to.equal(one.enriches.some((each) => extracted.includes(each)))
        if (used) expect(omittedSkills(catalogue)).to.deep.equal([])
        else if (one.enriches.length > 0 && !isUsable) expect(omittedSkills(catalogue)).to.have.length(1)
      }),
      tries(300),
    )
  })

  it('does not fail the run, whatever valid output it returns', async () => {
    const usable = inputs.slice(0, 4)
    for (const [index, output] of outputs.entries()) {
      for (const [score, given] of [
        [{ type: 'number' }, 99],
        [{ type: ['number', 'null'] }, null],
        [{ enum: [0, 50, 100, null] }, 50],
      ] as const) {
        const parts = {
          score,
          name: 'look_up',
          enriches: ['ip', 'domain'],
          needsConnection: true,
          effect: 'read',
        }
        const one = { ...parts, input: usable[index % usable.length]!, output: output(score) } as Shape
        const plugin = pluginOf('rogue', [one])
        const catalogue = withShipped([plugin])
        const lookups = findLookups(catalogue, connectionsOf([plugin]))
        const run = await runOf(generateInvestigator('x', acme, lookups), catalogue, given)
        expect(run.status, JSON.stringify(run.outcome)).to.equal('completed')
        const summary = run.case?.summary ?? ''
        if (lookups.length > 0 && given === 99) expect(summary).to.include('8.8.8.8 (risk 99)')
      }
    }
  })

  it('is reported as left out, in the log and in the playbook', async () => {
    const bad = pluginOf('rogue', [
      {
        input: inputs[0]!,
        output: object({ risk: object({ score: { type: 'string' } }) }),
        score: {},
        ...rest,
      },
    ])
    const { made, logged } = library(withShipped([bad]), [connected('rogue', 'a')])
    const left = 'output must declare risk.score as a number or null because the skill enriches'
    expect(logged).to.deep.equal([{ skill: 'rogue.look_up_0', reason: left }])
    const { source } = await made('x', { ...acme, uuid: 'o', name: 'Acme' } as never)
    expect(source).to.include(`# Left out: rogue.look_up_0 cannot be used here (${left}).`)
    expect(source).to.include('has no connection that can look up')
  })

  it('does not prevent an investigation if it passes the checks but breaks the playbook', async () => {
    const good = pluginOf('rogue', [
      {
        input: inputs[0]!,
        output: object({ risk: object({ score: { type: 'number' } }) }),
        score: {},
        ...rest,
      },
    ])
    const whole = withShipped([good])
    const unknown = { ...whole.skill('rogue.look_up_0')!, name: 'gone.look_up' }
    const catalogue: Catalogue = { ...whole, implementing: (of) => [...whole.implementing(of), unknown] }
    const { made, logged } = library(catalogue, [connected('rogue', 'a')])
    const { source } = await made('x', { ...acme, uuid: 'o', name: 'Acme' } as never)
    expect(source).to.include('uses: rogue.look_up_0').and.not.include('uses: gone.look_up')
    expect(source).to.include('# Left out: gone.look_up cannot be used here')
    expect(logged).to.have.length(1)
  })
})

const rest = { name: 'look_up', enriches: ['ip'], needsConnection: true, effect: 'read' } as const

function library(catalogue: Catalogue, connections: readonly Connection[]) {
  const logged: unknown[] = []
  const note = (fields: object): void => void logged.push(fields)
  const { generate: made } = createInvestigatorGenerator({
    catalogue,
    log: { debug() {}, info() {}, warn: note, error: note },
    stores: { connections: { list: async () => [...connections] } },
    library: {
      async keep(source): Promise<Playbook> {
        const { playbook, problems } = parsePlaybook(source, { catalogue })
        if (playbook === undefined) throw new PlaybookError('the playbook', problems)
        return playbook
      },
    },
  })
  return { made, logged }
}

async function runOf(source: string, catalogue: Catalogue, score: number | null) {
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  if (playbook === undefined) expect.fail(JSON.stringify(problems))
  const output = {
    risk: { score },
    value: 'x',
    kind: 'ip',
    more: 'x',
    nothing: 'x',
    nested: { risk: { score } },
  }
  const world = createWorld(
    {
      playbook,
      fixtures: {
        nowMs: 0,
        alert: {
          type: 'x',
          provider: 'p',
          content: '{"ip":"8.8.8.8","domain":"evil.example.com"}',
          id: 'i',
          uuid: 'u',
          createdAt: 0,
          createdAtSource: null,
        },
        organization: { code: 'acme', name: 'acme' },
        state: {},
        inputs: {},
      },
      mocks: new Map([['rogue.look_up_0', [{ kind: 'output', output, with: undefined, delayMs: 0 }]]]),
    },
    catalogue,
  )
  return resultOf(world, await startProcess(world, world.journal.store))
}
