import { expect } from 'chai'
import type { Question } from '../../core/domain/checkpoint.ts'
import type { ParkedRun } from '../../core/ports/runs/run-store.ts'
import { completed, queuedRun, startedRun, unknownUuid, type GetSubject } from './fixture.ts'
import { somebody } from '../support/somebody.ts'

const question: Question = { via: 'operator', input: {}, answers: ['yes'], form: null }
const begin = { path: 'a', stepId: 'a', kind: 'x.do', input: null, attempt: 1, startedAt: 1 }

export function runTurnsContract(subject: GetSubject): void {
  const uuids = (runs: readonly { readonly uuid: string }[]) => runs.map(({ uuid }) => uuid)
  const due = async (organization = subject().acme) =>
    uuids(await subject().stores.runs.due(organization.uuid, 10))
  const parked = async (after?: ParkedRun, limit = 10) => subject().stores.runs.parked(after, limit)

  describe('RunStore: turns', () => {
    it('come in the order of queueing until the run starts', async () => {
      const { stores, globex, clock } = subject()
      const first = await queuedRun(subject(), null)
      clock.nowMs++
      const second = await queuedRun(subject(), null)
      expect(await due()).to.deep.equal([first.uuid, second.uuid])
      expect(uuids(await stores.runs.due(subject().acme.uuid, 1))).to.deep.equal([first.uuid])
      expect(await due(globex)).to.deep.equal([])
      await stores.runs.start(first.uuid, { title: 'x' })
      expect(await due()).to.deep.equal([second.uuid])
      await stores.runs.cancel('all', second.uuid, somebody('anna'))
      expect(await due()).to.deep.equal([])
    })

    it('come again at their time, for one taker', async () => {
      const { stores, clock } = subject()
      const { uuid } = await startedRun(subject(), null)
      expect(await stores.runs.take(uuid), 'it has a turn').to.equal(undefined)
      expect(await stores.runs.park(uuid, clock.nowMs + 5)).to.equal(true)
      clock.nowMs += 4
      expect(await due()).to.deep.equal([])
      const resting = { uuid, organizationUuid: subject().acme.uuid, wakeAt: clock.nowMs + 1 }
      expect(await stores.runs.take(uuid)).to.deep.equal(resting)
      clock.nowMs += 1
      expect(await due()).to.deep.equal([uuid])
      const takers = await Promise.all([stores.runs.take(uuid), stores.runs.take(uuid)])
      expect(takers.map((taken) => taken && 'run' in taken && taken.run.uuid)).to.deep.equal([
        uuid,
        undefined,
      ])
      expect(takers[0]).to.deep.include({ soloCrashes: 0 })
      expect(await due()).to.deep.equal([])
    })

    it('of this process are found and given up', async () => {
      const { stores } = subject()
      const [known, unknown, queued] = [
        await startedRun(subject(), null),
        await startedRun(subject(), null),
        await queuedRun(subject(), null),
      ]
      expect(await stores.runs.turnsBesides([known.uuid])).to.deep.equal([unknown.uuid])
      await stores.runs.giveUp([unknown.uuid, queued.uuid])
      expect(await stores.runs.turnsBesides([])).to.deep.equal([known.uuid])
      expect(await due()).to.have.members([unknown.uuid, queued.uuid])
      expect(await stores.runs.take(unknown.uuid)).to.include({ soloCrashes: 0 })
      expect(await stores.runs.suspects()).to.deep.equal([])
    })

    it('return an ended run unchanged, and nothing for a missing run', async () => {
      const { runs } = subject().stores
      const { uuid } = await startedRun(subject(), null)
      const ended = await runs.end(uuid, completed)
      expect(await runs.take(uuid)).to.deep.equal({ run: ended, turn: 1, soloCrashes: 0 })
      expect(await runs.park(uuid, 1)).to.equal(false)
      expect(await runs.take(unknownUuid)).to.equal(undefined)
    })

    it('are listed by time in pages, without those that need an event', async () => {
      const { stores, clock } = subject()
      const at = [30, 10, 20, 20, Infinity].map((ms) => clock.nowMs + ms)
      const all: ParkedRun[] = []
      for (const wakeAt of at) {
        const { uuid, organizationUuid } = await startedRun(subject(), null)
        await stores.runs.park(uuid, wakeAt)
        all.push({ uuid, organizationUuid, wakeAt })
      }
      const sorted = [all[1]!, all[2]!, all[3]!, all[0]!]
      expect(await parked()).to.deep.equal(sorted)
      expect(await parked(undefined, 2)).to.deep.equal(sorted.slice(0, 2))
      expect(await parked(sorted[1], 2), 'of two with the same time').to.deep.equal(sorted.slice(2))
      clock.nowMs += 1_000_000
      expect(await due()).to.have.length(4)
    })

    for (const [what, wake] of [
      ['an answer', (id: string) => answer(id)],
      ['a decision', (id: string) => decide(id)],
      ['a cancellation', (id: string) => subject().stores.runs.cancel('all', id, somebody('anna'))],
    ] as const) {
      it(`come at once after ${what}, even if it came before the run was parked`, async () => {
        const { runs, journal } = subject().stores
        for (const isPutAwayFirst of [true, false]) {
          const { uuid } = await startedRun(subject(), null)
          await subject().stores.checkpoints.open(uuid, { ...begin, question, timeoutAt: 9e15 })
          await journal.begin(uuid, begin)
          await journal.park(uuid, begin.path)
          if (isPutAwayFirst) expect(await runs.park(uuid, Infinity)).to.equal(true)
          expect(await due()).to.deep.equal([])
          await wake(uuid)
          if (!isPutAwayFirst) expect(await runs.park(uuid, Infinity), 'nobody would wake it').to.equal(false)
          expect(await due()).to.deep.equal([uuid])
          expect(await runs.take(uuid)).to.deep.include({ soloCrashes: 0 })
          await runs.end(uuid, completed)
        }
      })
    }

    async function answer(runUuid: string): Promise<void> {
      const { checkpoints } = subject().stores
      const checkpoint = await checkpoints.atPath(runUuid, begin.path)
      await checkpoints.answer(checkpoint!.id, { value: 'yes', text: null }, somebody('anna'))
    }

    async function decide(runUuid: string): Promise<void> {
      const decision = { decision: 'skip', output: null, by: somebody('anna') } as const
      await subject().stores.journal.resolve(runUuid, begin.path, decision)
    }

    it('are kept for runs queued before the clock was set back', async () => {
      const { stores, clock } = subject()
      const queued = await queuedRun(subject(), null)
      const resting = await startedRun(subject(), null)
      await stores.runs.park(resting.uuid, clock.nowMs + 5)
      clock.nowMs -= 3_600_000
      expect(await due()).to.deep.equal([queued.uuid])
      await stores.runs.recover()
      expect(await due()).to.deep.equal([queued.uuid])
      expect(await stores.runs.take(queued.uuid)).to.deep.include({ soloCrashes: 0 })
    })

    it('come first for runs taken by an earlier process', async () => {
      const { runs } = subject().stores
      const queued = await queuedRun(subject(), null)
      const taken = await startedRun(subject(), null)
      const resting = await startedRun(subject(), null)
      const over = await startedRun(subject(), null)
      await runs.park(resting.uuid, Infinity)
      await runs.end(over.uuid, completed)
      await runs.recover()
      expect(await due()).to.deep.equal([taken.uuid, queued.uuid])
      expect(await runs.take(taken.uuid)).to.deep.include({ soloCrashes: 0 })
      expect(await due()).to.deep.equal([queued.uuid])
    })

    it('suspect a run that two crashes left behind without a rest', async () => {
      const { runs } = subject().stores
      const [bad, good] = [await startedRun(subject(), null), await startedRun(subject(), null)]
      const suspects = async () => (await runs.suspects()).map(({ uuid, crashes }) => [uuid, crashes])
      await runs.recover()
      expect(await suspects()).to.deep.equal([])
      for (const { uuid } of [bad, good]) await runs.take(uuid)
      await runs.recover()
      expect(await suspects()).to.deep.equal([
        [bad.uuid, 2],
        [good.uuid, 2],
      ])
      await runs.setAlone(good.uuid, true)
      await runs.take(good.uuid)
      await runs.setAlone(good.uuid, false)
      await runs.park(good.uuid, 0)
      await runs.setAlone(bad.uuid, true)
      await runs.take(bad.uuid)
      await runs.recover()
      expect(await suspects()).to.deep.equal([[bad.uuid, 3]])
      expect(await runs.take(good.uuid)).to.deep.include({ soloCrashes: 0 })
      expect(await runs.take(bad.uuid)).to.deep.include({ soloCrashes: 1 })
      await runs.recover()
      expect(await runs.take(bad.uuid), 'it is not alone now').to.deep.include({ soloCrashes: 1 })
      await runs.park(bad.uuid, 0)
      expect(await runs.take(bad.uuid), 'it has come through').to.deep.include({ soloCrashes: 0 })
    })

    it('suspect a run that was watched at a crash, and none after a graceful stop', async () => {
      const { runs } = subject().stores
      const all = [await startedRun(subject(), null), await startedRun(subject(), null)]
      const crashes = async () => (await runs.suspects()).map((suspect) => suspect.crashes)
      for (let n = 0; n < 2; n++) {
        await runs.recover()
        for (const { uuid } of all) await runs.take(uuid)
      }
      await runs.setCrashes(all[0]!.uuid, 2, 4)
      await runs.setCrashes(all[1]!.uuid, 3, 4)
      await runs.recover()
      expect(await crashes()).to.deep.equal([5, 3])
      await runs.take(all[0]!.uuid)
      await runs.forgetCrashes()
      await runs.recover()
      expect(await crashes()).to.deep.equal([])
      for (const { uuid } of all) await runs.take(uuid)
      await runs.recover()
      expect(await crashes(), 'it was cut off by that stop').to.deep.equal([])
    })

    it('come for the next run of a concurrency key only after the previous one ended', async () => {
      const { stores, acme } = subject()
      const queue = () =>
        stores.runs.queue({
          organizationUuid: acme.uuid,
          playbookName: 'contain',
          playbookHash: 'a'.repeat(64),
          alertUuid: null,
          concurrency: { key: 'host', policy: 'queue' },
        })
      const [first, second, third] = [await queue(), await queue(), await queue()]
      expect(first.exclusive).to.equal(true)
      for (const { uuid } of [first, second, third]) await stores.runs.start(uuid, { title: 'x' })
      expect(await due()).to.deep.equal([])
      expect(await parked()).to.deep.equal([])
      await stores.runs.end(first.uuid, completed)
      expect(await due()).to.deep.equal([second.uuid])
      await stores.runs.cancel('all', second.uuid, somebody('anna'))
      expect(await due()).to.deep.equal([third.uuid])
    })

    it('are counted per organization while they are the first ones of their runs', async () => {
      const { stores, acme } = subject()
      expect(await stores.runs.countQueued()).to.deep.equal(new Map())
      const [first] = [await queuedRun(subject(), null), await queuedRun(subject(), null)]
      expect(await stores.runs.countQueued()).to.deep.equal(new Map([[acme.uuid, 2]]))
      await stores.runs.start(first.uuid, { title: 'x' })
      await stores.runs.park(first.uuid, Infinity)
      expect(await stores.runs.countQueued()).to.deep.equal(new Map([[acme.uuid, 1]]))
    })
  })
}
