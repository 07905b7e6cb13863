import { expect } from 'chai'
import type { RunOutcome } from '../../core/engine/flow.ts'
import type { JournalStore } from '../../core/ports.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { journalOf, openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingJournal } from './support/crashing-journal.ts'
import { makePlaybook } from './support/make-playbook.ts'

/** What the other systems remember: effects by idempotency key. Survives the crashes of ours. */
class World {
  readonly effects = new Map<string, number>()

  happen(skill: string, key: string): void {
    const name = `${skill} ${key.slice(key.indexOf('/') + 1)}`
    this.effects.set(name, (this.effects.get(name) ?? 0) + 1)
  }

  skills(): TestSkills {
    const tried = new Set<string>()
    const done = new Set<string>()
    return {
      read: (input, attempt) => {
        this.happen('read', attempt.idempotencyKey)
        return input
      },
      flaky: (input, attempt) => {
        if (tried.has(attempt.idempotencyKey)) return input
        tried.add(attempt.idempotencyKey)
        throw new RetryableError('http_429', 'slow down')
      },
      bad: () => {
        throw new SkillError('bad', 'bad')
      },
      isolate: {
        interrupted: 'verify',
        run: (_input, attempt) => {
          this.happen('isolate', attempt.idempotencyKey)
          done.add(attempt.idempotencyKey)
          return 'isolated'
        },
        verify: (_input, attempt) => (done.has(attempt.idempotencyKey) ? 'isolated' : undefined),
      },
    }
  }
}

const playbook = makePlaybook({
  steps: [
    { id: 'user', set: { name: '${{ alert.user }}' } },
    { id: 'never', if: 'steps.user.output.name == "eve"', uses: 'bad' },
    {
      id: 'intel',
      uses: 'flaky',
      with: { name: '${{ steps.user.output.name }}' },
      retry: { max: 2, backoffMs: 2 },
    },
    {
      id: 'gather',
      parallel: [
        { id: 'one', uses: 'read', with: { n: 1 } },
        {
          id: 'two',
          uses: 'bad',
          onError: [{ id: 'instead', uses: 'read', with: { why: '${{ error.code }}' } }],
          default: 2,
        },
        {
          id: 'three',
          steps: [
            { id: 'deep', wait: 3 },
            { id: 'deeper', uses: 'read', with: { n: 3 } },
          ],
        },
      ],
    },
    {
      id: 'each',
      foreach: ['a', 'b', 'c'],
      concurrency: 2,
      steps: [
        { id: 'look', uses: 'read', with: { item: '${{ item }}' } },
        { id: 'odd', if: 'item != "b"', uses: 'isolate', with: { item: '${{ steps.look.output.item }}' } },
      ],
    },
    {
      id: 'outcome',
      switch: [{ when: 'steps.two.output == 2', steps: [{ id: 'isolated', uses: 'isolate' }] }],
      else: [{ fail: 'never here' }],
    },
  ],
  finally: [{ id: 'tell', uses: 'read', with: { status: '${{ run.status }}' } }],
  outputs: { isolated: '${{ steps.isolated.output }}', each: '${{ steps.each.items.map(i, i.status) }}' },
})

/** Runs it in one process after another, until one of them comes to the end. */
async function runWithCrash(bench: Bench, ...crashes: readonly ((store: JournalStore) => JournalStore)[]) {
  const world = new World()
  const skills = world.skills()
  const run = await bench.startRun()
  const names = { alert: { user: 'adam' } }
  let outcome: RunOutcome | undefined
  let crashed = 0
  for (const wrap of crashes) {
    try {
      outcome = await bench.go(playbook, skills, { run, names, journal: wrap(bench.stores.journal) })
      break
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      crashed++
    }
  }
  outcome ??= await bench.go(playbook, skills, { run, names })
  const journal = await journalOf(bench.stores, run.uuid)
  // Until when a wait lasts is the one input that is a time.
  const entries = journal.map((entry) => (entry.kind === 'wait' ? { ...entry, input: null } : entry))
  return { crashed, outcome, entries, effects: world.effects }
}

describe('a run whose process crashes', function () {
  this.timeout(60_000)
  let bench: Bench
  before(async () => {
    bench = await openBench(systemClock)
  })
  after(() => bench.close())

  const untouched = (store: JournalStore) => store

  it('makes every effect once when nothing crashes', async () => {
    const { outcome, effects } = await runWithCrash(bench, untouched)
    expect(outcome).to.deep.equal({
      status: 'completed',
      output: { isolated: 'isolated', each: ['completed', 'completed', 'completed'] },
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
      'read @finally/tell': 1,
    })
  })

  for (const when of ['before', 'after'] as const) {
    it(`comes to the same end after a crash just ${when} each of its writes`, async () => {
      const reference = await runWithCrash(bench, untouched)
      const counted = crashingJournal(bench.stores.journal, Infinity, 'before')
      await runWithCrash(bench, () => counted.journal)
      expect(counted.writes()).to.be.greaterThan(30)

      for (let at = 1; at <= counted.writes(); at++) {
        const place = `write ${at}`
        const { crashed, outcome, entries, effects } = await runWithCrash(
          bench,
          (store) => crashingJournal(store, at, when).journal,
        )
        expect(crashed, place).to.equal(1)
        expect(outcome, place).to.deep.equal(reference.outcome)
        expect(entries, place).to.deep.equal(reference.entries)
        expect([...effects.keys()].toSorted(), place).to.deep.equal([...reference.effects.keys()].toSorted())
        for (const [effect, times] of effects) {
          // A read may be repeated, by the one attempt that was cut off; what can be verified is never done twice.
          expect(times, `${place}: ${effect}`).to.be.at.most(effect.startsWith('isolate') ? 1 : 2)
        }
        const repeated = [...effects.values()].filter((times) => times > 1).length
        expect(repeated, place).to.be.at.most(3) // as many as run at once
      }
    })
  }

  it('comes to the same end after two crashes', async () => {
    const reference = await runWithCrash(bench, untouched)
    // Not every pair, to be quick; the second crash counts from its own start.
    for (let first = 1; first <= 36; first += 7) {
      for (let second = 1; second <= 36; second += 3) {
        const place = `writes ${first} and ${second}`
        const { outcome, entries, effects } = await runWithCrash(
          bench,
          (store) => crashingJournal(store, first, 'after').journal,
          (store) => crashingJournal(store, second, 'before').journal,
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

  it('would repeat what must not be repeated if the intent were not recorded first (planted fault)', async () => {
    const withoutIntent = (store: JournalStore): JournalStore => ({
      ...crashingJournal(store, Infinity, 'before').journal,
      begin: () => Promise.resolve(), // the fault: the effect comes first
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
