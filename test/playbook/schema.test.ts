import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { durationPattern } from '../../core/playbook/language/durations.ts'
import {
  actions,
  bounds,
  errorCodePattern,
  grammar,
  idPattern,
  namePattern,
  passingErrors,
  skillPattern,
  type KeyTable,
} from '../../core/playbook/language/grammar.ts'
import { loadSchemaFolder } from '../../core/schema/index.ts'
import { parse } from 'yaml'
import { badPlaybooks } from './bad-playbooks.ts'
import { example } from './example.ts'
import { catalogue, withSteps } from './support.ts'

interface ObjectSchema {
  readonly additionalProperties: boolean
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const folder = fileURLToPath(new URL('../../schemas/', import.meta.url))
const schema: ObjectSchema & {
  readonly $defs: Readonly<
    Record<string, ObjectSchema & { oneOf?: readonly { required: string[] }[]; pattern?: string }>
  >
} = JSON.parse(readFileSync(`${folder}playbook.schema.json`, 'utf8'))

/** The key tables of the parser and where they stand in the schema. */
const places: Readonly<Record<keyof typeof grammar, ObjectSchema | undefined>> = {
  playbook: schema,
  on: schema.$defs['on'],
  alertTrigger: schema.$defs['alert_trigger'],
  group: schema.$defs['group'],
  defaults: schema.$defs['defaults'],
  retry: schema.$defs['retry'],
  step: schema.$defs['step'],
  schedule: schema.$defs['schedule'],
  concurrency: schema.$defs['concurrency'],
  repeat: schema.$defs['repeat'],
  checkpoint: schema.$defs['checkpoint'],
  case: schema.$defs['case'],
  wait: schema.$defs['wait'],
}

describe('schemas/playbook.schema.json', () => {
  const compiled = loadSchemaFolder(folder).get('playbook')!

  it('has exactly the keys of the parser', () => {
    for (const [name, table] of Object.entries<KeyTable>(grammar)) {
      const place = places[name as keyof typeof grammar]
      expect(Object.keys(place?.properties ?? {}).toSorted(), name).to.deep.equal([...table.keys].toSorted())
      expect(place?.required ?? [], name).to.deep.equal(table.required ?? [])
      expect(place?.additionalProperties).to.equal(false)
    }
  })

  it('has the same patterns, bounds and actions as the parser', () => {
    const step = schema.$defs['step']!
    expect(step.oneOf?.flatMap(({ required }) => required)).to.deep.equal([...actions])
    expect(step.properties['id']).to.include({ pattern: idPattern })
    expect(step.properties['uses']).to.include({ pattern: skillPattern })
    expect(schema.properties['name']).to.include({ pattern: namePattern })
    expect(schema.$defs['duration']).to.include({ pattern: durationPattern })
    const limits = ({ minimum, maximum }: Readonly<Record<string, unknown>> = {}) => [minimum, maximum]
    expect(limits(step.properties['concurrency'])).to.deep.equal(bounds.concurrency)
    expect(limits(step.properties['max_items'])).to.deep.equal(bounds.maxItems)
    expect(limits(schema.$defs['repeat']?.properties['max'])).to.deep.equal(bounds.repeatMax)
    expect(limits(schema.$defs['retry']?.properties['max'])).to.deep.equal(bounds.retryMax)
    expect(limits(schema.$defs['retry']?.properties['factor'])).to.deep.equal(bounds.factor)
    expect(limits(schema.$defs['retry']?.properties['jitter'])).to.deep.equal(bounds.jitter)
    expect(schema.$defs['retry']?.properties['on']).to.have.deep.nested.property('items.anyOf', [
      { enum: [...passingErrors] },
      { type: 'string', pattern: errorCodePattern },
    ])
  })

  it('describes every key, since editors show it', () => {
    const described = { ...schema.properties, ...schema.$defs['step']?.properties }
    for (const [name, property] of Object.entries(described)) {
      const target = property['$ref'] as string | undefined
      const text = property['description'] ?? schema.$defs[target?.split('/').at(-1) ?? ''] ?? undefined
      expect(text, name).to.not.equal(undefined)
    }
  })

  it('accepts whatever the parser accepts', () => {
    const sources = [
      example,
      ...Object.values(badPlaybooks).map(({ source }) => source),
      withSteps('  - { if: true, wait: { until: "2026-03-01T08:00:00Z" } }'),
      withSteps('  - { foreach: [1, 2], set: { x: 1 }, concurrency: 3 }'),
    ]
    const good = sources.filter(
      (source): source is string =>
        typeof source === 'string' && parsePlaybook(source, { catalogue }).playbook !== undefined,
    )
    expect(good.length).to.be.greaterThan(5)
    for (const source of good) expect(compiled.problems(parse(source)), source).to.deep.equal([])
  })

  it('refuses mistakes in keys and shapes, so that editors show them while typing', () => {
    for (const code of ['E104', 'E105', 'E107', 'E109', 'E110'] as const) {
      const { source } = badPlaybooks[code]
      expect(compiled.problems(parse(String(source))), code).to.not.deep.equal([])
    }
  })
})
