import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { parse } from 'yaml'
import { pluginSchema, readPlugin } from '../../core/declarative/index.ts'
import { loadSchemaFolder } from '../../core/schema/index.ts'
import { pluginWith } from './support.ts'

const root = join(import.meta.dirname, '../..')
const file = join(root, 'schemas/plugin.schema.json')

describe('schemas/plugin.schema.json', () => {
  it('matches the table of keys', async () => {
    const options = { ...(await resolveConfig(file)), parser: 'json' }
    const written = await format(JSON.stringify(pluginSchema, null, 2), options)
    if (process.env['UPDATE']) writeFileSync(file, written)
    const hint = 'UPDATE=1 npx mocha test/declarative/schema.test.ts writes it anew'
    expect(readFileSync(file, 'utf8') === written, hint).to.equal(true)
  })

  it('accepts what the reader accepts', () => {
    const problems = (source: string) =>
      loadSchemaFolder(join(root, 'schemas')).get('plugin')!.problems(parse(source))
    for (const source of [
      readFileSync(join(root, 'plugins/greynoise/plugin.yaml'), 'utf8'),
      pluginWith({
        skill: 'input: { ids: { type: array, items: { type: string } } }\nnot_found: [404, 410]',
      }),
    ]) {
      expect(readPlugin(source, {}).problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
      expect(problems(source)).to.deep.equal([])
    }
    expect(problems(pluginWith({ skill: 'request: { get: /a, put: /b }' }))).to.not.deep.equal([])
    expect(problems(pluginWith({ skill: 'efect: read' }))).to.not.deep.equal([])
  })
})
