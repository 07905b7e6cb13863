import { expect } from 'chai'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { durationPattern } from '../../core/playbook/language/durations.ts'
import type { KeyTable } from '../../core/playbook/language/key-table.ts'
import { testGrammar, maxTests } from '../../core/playbook-test/read/grammar.ts'
import { caseStatuses, severities, verdicts } from '../../core/plugin/index.ts'
import { loadSchemaFolder } from '../../core/schema/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
type Schema = Readonly<Record<string, any>>
const schema: Schema = JSON.parse(readFileSync(`${root}schemas/playbook-test.schema.json`, 'utf8'))

/** The key tables of the reader with their places in the schema. */
const places: Readonly<Record<keyof typeof testGrammar, Schema>> = {
  file: schema,
  fixtures: schema['$defs'].fixtures,
  run: schema['$defs'].fixtures.properties.run,
  ownCase: schema['$defs'].fixtures.properties.case,
  alert: schema['$defs'].alert,
  organization: schema['$defs'].organization,
  test: schema['$defs'].test,
  reply: schema['$defs'].reply.anyOf[1],
  event: schema['$defs'].event,
  change: schema['$defs'].change,
  error: schema['$defs'].error,
  expect: schema['$defs'].expect,
  call: schema['$defs'].call,
  containment: schema['$defs'].containment,
  case: schema['$defs'].case,
  expectedError: schema['$defs'].expected_error,
  range: schema['$defs'].range,
}

describe('schemas/playbook-test.schema.json', () => {
  const compiled = loadSchemaFolder(`${root}schemas`).get('playbook-test')!

  it('has exactly the keys of the reader', () => {
    for (const [name, table] of Object.entries<KeyTable>(testGrammar)) {
      const place = places[name as keyof typeof testGrammar]
      expect(Object.keys(place['properties']).toSorted(), name).to.deep.equal([...table.keys].toSorted())
      expect(place['required'] ?? [], name).to.deep.equal(table.required ?? [])
      expect(place['additionalProperties'], name).to.equal(false)
    }
  })

  it('has the same values and limits', () => {
    expect(schema['$defs'].duration.pattern).to.equal(durationPattern)
    expect(schema['properties'].tests.maxItems).to.equal(maxTests)
    const { status, severity, verdict } = schema['$defs'].case.properties
    expect([status.enum, severity.enum, verdict.enum]).to.deep.equal([caseStatuses, severities, verdicts])
  })

  it('accepts the tests of every playbook and refuses mistakes', () => {
    const files = readdirSync(`${root}playbooks`).filter((name) => name.endsWith('.test.yaml'))
    expect(files).to.not.have.length(0)
    for (const file of files) {
      const content: unknown = parse(readFileSync(`${root}playbooks/${file}`, 'utf8'))
      expect(compiled.problems(content), file).to.deep.equal([])
    }
    const wrong = [
      { playbook: 'p.yaml' },
      { playbook: 'p.yaml', tests: [{ name: 'a' }] },
      { playbook: 'p.yaml', tests: [{ name: 'a', expect: { state: 'completed' } }] },
      { playbook: 'p.yaml', mocks: { 'a.b': {} }, tests: [{ name: 'a', expect: {} }] },
      { playbook: 'p.yaml', tests: [{ name: 'a', expect: { calls: [{ skill: 'a.b', step: 'c' }] } }] },
    ]
    for (const content of wrong) expect(compiled.problems(content)).to.not.deep.equal([])
  })
})
