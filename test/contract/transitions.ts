import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { runStatuses, runStatusMoves, type Run, type RunEnd, type RunStatus } from '../../core/domain/run.ts'
import {
  changedEntry,
  investigationEntries,
  openedEntry,
  runEndedEntry,
  type NewCaseEntry,
} from '../../core/transitions/timeline.ts'
import { somebody } from '../support/somebody.ts'
import { completed, failed, newAlert, queuedRun, startedRun, timelineOf, type GetSubject } from './fixture.ts'

const cancelled: RunEnd = { status: 'cancelled', output: null, error: null }
const ends: readonly RunEnd[] = [completed, failed, cancelled]

/** Every adapter follows `core/transitions` exactly: it adds and omits no rule. */
export function transitionsContract(subject: GetSubject): void {
  describe('store transitions', () => {
    async function runThatIs(status: RunStatus): Promise<Run> {
      const { runs, checkpoints } = subject().stores
      if (status === 'queued') return await queuedRun(subject(), null)
      const run = await startedRun(subject(), null)
      if (status === 'running') return run
      const end = ends.find((each) => each.status === status)
      if (end !== undefined) return await runs.end(run.uuid, end)
      const question = { via: 'operator', input: {}, answers: ['yes'], form: null }
      const timeoutAt = subject().clock.nowMs + 1_000
      await checkpoints.open(run.uuid, { path: 'ask', stepId: null, question, timeoutAt })
      return (await runs.find('all', run.uuid))!
    }

    for (const status of runStatuses)
      it(`lead a ${status} run only to the statuses of the table`, async () => {
        const { runs } = subject().stores
        for (const end of ends) {
          const run = await runThatIs(status)
          expect(run.status).to.equal(status)
          const reached = await runs.end(run.uuid, end).catch(() => runs.find('all', run.uuid))
          const expected = runStatusMoves[status].includes(end.status) ? end.status : status
          expect(reached?.status, `${status} to ${end.status}`).to.equal(expected)
        }
        const run = await runThatIs(status)
        const started = await runs.start(run.uuid, { title: 'x' }).catch(() => run)
        expect(started?.status).to.equal(status === 'queued' ? 'running' : status)
      })

    it('write the timeline entries of core verbatim', async () => {
      const { stores, clock, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const run = await startedRun(subject(), alert)
      const before = (await stores.cases.find('all', run.caseId!))!
      const edit = { title: 'Phishing of Eve', severity: 'high', assignee: 'kim' } as const
      await stores.cases.edit(acme.uuid, before.id, edit, somebody(), undefined)
      await stores.runs.end(run.uuid, failed)
      const composed: readonly NewCaseEntry[] = [
        openedEntry(theRun(run.uuid, run.playbookName), clock.nowMs),
        ...investigationEntries(run, { id: alert.id, retryCount: 0 }, null, clock.nowMs),
        changedEntry(before, edit, somebody(), clock.nowMs),
        runEndedEntry(run, failed, clock.nowMs),
      ]
      expect(await timelineOf(stores, before.id)).to.deep.equal(
        composed.map(({ by: { requestId, ...actor }, ...entry }) => ({
          ...entry,
          actor,
          request_id: requestId,
        })),
      )
    })
  })
}
