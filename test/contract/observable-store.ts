import { expect } from 'chai'
import { personOf } from '../../core/domain/audit.ts'
import type { Alert } from '../../core/domain/alert.ts'
import type { ObservableKey } from '../../core/observable/normalize-observable.ts'
import { relatingObservables } from '../../core/observable/related-cases.ts'
import type { RunObservables } from '../../core/observable/run-observables.ts'
import { somebody } from '../support/somebody.ts'
import { completed, newAlert, startedRun, type GetSubject } from './fixture.ts'
import { inPieces, ruleBy } from './retention-store.ts'

const page = { limit: 50 }
const ip = (value: string): ObservableKey => ({ kind: 'ip', value })

export function observableStoreContract(subject: GetSubject): void {
  describe('ObservableStore', () => {
    const store = () => subject().stores.observables
    const pass = (ms: number) => (subject().clock.nowMs += ms)

    /** Indexes all alerts with these observables, in turn. */
    async function indexAlerts(...of: (readonly ObservableKey[])[]): Promise<void> {
      // A filtered list takes new alerts into its indexes.
      await subject().stores.alerts.list('all', { type: 'phishing' }, page)
      const found = await store().nextAlerts(100)
      await store().indexAlerts(found.map(({ row }, place) => ({ row, observables: of[place] ?? [] })))
    }
    async function indexRuns(found: RunObservables = { observables: [], findings: [] }): Promise<number> {
      pass(3_000)
      const runs = await store().nextRuns(100)
      for (const { row } of runs) await store().indexRun(row, found)
      return runs.length
    }
    async function investigated(observable: ObservableKey): Promise<Alert> {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const run = await startedRun(subject(), alert)
      await stores.runs.end(run.uuid, completed)
      await indexAlerts([observable])
      return (await stores.alerts.find('all', alert.uuid)) ?? expect.fail('no alert')
    }
    const seen = async (key: ObservableKey, scope: 'all' | readonly string[] = 'all') =>
      (await store().list(scope, key, page)).data

    it('counts alerts once, with the first and the last time', async () => {
      const { stores, acme } = subject()
      const from = subject().clock.nowMs
      await stores.alerts.create(newAlert(acme))
      pass(1_000)
      await stores.alerts.create(newAlert(acme))
      await indexAlerts([ip('203.0.113.9'), ip('203.0.113.9')], [ip('203.0.113.9')])
      const { data } = await stores.alerts.list('all', { observable: ip('203.0.113.9') }, page)
      expect(data).to.have.length(2)
      expect(await seen(ip('203.0.113.9'))).to.deep.equal([
        {
          ...ip('203.0.113.9'),
          organizationUuid: acme.uuid,
          organizationCode: acme.code,
          firstAt: from,
          lastAt: from + 1_000,
          alerts: 2,
          cases: 0,
          runs: 0,
        },
      ])
      expect(await store().nextAlerts(10)).to.deep.equal([])
    })

    it('ignores an alert that was indexed before', async () => {
      const { stores, acme } = subject()
      await stores.alerts.create(newAlert(acme))
      await stores.alerts.list('all', { type: 'phishing' }, page)
      const [first] = await store().nextAlerts(1)
      await store().indexAlerts([{ row: first!.row, observables: [ip('203.0.113.9')] }])
      await store().indexAlerts([{ row: first!.row, observables: [ip('203.0.113.9'), ip('203.0.113.10')] }])
      expect((await seen(ip('203.0.113.9')))[0]?.alerts).to.equal(1)
      expect(await seen(ip('203.0.113.10'))).to.deep.equal([])
    })

    it('shows an organization its own observables only', async () => {
      const { stores, acme, globex } = subject()
      await stores.alerts.create(newAlert(acme))
      await stores.alerts.create(newAlert(globex))
      await indexAlerts([ip('203.0.113.9')], [ip('203.0.113.9')])
      expect(await seen(ip('203.0.113.9'))).to.have.length(2)
      const own = await seen(ip('203.0.113.9'), [globex.uuid])
      expect(own.map(({ organizationCode, alerts }) => [organizationCode, alerts])).to.deep.equal([
        [globex.code, 1],
      ])
      expect(await store().countCases([], [ip('203.0.113.9')])).to.deep.equal([0])
    })

    it('finds values by their beginning, and takes no character of it for a pattern', async () => {
      const { stores, acme } = subject()
      for (let n = 0; n < 3; n++) await stores.alerts.create(newAlert(acme))
      const user = (value: string): ObservableKey => ({ kind: 'user', value })
      await indexAlerts([user('a%b')], [user('a%bc')], [user('axb')])
      const { data } = await store().list('all', { prefix: 'a%b' }, page)
      expect(data.map(({ value }) => value)).to.deep.equal(['a%bc', 'a%b'])
    })

    it('follows an alert to another case', async () => {
      const { stores, acme } = subject()
      const one = await investigated(ip('203.0.113.9'))
      const two = await investigated(ip('203.0.113.9'))
      expect(await store().countCases('all', [ip('203.0.113.9')])).to.deep.equal([2])
      const given = [{ id: two.caseId ?? '', revision: undefined }]
      const target = { id: one.caseId ?? '', revision: undefined }
      await stores.caseMoves.merge(acme.uuid, target, given, personOf('anna'))
      expect(await store().followMoves(100)).to.equal(1)
      expect(await store().followMoves(100)).to.equal(0)
      expect(await store().countCases('all', [ip('203.0.113.9')])).to.deep.equal([1])
      const cases = await stores.cases.list('all', { observable: ip('203.0.113.9') }, page)
      expect(cases.data.map(({ id }) => id)).to.deep.equal([one.caseId])
    })

    it('indexes an active run, and again after its end', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      expect(await indexRuns()).to.equal(1)
      expect(await indexRuns()).to.equal(0)
      await stores.runs.end(run.uuid, completed)
      const finding = {
        observable: ip('203.0.113.9'),
        source: 'intel.look',
        path: 'look',
        at: 5,
        score: 92,
        level: 'critical',
        summary: 'A botnet',
        error: null,
      }
      expect(await indexRuns({ observables: [ip('203.0.113.9')], findings: [finding] })).to.equal(1)
      expect(await indexRuns()).to.equal(0)
      const { data } = await store().findings('all', ip('203.0.113.9'), page)
      const { organizationUuid, caseId, runUuid, ...found } = data[0] ?? expect.fail('no finding')
      expect(found).to.deep.equal(finding)
      expect([organizationUuid, caseId, runUuid]).to.deep.equal([subject().acme.uuid, null, run.uuid])
      expect((await stores.runs.list('all', { observable: ip('203.0.113.9') }, page)).data).to.have.length(1)
      expect((await store().findings([subject().globex.uuid], ip('203.0.113.9'), page)).data).to.deep.equal(
        [],
      )
    })

    it('forgets the findings of a run whose steps were deleted', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      await stores.runs.end(run.uuid, completed)
      const finding = {
        observable: ip('203.0.113.9'),
        source: 'intel.look',
        path: 'look',
        at: 5,
        score: null,
        level: null,
        summary: null,
        error: { code: 'timeout', message: 'too slow' },
      }
      await indexRuns({ observables: [ip('203.0.113.9')], findings: [finding] })
      await startedRun(subject(), null)
      pass(1_000)
      const rule = ruleBy(subject().clock.nowMs)
      await inPieces((from) => stores.retention.pruneRuns(rule, from))
      expect((await store().findings('all', undefined, page)).data).to.deep.equal([])
      expect(await seen(ip('203.0.113.9'))).to.deep.equal([])
    })

    it('forgets a deleted alert, and what no alert has any more', async () => {
      const { stores, acme } = subject()
      const alert = await investigated(ip('203.0.113.9'))
      await investigated(ip('203.0.113.10'))
      await stores.cases.edit(
        acme.uuid,
        alert.caseId ?? '',
        { status: 'closed' },
        personOf('anna'),
        undefined,
      )
      await startedRun(subject(), null)
      await stores.alerts.list('all', { words: 'high' }, page)
      pass(1_000)
      const rule = ruleBy(subject().clock.nowMs)
      await inPieces((from) => stores.retention.pruneAlerts(rule, from))
      expect(await stores.alerts.find('all', alert.uuid)).to.equal(undefined)
      expect(await seen(ip('203.0.113.9'))).to.deep.equal([])
      expect((await seen(ip('203.0.113.10')))[0]?.cases).to.equal(1)
    })

    it('relates cases that share rare observables, not placeholders', async () => {
      const { acme, globex, stores } = subject()
      const user: ObservableKey = { kind: 'user', value: 'administrator' }
      const one = await investigated(ip('203.0.113.9'))
      const two = await investigated(ip('203.0.113.9'))
      await investigated(user)
      const three = await investigated(user)
      await stores.cases.create(globex.uuid, { title: 'Other' }, somebody(), 'other')
      const related = (id: string | null, organization = acme) =>
        store().related(organization.uuid, id ?? '', relatingObservables, 20)
      const found = await related(one.caseId)
      expect(found.map(({ caseId, shared, sharedTotal }) => [caseId, shared, sharedTotal])).to.deep.equal([
        [two.caseId, [ip('203.0.113.9')], 1],
      ])
      expect(await related(three.caseId)).to.deep.equal([])
      expect(await related(one.caseId, globex)).to.deep.equal([])
    })
  })
}
