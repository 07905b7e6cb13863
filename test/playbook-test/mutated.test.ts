import { expect } from 'chai'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { times, tries } from '../support/random.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, 'playbooks', name), 'utf8')

const pieces = [
  '',
  ' ',
  '\n',
  ':',
  '- ',
  '{',
  '}',
  '[',
  ']',
  '&a',
  '*a',
  '"',
  'null',
  '0',
  'steps.',
  '__proto__',
  '\u0000',
  '${{',
]

describe('a test file with a typo', function () {
  this.timeout(times(60_000))
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
  })

  for (const name of ['brute-force', 'phishing-report']) {
    const source = read(`${name}.test.yaml`)
    const playbook = read(`${name}.yaml`)

    it(`of ${name} is read without an exception, and refused exactly if there is an error`, () => {
      const place = fc.integer({ min: 0, max: source.length })
      fc.assert(
        fc.property(place, fc.integer({ min: 0, max: 12 }), fc.constantFrom(...pieces), (at, cut, piece) => {
          const mutated = source.slice(0, at) + piece + source.slice(at + cut)
          const { tests, problems } = parseTests(mutated, { catalogue, loadPlaybook: () => playbook })
          const lines = mutated.split('\n').length
          expect(tests === undefined).to.equal(problems.some(({ severity }) => severity === 'error'))
          for (const { line, column } of problems) {
            expect(line).to.be.within(1, lines)
            expect(column).to.be.at.least(1)
          }
        }),
        tries(60),
      )
    })
  }
})
