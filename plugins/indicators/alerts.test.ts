import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractObservables } from './extract-observables.ts'
import { extractedKinds } from './observables.ts'

const alerts = join(import.meta.dirname, '../../test/data/alerts')
const files = readdirSync(alerts).filter((name) => name.endsWith('.json'))

/**
 * File name to lists by kind; empty lists are omitted; `private_ip` is what `include_private` adds. Every
 * entry was reviewed against its alert for missing and wrong values; explain a change in the README.
 */
const expected: Record<string, Record<string, string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/alert-observables.json'), 'utf8'),
)

describe('indicators: real alerts', () => {
  it('have one reviewed entry each', () => {
    expect(files).to.have.lengthOf(91)
    expect(Object.keys(expected)).to.have.members(files)
  })

  for (const file of files) {
    it(`yield the reviewed indicators for ${file}`, () => {
      const text = readFileSync(join(alerts, file), 'utf8')
      const found = extractObservables(text)
      const withPrivate = extractObservables(text, { includePrivate: true })
      const lists: Record<string, readonly string[]> = {
        ...Object.fromEntries(extractedKinds.map((kind) => [kind, found[kind]])),
        private_ip: withPrivate.ip.filter((ip) => !found.ip.includes(ip)),
      }
      const given = Object.entries(lists).filter(([, values]) => values.length > 0)
      expect(Object.fromEntries(given)).to.deep.equal(expected[file])
      expect(found.cut).to.deep.equal([])
    })
  }
})
