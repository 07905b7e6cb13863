import { expect } from 'chai'
import { personOf } from '../../core/domain/audit.ts'
import type { Alert } from '../../core/domain/alert.ts'
import type { JudgedShadow, QueuedShadow } from '../../core/shadow/shadow-result.ts'
import { maxWaitingShadows, type WatchedShadow } from '../../core/shadow/shadow-rules.ts'
import { completed, failed, newAlert, startedRun, type GetSubject } from './fixture.ts'
import { inPieces, ruleBy } from './retention-store.ts'

const beside: WatchedShadow = {
  name: 'triage-shadow',
  beside: 'phishing-triage',
  trigger: { types: ['phishing'], providers: undefined, where: undefined, group: undefined },
}
const alone: WatchedShadow = { ...beside, name: 'fresh', beside: undefined }

export function shadowStoreContract(subject: GetSubject): void {
  describe('ShadowStore', () => {
    const store = () => subject().stores.shadows
    let queued: number
    function watch(...shadows: readonly WatchedShadow[]): void {
      queued = 0
      store().watch(shadows, () => queued++)
    }
    beforeEach(() => watch(beside))

    async function investigated(alert?: Alert, end: typeof completed | typeof failed = completed) {
      const { stores, acme } = subject()
      const own = alert ?? (await stores.alerts.create(newAlert(acme)))
      const run = await startedRun(subject(), own, alert !== undefined)
      return { alert: own, run: await stores.runs.end(run.uuid, end) }
    }
    const waiting = async () => await store().waiting(10)
    const first = async (): Promise<QueuedShadow> => (await waiting())[0]!
    const judged = (changes: Partial<JudgedShadow> = {}): JudgedShadow => ({
      playbookHash: 'b'.repeat(64),
      outcome: 'agrees',
      summary: {
        live: { status: 'completed', verdict: 'benign', severity: null },
        shadow: { status: 'completed', verdict: 'benign', severity: null },
        actions: [{ skill: 'edr.isolate', by: 'both', calls: 1 }],
        changes: [],
        reason: null,
      },
      detail: { assumed: ['a'] },
      ...changes,
    })
    const results = async (scope: 'all' | readonly string[] = 'all', filter: object = {}) =>
      (await store().list(scope, { limit: 50 }, { playbookName: beside.name, ...filter })).data

    it('queues an alert in the write that ends its run, also if the run failed', async () => {
      const { alert, run } = await investigated()
      await investigated(undefined, failed)
      expect(queued).to.equal(2)
      const [one] = await waiting()
      expect(one).to.deep.include({
        organizationUuid: subject().acme.uuid,
        playbookName: beside.name,
        runUuid: run.uuid,
        alertId: alert.id,
        queuedAt: subject().clock.nowMs,
      })
      expect(await store().countWaiting('all', beside.name)).to.equal(2)
      expect(await results()).to.have.length(2)
    })

    it('queues nothing for runs without an alert, for other playbooks, and without shadows', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      await stores.runs.end(run.uuid, completed)
      watch({ ...beside, beside: 'another' }, { ...alone, trigger: { ...alone.trigger, types: ['spam'] } })
      await investigated()
      watch()
      await investigated()
      expect(await waiting()).to.deep.equal([])
    })

    it('queues an alert for each shadow, beside or alone', async () => {
      watch(beside, alone, { ...alone, name: 'other', trigger: { ...alone.trigger, providers: ['edr'] } })
      await investigated()
      expect((await waiting()).map(({ playbookName }) => playbookName)).to.have.members([
        beside.name,
        alone.name,
      ])
    })

    it('judges a later run of the alert instead of an earlier one', async () => {
      const { alert } = await investigated(undefined, failed)
      const earlier = await first()
      await store().finish(earlier, judged())
      const { run } = await investigated(alert)
      const [later, ...others] = await waiting()
      expect([later?.runUuid, others]).to.deep.equal([run.uuid, []])
      await store().finish(earlier, judged({ outcome: 'differs' }))
      expect((await results()).map(({ outcome }) => outcome)).to.deep.equal([null])
    })

    it('stores a result once, and counts the attempts before', async () => {
      const { alert, run } = await investigated()
      const one = await first()
      expect([await store().begin(one), await store().begin(one)]).to.deep.equal([1, 2])
      await store().finish(one, judged())
      await store().finish(one, judged({ outcome: 'differs' }))
      expect([await store().begin(one), await waiting()]).to.deep.equal([undefined, []])
      const found = await store().find('all', beside.name, alert.id)
      expect(found?.detail).to.deep.equal({ assumed: ['a'] })
      expect(found?.result).to.deep.include({
        outcome: 'agrees',
        summary: judged().summary,
        playbookHash: 'b'.repeat(64),
        livePlaybook: { name: run.playbookName, hash: run.playbookHash },
        judgedAt: subject().clock.nowMs,
      })
      expect(await store().newest('all', { playbookName: beside.name }, 9)).to.deep.equal([found?.result])
    })

    it('removes an alert that does not concern the shadow', async () => {
      const { alert } = await investigated()
      await store().remove(await first())
      expect(await store().find('all', beside.name, alert.id)).to.equal(undefined)
    })

    it('shows no results of other organizations', async () => {
      const { acme, globex } = subject()
      const { alert } = await investigated()
      await store().finish(await first(), judged())
      expect(await results([acme.uuid])).to.have.length(1)
      expect(await results([globex.uuid])).to.deep.equal([])
      expect(await store().newest([globex.uuid], { playbookName: beside.name }, 9)).to.deep.equal([])
      expect(await store().find([globex.uuid], beside.name, alert.id)).to.equal(undefined)
      expect(await store().countWaiting([globex.uuid], beside.name)).to.equal(0)
    })

    it('filters by time and outcome', async () => {
      const { clock } = subject()
      await investigated()
      await store().finish(await first(), judged())
      clock.nowMs += 1_000
      await investigated()
      await store().finish(await first(), judged({ outcome: 'differs' }))
      const outcomes = async (filter: object) => (await results('all', filter)).map(({ outcome }) => outcome)
      expect(await outcomes({})).to.deep.equal(['differs', 'agrees'])
      expect(await outcomes({ outcome: 'agrees' })).to.deep.equal(['agrees'])
      expect(await outcomes({ from: clock.nowMs })).to.deep.equal(['differs'])
      expect(await outcomes({ until: clock.nowMs })).to.deep.equal(['agrees'])
    })

    it('filters by the version that judged; alerts that no version has judged always count', async () => {
      await investigated()
      await store().finish(await first(), judged({ outcome: 'differs' }))
      await investigated()
      const of = async (playbookHash: string) =>
        (await results('all', { playbookHash })).map(({ outcome }) => outcome)
      expect(await of('b'.repeat(64))).to.deep.equal([null, 'differs'])
      expect(await of('c'.repeat(64))).to.deep.equal([null])
    })

    it('tells what analysts decided about the case, now', async () => {
      const { stores, acme } = subject()
      const { run } = await investigated()
      const caseOf = async () => (await results())[0]?.case
      expect(await caseOf()).to.deep.include({ id: run.caseId, decided: [], closedByPerson: false })
      await stores.cases.edit(acme.uuid, run.caseId!, { verdict: 'malicious' }, personOf('anna'), undefined)
      expect(await caseOf()).to.deep.include({ verdict: 'malicious', decided: ['verdict'] })
      await stores.cases.edit(acme.uuid, run.caseId!, { status: 'closed' }, personOf('anna'), undefined)
      expect(await caseOf()).to.deep.include({ closedByPerson: true })
    })

    it('deletes a result with the steps of its run', async () => {
      const { stores, acme, clock } = subject()
      const { run } = await investigated()
      await stores.cases.edit(acme.uuid, run.caseId!, { status: 'closed' }, personOf('anna'), undefined)
      await inPieces((from) => stores.retention.pruneRuns(ruleBy(clock.nowMs), from))
      expect(await results()).to.deep.equal([])
    })

    it('keeps a bounded number of alerts waiting, and says which are left out', async function () {
      this.timeout(60_000)
      await Promise.all(Array.from({ length: maxWaitingShadows }, () => investigated()))
      expect(await store().countWaiting('all', beside.name)).to.equal(maxWaitingShadows)
      await investigated()
      const [newest] = await results()
      expect([newest?.outcome, newest?.summary?.reason?.code]).to.deep.equal(['unjudged', 'backlog_full'])
      expect(await store().countWaiting('all', beside.name)).to.equal(maxWaitingShadows)
    })
  })
}
