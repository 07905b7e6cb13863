import { expect } from 'chai'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const found = (rule: (text: string) => readonly string[]): readonly string[] =>
  globSync(['test/**/*.test.ts', 'plugins/**/*.test.ts'], { cwd: root }).flatMap((path) =>
    rule(readFileSync(join(root, path), 'utf8')).map((breach) => `${path}: ${breach}`),
  )

/** Limits of processor time that are a fixed number, which a slow machine exceeds. */
const fixedLimits = (text: string): readonly string[] =>
  text.match(
    /expect\((?:processorTime|threadTime)\(\)[^\n]*\.(?:below|lessThan|most)\((?!limitHere\()[^\n]*/g,
  ) ?? []

/** Runs of fast-check that choose their own seed. */
const ownSeeds = (text: string): readonly string[] =>
  text
    .split(/^(?= *(?:await )?fc\.assert\()/m)
    .filter((run) => run.includes('fc.assert(') && !/\btries\(|\bseed\b/.test(run))
    .map((run) => run.split('\n').slice(0, 2).join(' '))

describe('tests', () => {
  it('limit processor time by what the same reference work takes on this machine', () => {
    expect(found(fixedLimits)).to.deep.equal([])
    const [fixed, grown] = ['500', 'limitHere(500)'].map((limit) =>
      ['expect(', `processorTime() - from, 'time').to.be.below(${limit})`].join(''),
    )
    expect(fixedLimits(`${fixed}\n${grown}`)).to.deep.equal([fixed])
  })

  it('generate the same cases in each run', () => {
    expect(found(ownSeeds)).to.deep.equal([])
    const [own, given] = ['', ', tries(60)'].map((more) => `  fc.assert(fc.property(texts, survives)${more})`)
    expect(ownSeeds(`${own}\n${given}\n`)).to.deep.equal([`${own} `])
  })
})
