import { expect } from 'chai'
import { addressSchema, privateAddressSchema } from '../../core/plugin/index.ts'
import { compileSchema } from '../../core/schema/index.ts'

describe('address schemas', () => {
  for (const [name, schema] of Object.entries({ addressSchema, privateAddressSchema })) {
    const takes = (address: string): boolean => compileSchema(schema).problems(address).length === 0

    it(`${name} refuses encoded paths that decode to other paths`, () => {
      for (const path of ['', '/tenantA', '/a%20b/c', '/a%3Ab', '/a/2f'])
        expect(takes(`https://gateway.example${path}`), path).to.equal(true)
      for (const encoded of [
        '..%2f',
        '..%2F',
        '%2e%2e/',
        '%2E./',
        '..%5c',
        '..%5C',
        '..%252f',
        '%252E%252e/',
        '..;/',
        '..%3b/',
      ])
        expect(takes(`https://gateway.example/tenantA/${encoded}tenantB`), encoded).to.equal(false)
    })
  }
})
