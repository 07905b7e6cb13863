import { expect } from 'chai'
import { personOf } from '../../core/domain/audit.ts'
import { dayMs, hourMs, type NumberRange } from '../../core/numbers/number-range.ts'
import { somebody } from '../support/somebody.ts'
import { completed, failed, newAlert, startedRun, type GetSubject } from './fixture.ts'
import { inPieces, ruleBy } from './retention-store.ts'

export function numberStoreContract(subject: GetSubject): void {
  describe('NumberStore', () => {
    const store = () => subject().stores.numbers
    const pass = (ms: number) => (subject().clock.nowMs += ms)
    const range = (period: NumberRange['period'] = dayMs): NumberRange => ({
      period,
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
    })

    it('counts alerts by what they are, by the hour and by the day, once', async () => {
      const { stores, acme, globex } = subject()
      await stores.alerts.create(newAlert(acme))
      await stores.alerts.create(newAlert(acme, { type: null }))
      await store().catchUp()
      await stores.alerts.create(newAlert(globex))
      pass(hourMs)
      await stores.alerts.receive({ ...newAlert(acme), severity: 'high' }, {})
      await store().catchUp()
      await store().catchUp()
      const sum = async (by: 'type' | 'provider' | 'severity', period: NumberRange['period']) =>
        (await store().alerts([acme.uuid], range(period), by)).map(({ name, alerts }) => [name, alerts])
      expect(await sum('type', dayMs)).to.deep.equal([
        ['', 1],
        ['phishing', 2],
      ])
      expect(await sum('type', hourMs)).to.have.length(3)
      expect(await sum('provider', dayMs)).to.deep.equal([['SIEM', 3]])
      expect(await sum('severity', dayMs)).to.deep.equal([
        ['', 2],
        ['high', 1],
      ])
      const [all] = await store().alerts('all', range(), 'provider')
      expect([all?.alerts, all?.repeats]).to.deep.equal([4, 0])
      expect(await store().alerts([], range(), 'type')).to.deep.equal([])
    })

    it('counts a repeat apart, also if it becomes one after it was counted', async () => {
      const { stores, acme } = subject()
      const group = { fingerprint: Buffer.alloc(32), reason: 'x', windowMs: 60_000, caseTitle: () => 'x' }
      for (let n = 0; n < 3; n++) {
        const { uuid: alertUuid } = await stores.alerts.create(newAlert(acme))
        if (n === 1) await store().catchUp()
        const run = {
          organizationUuid: acme.uuid,
          playbookName: 'x',
          playbookHash: 'a'.repeat(64),
          alertUuid,
        }
        await stores.runs.queueOrGroup(run, group)
      }
      await store().catchUp()
      expect(await store().rules('all', range(), 5)).to.deep.equal([
        { provider: 'SIEM', type: 'phishing', alerts: 1, repeats: 2 },
      ])
      const hours = await store().alerts('all', range(hourMs), 'type')
      expect(hours.map(({ alerts, repeats }) => [alerts, repeats])).to.deep.equal([[1, 2]])
    })

    it('counts ended runs by outcome and cause, also if they end after others were counted', async () => {
      const { stores } = subject()
      const [one, two] = [await startedRun(subject(), null), await startedRun(subject(), null)]
      await startedRun(subject(), null)
      pass(1_000)
      await stores.runs.end(two.uuid, completed)
      await store().catchUp()
      pass(2_000)
      await stores.runs.end(one.uuid, failed)
      await store().catchUp()
      await store().catchUp()
      const found = await store().runs('all', range())
      expect(found.map(({ at: _, ...row }) => row)).to.deep.equal([
        { playbook: 'phishing-triage', completed: 1, failed: 1, cancelled: 0, meanMs: 2_000 },
      ])
      expect(await store().failures('all', range())).to.deep.equal([
        { cause: 'timeout', playbook: 'phishing-triage', runs: 1 },
      ])
    })

    it('measures the first decision and the first closing from the first alert', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      pass(30_000)
      const { caseId } = await startedRun(subject(), alert)
      const edit = (changes: object) =>
        stores.cases.edit(acme.uuid, caseId ?? '', changes, personOf('anna'), undefined)
      pass(30_000)
      await edit({ verdict: 'malicious' })
      pass(60_000)
      await edit({ verdict: 'benign', status: 'closed' })
      await store().catchUp()
      pass(60_000)
      await edit({ status: 'open' })
      await edit({ status: 'closed' })
      await store().catchUp()
      const whole = (await store().times('all', range())).filter(({ at }) => at === null)
      expect(whole.map(({ measure, count, meanMs }) => [measure, count, meanMs])).to.deep.equal([
        ['close', 1, 120_000],
        ['decision', 1, 60_000],
      ])
    })

    it('counts questions by their answer, and measures how long it took', async () => {
      const { stores, clock } = subject()
      const run = await startedRun(subject(), null)
      const question = { via: 'x', input: { message: 'Was it you?' }, answers: ['yes', 'no'], form: null }
      const open = (path: string) =>
        stores.checkpoints.open(run.uuid, { path, stepId: null, question, timeoutAt: clock.nowMs + 9_000 })
      const { id } = await open('a')
      await open('b')
      await open('c')
      await store().catchUp()
      pass(4_000)
      await stores.checkpoints.answer(id, { value: 'no', text: null }, somebody('anna'))
      await stores.checkpoints.close(run.uuid, 'b', 'timed_out')
      await store().catchUp()
      expect(await store().questions('all', range())).to.have.deep.members([
        { state: 'answered', answer: 'no', questions: 1 },
        { state: 'timed_out', answer: '', questions: 1 },
      ])
      const [answer] = await store().times('all', range())
      expect([answer?.measure, answer?.meanMs]).to.deep.equal(['answer', 4_000])
    })

    it('forget hours after 35 days, not days', async () => {
      const { stores, acme } = subject()
      await stores.alerts.create(newAlert(acme))
      await store().catchUp()
      const sums = async () =>
        await Promise.all(
          [hourMs, dayMs].map(async (each) => (await store().alerts('all', range(each), 'type')).length),
        )
      const clear = () => stores.retention.clearExpired({ idleMs: dayMs, maxMs: dayMs })
      pass(35 * dayMs)
      await clear()
      expect(await sums()).to.deep.equal([1, 1])
      pass(2 * dayMs)
      await clear()
      expect(await sums()).to.deep.equal([0, 1])
    })

    it('stay when retention deletes runs and questions, counted before or not', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      const question = { via: 'x', input: { message: '?' }, answers: ['yes'], form: null }
      const given = { path: 'a', stepId: null, question, timeoutAt: subject().clock.nowMs + 9_000 }
      const { id } = await stores.checkpoints.open(run.uuid, given)
      await stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody('anna'))
      await stores.runs.end(run.uuid, completed)
      await startedRun(subject(), null)
      pass(1_000)
      const rule = ruleBy(subject().clock.nowMs)
      expect((await inPieces((from) => stores.retention.pruneRuns(rule, from))).runs).to.equal(1)
      await store().catchUp()
      expect((await store().runs('all', range()))[0]?.completed).to.equal(1)
      expect((await store().questions('all', range()))[0]?.questions).to.equal(1)
    })

    it('tells the newest run of playbooks and how many ended, within the scope', async () => {
      const { stores, clock, globex } = subject()
      const first = await startedRun(subject(), null)
      await stores.runs.end(first.uuid, completed)
      pass(2 * dayMs)
      const second = await startedRun(subject(), null)
      await stores.runs.end(second.uuid, failed)
      pass(1_000)
      const last = await startedRun(subject(), null)
      await store().catchUp()
      const names = [first.playbookName, 'never ran']
      const activity = async (scope: 'all' | readonly string[], days: number) => [
        ...(await stores.runs.activityOf(scope, names, clock.nowMs - days * dayMs)),
      ]
      const never = ['never ran', { lastRunAt: null, runs: 0 }]
      expect(await activity('all', 5)).to.deep.equal([
        [first.playbookName, { lastRunAt: last.createdAt, runs: 2 }],
        never,
      ])
      expect((await activity('all', 1))[0]?.[1].runs).to.equal(1)
      expect(await activity([globex.uuid], 5)).to.deep.equal([
        [first.playbookName, { lastRunAt: null, runs: 0 }],
        never,
      ])
    })
  })
}
