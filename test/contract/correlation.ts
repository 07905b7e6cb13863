import { expect } from 'chai'
import { createHash } from 'node:crypto'
import type { Alert } from '../../core/domain/alert.ts'
import type { CorrelationKey } from '../../core/correlation/correlation.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Run } from '../../core/domain/run.ts'
import { theRun } from '../../core/domain/audit.ts'
import type { CaseChanges } from '../../core/plugin/index.ts'
import { somebody } from '../support/somebody.ts'
import { inPieces, ruleBy } from './retention-store.ts'
import { completed, newAlert, timelineOf, type GetSubject } from './fixture.ts'

const windowMs = 60_000

export function correlationContract(subject: GetSubject): void {
  describe('RunStore, correlation', () => {
    const keyOf = (value: string, changes: Partial<CorrelationKey> = {}): CorrelationKey => ({
      key: createHash('sha256').update(value).digest(),
      reason: `user (${value}) is the same`,
      windowMs,
      max: 100,
      ...changes,
    })

    async function post(
      keys: readonly CorrelationKey[],
      { organization = subject().acme, begin = false, skipped = [] as readonly string[] } = {},
    ): Promise<{ alert: Alert; run: Run; caseId: string }> {
      const { stores } = subject()
      const { uuid: alertUuid } = await stores.alerts.create(newAlert(organization))
      const correlation = { keys, skipped, caseTitle: 'about a user' }
      const run = await stores.runs.queue(
        {
          organizationUuid: organization.uuid,
          playbookName: 'triage',
          playbookHash: 'a'.repeat(64),
          alertUuid,
          correlation,
        },
        begin ? { title: 'its own' } : undefined,
      )
      const alert = (await stores.alerts.find('all', alertUuid))!
      return { alert, run, caseId: alert.caseId ?? expect.fail('it has no case') }
    }

    const textsOf = async (caseId: string) =>
      (await timelineOf(subject().stores, caseId)).map(({ text }) => text)
    const casesOf = async () => (await subject().stores.cases.list('all', {}, { limit: 200 })).total

    it('gives alerts with the same key one case, each with a run of its own', async () => {
      const { stores } = subject()
      const first = await post([keyOf('ana')], { begin: true })
      const second = await post([keyOf('ana')])
      expect(second.caseId).to.equal(first.caseId)
      expect(first.alert.joinedBecause).to.equal(null)
      expect(second.alert.joinedBecause).to.equal('user (ana) is the same')
      expect(await stores.runs.start(second.run.uuid, { title: 'its own' })).to.include({
        caseId: first.caseId,
        status: 'running',
      })
      expect((await stores.runs.list('all', { caseId: first.caseId }, { limit: 5 })).total).to.equal(2)
      expect(await textsOf(first.caseId)).to.deep.equal([
        'The case was opened.',
        `Alert ${first.alert.id} is investigated by triage.`,
        `Alert ${second.alert.id} joined this case because user (ana) is the same.`,
        `Alert ${second.alert.id} is investigated by triage.`,
      ])
    })

    it('opens one case for many alerts at once', async () => {
      const posted = await Promise.all(
        Array.from({ length: 40 }, (_, at) => post([keyOf('ana')], { begin: at % 2 === 0 })),
      )
      expect(new Set(posted.map(({ caseId }) => caseId)).size).to.equal(1)
      expect(await casesOf()).to.equal(1)
      expect(posted.filter(({ alert }) => alert.joinedBecause === null)).to.have.length(1)
    })

    it('counts the window from the last alert, and takes the shorter of two windows', async () => {
      const { clock } = subject()
      const first = await post([keyOf('ana')])
      clock.nowMs += windowMs - 1
      expect((await post([keyOf('ana')])).caseId).to.equal(first.caseId)
      clock.nowMs += windowMs - 1
      expect((await post([keyOf('ana')])).caseId).to.equal(first.caseId)
      clock.nowMs += windowMs
      const later = await post([keyOf('ana', { windowMs: 10 * windowMs })])
      expect(later.caseId).not.to.equal(first.caseId)
      clock.nowMs += windowMs
      expect((await post([keyOf('ana')])).caseId).not.to.equal(later.caseId)
    })

    it('ignores a key from the future, after the clock was set back', async () => {
      const first = await post([keyOf('ana')])
      subject().clock.nowMs -= 1_000
      expect((await post([keyOf('ana')])).caseId, 'of a node with a slower clock').to.equal(first.caseId)
      subject().clock.nowMs -= 61_000
      expect((await post([keyOf('ana')])).caseId).not.to.equal(first.caseId)
    })

    it('joins no closed case, and says so', async () => {
      const { stores, acme } = subject()
      const first = await post([keyOf('ana')])
      await stores.cases.edit(acme.uuid, first.caseId, { status: 'closed' }, somebody(), undefined)
      const second = await post([keyOf('ana')])
      expect(second.caseId).not.to.equal(first.caseId)
      expect((await textsOf(second.caseId)).at(-1)).to.equal(
        `Alert ${second.alert.id} is related to case ${first.caseId} because user (ana) is the same. It did not join: that case is closed.`,
      )
      expect((await post([keyOf('ana')])).caseId).to.equal(second.caseId)
    })

    it('opens another case after the maximum, and links both', async () => {
      const max = 3
      const posted = []
      for (let count = 0; count < 7; count++) posted.push(await post([keyOf('ana', { max })]))
      const cases = posted.map(({ caseId }) => caseId)
      expect(cases.map((id) => [...new Set(cases)].indexOf(id))).to.deep.equal([0, 0, 0, 1, 1, 1, 2])
      expect((await textsOf(cases[0]!)).at(-1)).to.equal(
        `This case takes no more alerts by correlation: alert ${posted[3]!.alert.id} opened ${cases[3]}, and further related alerts join that case.`,
      )
      expect((await textsOf(cases[3]!))[1]).to.contain(
        `is related to case ${cases[0]} because user (ana) is the same. It did not join: that case has 3 investigated alerts`,
      )
    })

    it('lets the first matching rule decide, links the other case, and does not chain beyond the maximum', async () => {
      const ana = await post([keyOf('ana')])
      const host = await post([keyOf('ws-7')])
      const both = await post([keyOf('ana'), keyOf('ws-7')])
      expect(both.caseId).to.equal(ana.caseId)
      expect((await textsOf(ana.caseId)).at(-1)).to.contain(
        `is related to case ${host.caseId} because user (ws-7) is the same. It did not join: an earlier rule matched another case first.`,
      )
      expect((await post([keyOf('ws-7')])).caseId).to.equal(host.caseId)
      const max = 3
      const chain = []
      for (let at = 0; at < 6; at++)
        chain.push(await post([keyOf(`link ${at}`, { max }), keyOf(`link ${at + 1}`, { max })]))
      expect(new Set(chain.map(({ caseId }) => caseId)).size).to.equal(2)
    })

    it('is closed by the last active run, and by none while another alert is grave', async () => {
      const { stores, acme } = subject()
      const says = ({ run }: { readonly run: Run }, changes: CaseChanges, key: string) =>
        stores.cases.update(acme.uuid, one.caseId, changes, theRun(run.uuid, 'triage'), `${run.uuid}/${key}`)
      const [one, two] = [
        await post([keyOf('ana')], { begin: true }),
        await post([keyOf('ana')], { begin: true }),
      ]
      const benign = { status: 'closed', verdict: 'benign' } as const
      expect(await says(one, benign, 'a')).to.include({ status: 'open', verdict: 'benign' })
      expect((await textsOf(one.caseId)).at(-1)).to.contain(
        'the case stays open: other runs of the case are active',
      )
      await stores.runs.end(one.run.uuid, completed)
      expect(await says(two, { ...benign, verdict: 'suspicious' }, 'b')).to.include({ status: 'closed' })
      const three = await post([keyOf('bob')], { begin: true })
      expect(three.caseId).not.to.equal(one.caseId)
    })

    it('does not keep alerts from being deleted, and forgets keys whose window has ended', async () => {
      const { stores, acme, clock } = subject()
      const first = await post([keyOf('ana')], { begin: true })
      const other = await post([keyOf('bob')], { begin: true })
      const sources = [{ id: other.caseId, revision: undefined }]
      await stores.caseMoves.merge(acme.uuid, { id: first.caseId, revision: undefined }, sources, somebody())
      await stores.runs.end(first.run.uuid, completed)
      await stores.runs.end(other.run.uuid, completed)
      await stores.cases.edit(acme.uuid, first.caseId, { status: 'closed' }, somebody(), undefined)
      await stores.alerts.create(newAlert(acme))
      await stores.runs.queue({
        organizationUuid: acme.uuid,
        playbookName: 'p',
        playbookHash: 'h',
        alertUuid: null,
      })
      await stores.alerts.list('all', { words: 'high' }, { limit: 1 })
      clock.nowMs += 1_000
      const rule = ruleBy(clock.nowMs)
      expect(await inPieces((from) => stores.retention.pruneAlerts(rule, from))).to.include({
        alerts: 2,
        runs: 2,
      })
      expect((await post([keyOf('ana')])).caseId).not.to.equal(first.caseId)
      clock.nowMs += 10 * windowMs
      while (await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 }));
      expect((await post([keyOf('ana')])).alert.joinedBecause).to.equal(null)
    })

    it('separates organizations', async () => {
      const first = await post([keyOf('ana')])
      const other = await post([keyOf('ana')], { organization: subject().globex })
      expect(other.caseId).not.to.equal(first.caseId)
      expect(other.alert.joinedBecause).to.equal(null)
    })

    it('says in the case why a rule did not apply', async () => {
      const { caseId } = await post([], { skipped: ['Not correlated by user: it is too common.'] })
      expect(await textsOf(caseId)).to.include('Not correlated by user: it is too common.')
    })

    it('keeps the case of an alert that is investigated again', async () => {
      const { stores, acme } = subject()
      const first = await post([keyOf('ana')], { begin: true })
      await stores.runs.end(first.run.uuid, completed)
      await post([keyOf('ana')])
      const again = await stores.runs.queue({
        organizationUuid: acme.uuid,
        playbookName: 'triage',
        playbookHash: 'a'.repeat(64),
        alertUuid: first.alert.uuid,
        retry: true,
      })
      expect(await stores.runs.start(again.uuid, { title: 'x' })).to.include({ caseId: first.caseId })
    })

    it('gives a repeat that takes over the case of its group', async () => {
      const { stores, acme } = subject()
      const group = {
        fingerprint: Buffer.alloc(32),
        reason: 'x is the same',
        windowMs,
        caseTitle: () => 'group',
      }
      const queue = async (name: string, organization: Organization = acme) => {
        const { uuid: alertUuid } = await stores.alerts.create(newAlert(organization))
        const correlation = { keys: [keyOf(name)], skipped: [], caseTitle: 'x' }
        const run = { organizationUuid: acme.uuid, playbookName: 'triage', playbookHash: 'a'.repeat(64) }
        const queued = await stores.runs.queueOrGroup({ ...run, alertUuid, correlation }, group, {
          title: 'x',
        })
        return { alertUuid, queued }
      }
      const first = await queue('ana')
      if (!('run' in first.queued)) return expect.fail('it was grouped')
      await stores.runs.end(first.queued.run.uuid, {
        status: 'failed',
        output: null,
        error: {
          code: 'x',
          message: 'x',
        },
      })
      await queue('bob')
      expect(await casesOf()).to.equal(1)
    })
  })
}
