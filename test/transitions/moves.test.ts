import { expect } from 'chai'
import { alertStatus, alertStatusMoves, type AlertStatus } from '../../core/domain/alert.ts'
import { checkpointStates } from '../../core/domain/checkpoint.ts'
import {
  runStatuses,
  runStatusMoves,
  stepStates,
  type RunEnd,
  type RunStatus,
} from '../../core/domain/run.ts'
import { beginAlert, endAlert, receivedAlert, submitAlert } from '../../core/transitions/alert.ts'
import { closeQuestion, judgeAnswer } from '../../core/transitions/question.ts'
import { endedRun, startedRun, waitingStatus } from '../../core/transitions/run.ts'
import { decideStep, endStep, parkStep } from '../../core/transitions/step.ts'

const now = 1_000
const alertOf = (status: AlertStatus) => ({ id: 'a-b-1', status, retryCount: 0, investigator: null })
const endOf = (status: RunEnd['status']): RunEnd => ({ status, output: null, error: null })
const works = (move: () => unknown): boolean => {
  try {
    move()
    return true
  } catch {
    return false
  }
}

describe('transitions', () => {
  it('keep every posted field of an alert and set the others to those of a new alert', () => {
    const sent = { id: 'a-b-1', createdAt: now, content: 'x', groupedBecause: 'sent' }
    const alert = receivedAlert(sent as unknown as Parameters<typeof receivedAlert>[0])
    expect(alert).to.deep.include({ ...sent, modifiedAt: now, status: alertStatus.created, caseId: null })
  })

  it('of alerts follow the table, except for a run cancelled before its start', () => {
    const statuses = Object.values(alertStatus)
    const retried = (status: AlertStatus) => ({ retry: status >= alertStatus.completed, playbookName: 'p' })
    for (const status of statuses) {
      const may = (to: AlertStatus) => alertStatusMoves[status].includes(to)
      expect(works(() => submitAlert(alertOf(status), retried(status), now))).to.equal(
        may(alertStatus.submitted),
      )
      expect(works(() => beginAlert(alertOf(status), now))).to.equal(may(alertStatus.inProgress))
      const ends = may(alertStatus.completed) || status === alertStatus.submitted
      expect(works(() => endAlert(alertOf(status), 'failed', now))).to.equal(ends)
    }
  })

  it('reopen an ended alert for a retry only', () => {
    const { completed, created } = alertStatus
    expect(works(() => submitAlert(alertOf(completed), { playbookName: 'p' }, now))).to.equal(false)
    expect(works(() => submitAlert(alertOf(created), { playbookName: 'p', retry: true }, now))).to.equal(
      false,
    )
    expect(submitAlert(alertOf(completed), { playbookName: 'p', retry: true }, now)).to.include({
      retryCount: 1,
      completedAt: null,
      follows: null,
    })
  })

  it('of runs follow the table', () => {
    for (const status of runStatuses) {
      const may = (to: RunStatus) => runStatusMoves[status].includes(to)
      expect(works(() => startedRun({ uuid: 'u', status }, now))).to.equal(status === 'queued')
      for (const end of ['completed', 'failed', 'cancelled'] as const)
        expect(works(() => endedRun({ uuid: 'u', status }, endOf(end), now))).to.equal(may(end))
      for (const waits of [true, false]) {
        const next = waitingStatus(status, waits)
        expect(next === status || may(next), `${status} to ${next}`).to.equal(true)
      }
    }
  })

  it('end a step once and resolve only an unknown one', () => {
    const end = { state: 'failed', output: null, error: null, attempt: 2, endedAt: now } as const
    const decision = {
      decision: 'skip',
      output: null,
      by: { kind: 'server', id: 's', name: 's', requestId: null },
    } as const
    for (const state of stepStates) {
      const step = { state, attempt: 1, startedAt: 1 }
      const isOpen = state === 'started' || state === 'unknown'
      expect(works(() => endStep('p', step, end))).to.equal(isOpen)
      expect(works(() => decideStep('p', step, decision, now))).to.equal(state === 'unknown')
      expect(parkStep(state)).to.equal(state === 'started' ? 'unknown' : state)
    }
  })

  it('accept one answer of a question: the first valid one in time', () => {
    const verdicts = checkpointStates.map((state) => judgeAnswer({ state, timeoutAt: now }, now - 1, null))
    expect(verdicts).to.deep.equal(['accepted', 'second', 'late', 'late', 'decided'])
    expect(judgeAnswer({ state: 'waiting', timeoutAt: now }, now, null)).to.equal('late')
    expect(judgeAnswer({ state: 'waiting', timeoutAt: now }, now - 1, 'second')).to.equal('second')
    expect(checkpointStates.map((state) => closeQuestion(state, 'timed_out'))).to.deep.equal([
      'timed_out',
      'answered',
      'timed_out',
      'withdrawn',
      'decided',
    ])
  })
})
