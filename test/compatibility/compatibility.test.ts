import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { addTo, findBroken } from './compare-contracts.ts'
import { readContract, type Contract } from './contract.ts'
import { schemaLines, type Direction } from './schema-lines.ts'

const { version } = packageJson
const file = join(import.meta.dirname, 'contract.json')

/** The contract of the latest release. */
interface Promised {
  readonly version: string
  readonly contract: Contract
}
const readPromised = () => JSON.parse(readFileSync(file, 'utf8')) as Promised

describe('the promised compatibility', function () {
  let current: Contract
  before(async () => void (current = await readContract()))

  it('is kept: nothing covered was removed or changed (see docs/versioning.md)', () => {
    expect(findBroken(readPromised().contract, current)).to.deep.equal([])
  })

  it('covers additions from their release on: UPDATE=1 npx mocha test/compatibility/compatibility.test.ts', () => {
    const both = addTo(readPromised().contract, current)
    const recorded: Promised = { version, contract: both }
    if (process.env['UPDATE']) writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
    const promised = readPromised()
    const isRelease = promised.version !== version
    expect(isRelease ? findBroken(both, promised.contract) : [], 'not recorded').to.deep.equal([])
    expect(promised.version, 'the release that the list was recorded for').to.equal(version)
  })

  it('covers every area', () => {
    for (const [part, things] of Object.entries(current)) expect(things, part).to.not.be.empty
    const parts = [
      ['HTTP operations', 'GET /api/alerts'],
      ['HTTP operations', 'GET /readyz'],
      ['HTTP schemas', 'alert'],
      ['HTTP errors', 'ValidationError'],
      ['webhooks', '/webhooks/messaging/v1/interactions'],
      ['command line', 'keys create'],
      ['exit codes', 'usage'],
      ['environment variables', 'TOCSIN_PORT'],
      ['metrics', 'tocsin_http_request_duration_seconds'],
      ['problem codes', 'E104'],
      ['playbook language', 'keys'],
      ['playbook tests', 'keys'],
      ['skills', 'case.update'],
      ['connection settings', 'messaging'],
      ['plugin contract', 'tocsin/plugin'],
    ] as const
    expect(new Set(parts.map(([part]) => part))).to.deep.equal(new Set(Object.keys(current)))
    for (const [part, thing] of parts) {
      expect(current[part]).to.have.property(thing)
      const { [thing]: gone, ...left } = current[part] ?? {}
      expect(findBroken(current, { ...current, [part]: left })).to.deep.equal([
        `${part}: ${thing} was removed`,
      ])
      const lacking = { ...current, [part]: { ...left, [thing]: gone!.slice(1) } }
      expect(findBroken(current, lacking)).to.have.length(gone!.length > 0 ? 1 : 0)
      expect(findBroken({ ...current, [part]: left }, current), 'an addition').to.deep.equal([])
    }
  })

  it('covers facts of each kind', () => {
    expect(current['HTTP operations']?.['GET /api/alerts']).to.include.members([
      'query.limit optional',
      'query.limit: integer',
      'answer 200',
      'answer.data[]: @alert',
      'answer.data always',
      'role reader',
    ])
    expect(current['HTTP operations']?.['POST /api/alerts']).to.include.members([
      'body.alert_content required',
      'header.idempotency-key optional',
      'answer header Location',
    ])
    expect(current['command line']?.['keys create']).to.include.members([
      'argument 1 required',
      '--role takes a value',
    ])
    expect(current['metrics']?.['tocsin_runs_ended_total']).to.include('label outcome')
    expect(current['playbook language']?.['keys']).to.include.members([
      'file.steps[].uses: string',
      'file.on.alert.provider optional',
    ])
    expect(current['skills']?.['case.update']).to.include('input.verdict = "malicious"')
    expect(current['plugin contract']?.['tocsin/plugin']).to.include.members([
      'value defineSkill',
      'type HttpClient',
    ])
  })
})

const thing = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    kind: { enum: ['a', 'b'] },
    parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } },
    rest: { $ref: '#/$defs/rest' },
  },
  $defs: {
    rest: { anyOf: [{ type: 'null' }, { type: 'object', properties: { more: { $ref: '#/$defs/rest' } } }] },
  },
}
const changed = (properties: object, required = ['id']) => ({
  ...thing,
  required,
  properties: { ...thing.properties, ...properties },
})
const { id: _, ...withoutId } = thing.properties

/** Changes of the schema above, with the expected reports. */
const changes: readonly [what: string, schema: object, direction: Direction, breaks: readonly RegExp[]][] = [
  ['no change', thing, 'in', []],
  [
    'a removed field',
    { ...thing, properties: withoutId, required: [] },
    'out',
    [/"x\.id always"/, /"x\.id: string"/],
  ],
  [
    'another type',
    changed({ id: { type: 'integer' } }),
    'out',
    [/"x\.id: string" was removed, now "x\.id: integer"/],
  ],
  ['null beside a type', changed({ id: { type: ['string', 'null'] } }), 'out', [/now "x\.id: null\|string"/]],
  ['another type beside a type', changed({ id: { type: ['string', 'array'] } }), 'in', []],
  ['a removed value', changed({ kind: { enum: ['a'] } }), 'in', [/"x\.kind = "b"" was removed/]],
  ['an added value', changed({ kind: { enum: ['a', 'b', 'c'] } }), 'in', []],
  ['an output field that becomes optional', changed({}, []), 'out', [/"x\.id always" was removed/]],
  ['an input field that becomes optional', changed({}, []), 'in', []],
  [
    'an input field that becomes required',
    changed({}, ['id', 'kind']),
    'in',
    [/"x\.kind optional" was removed/],
  ],
  ['a new optional input', changed({ more: { type: 'string' } }), 'in', []],
  [
    'a new required input',
    changed({ more: { type: 'string' } }, ['id', 'more']),
    'in',
    [/"x\.more required" is new/],
  ],
  [
    'a new optional input with required parts',
    changed({ more: { type: 'object', required: ['y'], properties: { y: { type: 'string' } } } }),
    'in',
    [],
  ],
  [
    'a removed field in a list',
    changed({ parts: { type: 'array', items: { type: 'object' } } }),
    'out',
    [/"x\.parts\[\]\.size: integer" was removed/],
  ],
  [
    'another form of a definition',
    { ...thing, $defs: { rest: { type: 'object' } } },
    'out',
    [/"x\.rest\.more: @rest"/, /"x\.rest: null\|object" was removed, now "x\.rest: object"/],
  ],
]

describe('the schema comparison', () => {
  for (const [what, schema, direction, breaks] of changes) {
    it(`classifies: ${what} (${direction})`, () => {
      const contractOf = (schema: object) => ({ part: { thing: schemaLines(schema, 'x', direction) } })
      const found = findBroken(contractOf(thing), contractOf(schema))
      expect(found.length, found.join('\n')).to.equal(breaks.length)
      for (const [at, pattern] of breaks.entries()) expect(found[at]).to.match(pattern)
    })
  }
})
