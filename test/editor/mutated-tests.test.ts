import { expect } from 'chai'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outlineOf } from '../../core/editor/assist/outline.ts'
import { signatureAt } from '../../core/editor/assist/signature.ts'
import { completeTests, type TestsGuide } from '../../core/editor/tests/complete-tests.ts'
import { inspectTests, readTestsSchema } from '../../core/editor/tests/inspect-tests.ts'
import { playbookNameIn, stepNamesIn } from '../../core/editor/tests/names-in-tests.ts'
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
  '"',
  'steps.',
  '__proto__',
  '#',
  '${{',
  '(',
  '/',
]

describe('an editor with an incomplete file of tests', function () {
  this.timeout(times(60_000))

  it('never throws, and names only existing text', async () => {
    const catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
    const source = read('brute-force.test.yaml')
    const playbook = read('brute-force.yaml')
    const guide: TestsGuide = {
      schema: await readTestsSchema(),
      catalogue,
      loadPlaybook: (name) => (name === 'brute-force.yaml' ? playbook : undefined),
      playbookFiles: () => ['brute-force.yaml'],
    }
    const place = fc.integer({ min: 0, max: source.length })
    fc.assert(
      fc.property(place, fc.integer({ min: 0, max: 12 }), fc.constantFrom(...pieces), (at, cut, piece) => {
        const text = source.slice(0, at) + piece + source.slice(at + cut)
        const inspection = inspectTests(text, guide)
        for (const { id, span } of stepNamesIn(inspection))
          expect(text.slice(span.start, span.end)).to.equal(id)
        const name = playbookNameIn(inspection)
        if (name) expect(text.slice(name.start, name.end)).to.equal(name.name)
        outlineOf(inspection.root)
        signatureAt(text, at)
        const { replaces } = completeTests(text, Math.min(at + piece.length, text.length), guide)
        expect(replaces.start).to.be.at.most(replaces.end)
      }),
      tries(60),
    )
  })
})
