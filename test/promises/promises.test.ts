import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { promisesPage, type LastRun } from './page.ts'
import { plantedBugs } from './planted-bugs.ts'
import { promises } from './promises.ts'
import { provingFiles, runMocha, testsOf, type RanTest } from './tests-of.ts'

const root = new URL('../../', import.meta.url)
/** Folders that contain only tests of promises. */
const devoted = ['crash/', 'faults/']

describe('the promises', () => {
  let tests: readonly RanTest[]
  before(async function () {
    tests = await runMocha(provingFiles, { dryRun: true })
  })

  it('each have existing tests', () => {
    for (const { proofs } of promises) {
      expect(proofs).to.not.have.length(0)
      for (const proof of proofs) expect(testsOf(proof, tests), proof.title).to.not.have.length(0)
    }
  })

  it('include every test of the crash and fault folders', () => {
    const proofs = promises.flatMap((promise) => promise.proofs)
    const named = new Set(proofs.flatMap((proof) => testsOf(proof, tests)))
    const missing = tests.filter(
      (test) => devoted.some((folder) => test.file.startsWith(folder)) && !named.has(test),
    )
    // Other runs are compared with a run without faults.
    expect(missing.map(({ title }) => title).filter((title) => !/without a kill/.test(title))).to.deep.equal(
      [],
    )
  })

  it('have planted bugs that match the source', () => {
    for (const [name, { file, find }] of Object.entries(plantedBugs)) {
      const source = readFileSync(new URL(file, root), 'utf8')
      expect(source.split(find).length - 1, `${name}: in ${file}`).to.equal(1)
    }
  })

  it('use every planted bug, and no other', () => {
    const named = promises.flatMap(({ proofs }) => proofs.flatMap(({ planted = [] }) => planted))
    expect(new Set(named)).to.deep.equal(new Set(Object.keys(plantedBugs)))
  })

  const lastRun = JSON.parse(readFileSync(new URL('last-run.json', import.meta.url), 'utf8')) as LastRun

  it('held in the last complete run, which noticed every planted bug', () => {
    const failed = Object.entries(lastRun.results).filter(([, result]) => result.failed > 0)
    const missed = Object.entries(lastRun.planted).filter(([, what]) => what === 'missed')
    expect([...failed, ...missed].map(([name]) => name)).to.deep.equal([])
  })

  it('match docs/promises.md', () => {
    const page = new URL('docs/promises.md', root)
    const text = promisesPage(lastRun)
    if (process.env['UPDATE']) writeFileSync(page, text)
    const isSame = readFileSync(page, 'utf8') === text
    expect(isSame, 'UPDATE=1 npx mocha test/promises/promises.test.ts writes it anew').to.equal(true)
  })
})
