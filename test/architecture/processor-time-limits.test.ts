import { expect } from 'chai'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const tests = join(import.meta.dirname, '..')

/** Tests of the text that limit processor time by a fixed number, which a slow machine exceeds. */
const fixedLimits = (text: string): readonly string[] =>
  text.match(
    /expect\((?:processorTime|threadTime)\(\)[^\n]*\.(?:below|lessThan|most)\((?!limitHere\()[^\n]*/g,
  ) ?? []

describe('limits of processor time in tests', () => {
  it('grow with the time of the same reference work on this machine', () => {
    const paths = globSync('**/*.test.ts', { cwd: tests })
    expect(paths.flatMap((path) => fixedLimits(readFileSync(join(tests, path), 'utf8')))).to.deep.equal([])
  })

  it('are recognized when they are fixed', () => {
    const [fixed, grown] = ['500', 'limitHere(500)'].map((limit) =>
      ['expect(', `processorTime() - from, 'time').to.be.below(${limit})`].join(''),
    )
    expect(fixedLimits(`${fixed}\n${grown}`)).to.deep.equal([fixed])
  })
})
