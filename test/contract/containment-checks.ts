import { expect } from 'chai'
import { settleMs } from '../../core/destructive/checks/containment-state.ts'
import type { ContainingCall, SeenState } from '../../core/destructive/checks/state-checks.ts'
import type { DestructiveOutcome } from '../../core/destructive/containment.ts'
import { somebody } from '../support/somebody.ts'
import { completed, newAlert, startedRun, timelineOf, type GetSubject } from './fixture.ts'

const isolate = 'edr.isolate_machine'
const release = 'edr.release_machine'
const periodMs = 900_000

export function containmentChecksContract(subject: GetSubject): void {
  describe('ContainmentStore, checks', () => {
    const store = () => subject().stores.containments
    const pass = (ms: number) => void (subject().clock.nowMs += ms)
    const now = () => subject().clock.nowMs
    const newest = async () => (await store().list('all', { limit: 1 }, {})).data[0]!
    const due = async () => (await store().dueChecks(now(), 10)).map(({ containment }) => containment.id)
    const given: ContainingCall = { input: { id: 'm1' }, output: { ticket: 7 } }

    async function aRun() {
      const { stores, acme } = subject()
      return await startedRun(subject(), await stores.alerts.create(newAlert(acme)))
    }

    async function call(
      runUuid: string,
      kind: string,
      outcome: DestructiveOutcome,
      { path = kind, sensitive }: { readonly path?: string; readonly sensitive?: object } = {},
    ) {
      const input = { id: 'm1' }
      const entry = { path, stepId: path, kind, input, attempt: 1, startedAt: now() }
      const { journal } = subject().stores
      await journal.begin(runUuid, {
        ...entry,
        destructive: { class: 'containment', input },
        ...(sensitive && { sensitive }),
      })
      const end = { state: 'completed', output: {}, error: null, attempt: 1, endedAt: now() } as const
      await journal.end(runUuid, path, { ...end, call: outcome })
    }

    const containing = (call: ContainingCall | undefined = given): DestructiveOutcome => ({
      connection: 'Endpoints',
      contains: { skill: release, input: { id: 'm1' }, call },
    })

    async function contained(sensitive?: object) {
      await call((await aRun()).uuid, isolate, containing(), sensitive ? { sensitive } : {})
      pass(settleMs)
      return await newest()
    }

    async function see(seen: SeenState) {
      const { id, changedAt } = await newest()
      await store().noteCheck(id, changedAt, { startedAt: now(), seen }, periodMs)
    }

    it('are due a minute after the action, with the containing call', async () => {
      const { id } = await contained()
      const [found] = await store().dueChecks(now(), 10)
      expect(found).to.deep.include({ call: given, isSensitive: false })
      expect(found?.containment).to.deep.include({ id, stateSeen: null, stateCheckedAt: null, endedBy: null })
      pass(-1)
      expect(await due()).to.deep.equal([])
    })

    it('are not due if nothing reads the state', async () => {
      const contains = { skill: release, input: { id: 'm1' } }
      await call((await aRun()).uuid, isolate, { connection: null, contains })
      pass(settleMs)
      expect(await due()).to.deep.equal([])
    })

    it('keep a sensitive call encrypted, and say that it is sensitive', async () => {
      await contained({ output: true })
      expect((await store().dueChecks(now(), 10))[0]).to.deep.include({ call: given, isSensitive: true })
    })

    it('are recorded, and due again after the period', async () => {
      await contained()
      await see('contained')
      expect(await newest()).to.deep.include({
        state: 'active',
        stateSeen: 'contained',
        seenSince: now(),
        stateCheckedAt: now(),
        stateError: null,
      })
      expect(await due()).to.deep.equal([])
      pass(periodMs)
      expect(await due()).to.have.length(1)
    })

    it('record an error without any other change', async () => {
      const { id, changedAt } = await contained()
      await see('contained')
      pass(periodMs)
      const error = { code: 'http_503', message: 'busy' }
      await store().noteCheck(id, changedAt, { startedAt: now(), error }, periodMs)
      expect(await newest()).to.deep.include({
        state: 'active',
        changedAt,
        stateSeen: 'contained',
        stateCheckedAt: now(),
        stateError: error,
      })
    })

    it('end a containment, once, with an entry in the timeline of its case', async () => {
      const { id, changedAt } = await contained()
      await see('contained')
      pass(periodMs)
      await see('released')
      pass(settleMs)
      const last = { startedAt: now(), seen: 'released' } as const
      for (const _ of [1, 2]) await store().noteCheck(id, changedAt, last, periodMs)
      expect(await newest()).to.deep.include({ state: 'undone', endedBy: 'outside', changedAt: now() })
      pass(periodMs)
      expect(await due()).to.deep.equal([])
      const timeline = await timelineOf(subject().stores, 'Acme-1')
      const entries = timeline.filter(({ text }) => text.includes('undone outside of Tocsin'))
      expect(entries.map(({ text, actor }) => [text, actor.name])).to.deep.equal([
        [
          'The containment by edr.isolate_machine (id: m1) is no longer in effect: it was undone outside of Tocsin.',
          'containment check',
        ],
      ])
    })

    it('are counted with the containments that stand', async () => {
      expect(await store().standing()).to.deep.include({ oldestMs: 0, failedChecks: 0 })
      const { id, changedAt } = await contained()
      const error = { code: 'http_503', message: 'busy' }
      await store().noteCheck(id, changedAt, { startedAt: now(), error }, periodMs)
      const byState = { active: 1, undoing: 0, failed: 0, unknown: 0, overdue: 0 }
      expect(await store().standing()).to.deep.equal({ byState, oldestMs: settleMs, failedChecks: 1 })
      await call((await aRun()).uuid, release, { connection: null })
      expect(await store().standing()).to.deep.equal({
        byState: { ...byState, active: 0 },
        oldestMs: 0,
        failedChecks: 0,
      })
    })

    it('announce that a containment expires again which an undo with unknown outcome did not end', async () => {
      await call((await aRun()).uuid, isolate, { ...containing(), expiry: { afterMs: 2 * settleMs } })
      const { uuid } = await aRun()
      const input = { id: 'm1' }
      const entry = { path: 'r', stepId: 'r', kind: release, input, attempt: 1, startedAt: now() }
      const { journal } = subject().stores
      await journal.begin(uuid, { ...entry, destructive: { class: 'containment', input } })
      await journal.park(uuid, 'r', undefined, { connection: null })
      pass(3 * settleMs)
      expect(await store().nextExpiry()).to.equal(undefined)
      let changes = 0
      store().watchExpiry(() => changes++)
      await see('contained')
      expect(changes).to.equal(0)
      pass(settleMs)
      await see('contained')
      const { state, expiresAt } = await newest()
      expect([state, changes]).to.deep.equal(['active', 1])
      expect(await store().nextExpiry()).to.equal(expiresAt)
    })

    it('have no effect on a containment that changed meanwhile', async () => {
      const { id, changedAt } = await contained()
      const startedAt = now()
      const undo = await subject().stores.runs.queue({
        organizationUuid: subject().acme.uuid,
        playbookName: 'undo',
        playbookHash: 'b'.repeat(64),
        alertUuid: null,
        undoes: id,
        by: somebody(),
      })
      expect(await due(), 'while a run undoes it').to.deep.equal([])
      await store().noteCheck(id, changedAt, { startedAt, seen: 'released' }, periodMs)
      expect(await newest()).to.deep.include({ state: 'undoing', stateSeen: null })
      await subject().stores.runs.start(undo.uuid, { title: 'Undo' })
      await subject().stores.runs.end(undo.uuid, completed)
      expect((await newest()).state).to.equal('failed')
      expect(await due(), 'before it has settled').to.deep.equal([])
      pass(settleMs)
      expect(await due()).to.deep.equal([id])
      await call((await aRun()).uuid, release, { connection: 'Endpoints' })
      expect(await newest()).to.deep.include({ state: 'undone', endedBy: 'call' })
      pass(periodMs)
      expect(await due()).to.deep.equal([])
    })

    it('begin anew for an action that runs again after it was undone', async () => {
      const run = await aRun()
      const path = 'a'
      const entry = { path, stepId: path, kind: isolate, input: { id: 'm1' }, attempt: 1, startedAt: now() }
      const { journal } = subject().stores
      await journal.begin(run.uuid, { ...entry, destructive: { class: 'containment', input: {} } })
      await journal.park(run.uuid, path, undefined, containing())
      pass(settleMs)
      await see('contained')
      await call((await aRun()).uuid, release, { connection: null })
      pass(1_000)
      await journal.resolve(run.uuid, path, { decision: 'run_again', output: null, by: somebody() })
      const end = { state: 'completed', output: {}, error: null, attempt: 1, endedAt: now() } as const
      await journal.end(run.uuid, path, { ...end, call: containing() })
      expect(await newest()).to.deep.include({ state: 'active', endedBy: null, changedAt: now() })
      for (const _ of [1, 2]) {
        pass(settleMs)
        await see('released')
      }
      expect((await newest()).state, 'it may be on its way').to.equal('active')
    })
  })
}
