import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { answerSchemas } from '../../server/http/reference/components.ts'

describe('response schemas', () => {
  for (const [name, schema] of Object.entries(answerSchemas))
    it(`match schemas/${name}.schema.json (UPDATE=1 writes it)`, async () => {
      const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url)
      const text = `${JSON.stringify(schema, null, 2)}\n`
      if (process.env['UPDATE']) {
        const options = await resolveConfig(file)
        writeFileSync(file, await format(text, { ...options, parser: 'json' }))
      }
      expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(JSON.parse(text))
    })
})
