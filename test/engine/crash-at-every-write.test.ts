import { expect } from 'chai'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import type { JournalStore } from '../../core/ports/runs/journal-store.ts'
import { systemClock } from '../../server/clock.ts'
import { everyKind as playbook, playbooks, World } from './support/every-kind.ts'
import { journalOf, openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingJournal, crashingStores, type RunStores } from './support/crashing-journal.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { somebody } from '../support/somebody.ts'

/** Runs it in one process after another until one completes. */
async function runWithCrash(
  bench: Bench,
  ...crashes: readonly ((stores: RunStores) => Partial<ReturnType<typeof crashingStores>['stores']>)[]
) {
  const world = new World()
  const skills = world.skills((id) =>
    bench.stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody('eve')),
  )
  const run = await bench.startRun()
  const names = { alert: { user: 'adam' } }
  let outcome: RunOutcome | undefined
  let crashed = 0
  for (const wrap of crashes) {
    try {
      outcome = await bench.go(playbook, skills, { run, names, playbooks, ...wrap(bench.stores) })
      break
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      crashed++
    }
  }
  outcome ??= await bench.go(playbook, skills, { run, names, playbooks })
  const journal = await journalOf(bench.stores, run.uuid)
  // Ignores times of waits and answers, and ids of questions, which are random.
  const varying = new Set(['wait', 'checkpoint', 'ask'])
  const entries = journal.map((entry) =>
    varying.has(entry.kind) ? { ...entry, input: null, output: answerIn(entry.output) } : entry,
  )
  return { crashed, outcome, entries, effects: world.effects }
}

const answerIn = (output: unknown): unknown => (output as { answer?: string } | null)?.answer ?? null

describe('a run whose process crashes', function () {
  this.timeout(60_000)
  let bench: Bench
  before(async () => {
    bench = await openBench(systemClock)
  })
  after(() => bench.close())

  const untouched = () => ({})

  it('has every effect once without a crash', async () => {
    const { outcome, effects } = await runWithCrash(bench, untouched)
    expect(outcome).to.deep.equal({
      status: 'completed',
      output: {
        answers: ['yes', 'nobody'],
        sub: 'adam',
        isolated: 'isolated',
        odd: ['a', 'c'],
        each: ['completed', 'completed', 'completed'],
      },
      error: null,
    })
    expect(Object.fromEntries(effects)).to.deep.equal({
      'read gather/one': 1,
      'read gather/two/@on_error/instead': 1,
      'read gather/three/deeper': 1,
      'read each[0]/look': 1,
      'read each[1]/look': 1,
      'read each[2]/look': 1,
      'isolate each[0]/odd': 1,
      'isolate each[2]/odd': 1,
      'isolate outcome/0/isolated': 1,
      'ask confirm/@ask': 1,
      'settle confirm/@settle': 1,
      'read sub/note': 1,
      'read sub/@finally/after': 1,
      'read @finally/tell': 1,
    })
  })

  for (const when of ['before', 'after'] as const) {
    it(`ends the same after a crash just ${when} each of its writes`, async () => {
      const reference = await runWithCrash(bench, untouched)
      const counted = crashingStores(bench.stores, Infinity, 'before')
      await runWithCrash(bench, () => counted.stores)
      expect(counted.writes()).to.be.greaterThan(55)

      for (let at = 1; at <= counted.writes(); at++) {
        const place = `write ${at}`
        const { crashed, outcome, entries, effects } = await runWithCrash(
          bench,
          (stores) => crashingStores(stores, at, when).stores,
        )
        expect(crashed, place).to.equal(1)
        expect(outcome, place).to.deep.equal(reference.outcome)
        expect(entries, place).to.deep.equal(reference.entries)
        expect([...effects.keys()].toSorted(), place).to.deep.equal([...reference.effects.keys()].toSorted())
        for (const [effect, times] of effects) {
          // A read may be repeated once, by the interrupted attempt; a verifiable call is never repeated.
          expect(times, `${place}: ${effect}`).to.be.at.most(effect.startsWith('isolate') ? 1 : 2)
        }
        const repeated = [...effects.values()].filter((times) => times > 1).length
        expect(repeated, place).to.be.at.most(4) // the number of concurrent runs
      }
    })
  }

  it('ends the same after two crashes', async () => {
    const reference = await runWithCrash(bench, untouched)
    // Not every pair, to save time; the second crash counts from its own start.
    for (let first = 1; first <= 64; first += 13) {
      for (let second = 1; second <= 64; second += 9) {
        const place = `writes ${first} and ${second}`
        const { outcome, entries, effects } = await runWithCrash(
          bench,
          (stores) => crashingStores(stores, first, 'after').stores,
          (stores) => crashingStores(stores, second, 'before').stores,
        )
        expect(outcome, place).to.deep.equal(reference.outcome)
        expect(entries, place).to.deep.equal(reference.entries)
        const isolated = [...effects].filter(([effect]) => effect.startsWith('isolate'))
        expect(isolated, place).to.deep.equal(
          [...reference.effects].filter(([effect]) => effect.startsWith('isolate')),
        )
      }
    }
  })

  it('would repeat a non-repeatable step if the intent were not recorded first (planted bug)', async () => {
    const withoutIntent = (store: JournalStore): JournalStore => ({
      ...crashingJournal(store, Infinity, 'before').journal,
      begin: () => Promise.resolve(undefined), // the planted bug: the effect comes first
      end: () => Promise.reject(new Crash()), // the process dies before the result
    })
    const single = makePlaybook({ steps: [{ id: 'scan', uses: 'scan' }] })
    const scans = async (wrap: (store: JournalStore) => JournalStore) => {
      const run = await bench.startRun()
      let times = 0
      const skills: TestSkills = { scan: { interrupted: 'fail', run: () => ++times } }
      await bench.go(single, skills, { run, journal: wrap(bench.stores.journal) }).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })
      const outcome = await bench.go(single, skills, { run })
      return { times, code: outcome.error?.code }
    }
    const intact = (store: JournalStore) => crashingJournal(store, 1, 'after').journal
    const cutOff = (store: JournalStore) => crashingJournal(store, 2, 'before').journal
    expect(await scans(intact)).to.deep.equal({ times: 0, code: 'step_interrupted' })
    expect(await scans(cutOff)).to.deep.equal({ times: 1, code: 'step_interrupted' })
    expect(await scans(withoutIntent)).to.deep.equal({ times: 2, code: undefined })
  })
})
