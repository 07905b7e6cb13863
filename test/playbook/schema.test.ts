import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { parse } from 'yaml'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { playbookSchema } from '../../core/playbook/language/playbook-schema.ts'
import { loadSchemaFolder } from '../../core/schema/index.ts'
import { badPlaybooks } from './bad-playbooks.ts'
import { example } from './example.ts'
import { catalogue, withSteps } from './support.ts'

const folder = join(import.meta.dirname, '../../schemas')
const file = join(folder, 'playbook.schema.json')

describe('schemas/playbook.schema.json', () => {
  const compiled = loadSchemaFolder(folder).get('playbook')!

  it('matches the table of keys', async () => {
    const options = { ...(await resolveConfig(file)), parser: 'json' }
    const written = await format(JSON.stringify(playbookSchema, null, 2), options)
    if (process.env['UPDATE']) writeFileSync(file, written)
    const hint = 'UPDATE=1 npx mocha test/playbook/schema.test.ts writes it anew'
    expect(readFileSync(file, 'utf8') === written, hint).to.equal(true)
  })

  it('describes every key with a sentence and its default', () => {
    const { retry, step } = playbookSchema.$defs!
    expect(retry?.properties?.['max']?.description).to.equal('Attempts after the first, 0 to 20. Default: 3.')
    expect(step?.dependentRequired).to.include.keys('connection', 'as').and.not.include.keys('with', 'repeat')
  })

  it('accepts everything that the parser accepts', () => {
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
