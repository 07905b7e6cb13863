import { expect } from 'chai'
import type { Containment } from '../../core/destructive/containment.ts'
import type { CaseAction } from '../../core/domain/case.ts'
import type { CaseFile } from '../../core/case/case-file.ts'
import { caseReport } from '../../core/case/report.ts'
import { alertOf } from '../investigation/support/alert-of.ts'

describe('the case report', () => {
  const nothing = { alerts: 0, runs: 0, actions: 0, containments: 0, observables: 0, timeline: 0 }
  const file: CaseFile = {
    case: {
      id: 'main-1',
      organizationUuid: 'o',
      title: 'A case',
      summary: '',
      status: 'open',
      severity: 'high',
      verdict: 'unknown',
      assignee: null,
      assigneeId: null,
      assigneeState: null,
      closingReason: null,
      resolution: '',
      revision: 1,
      createdAt: 1,
      modifiedAt: 1,
      closedAt: null,
      respondedAt: null,
      respondDueAt: null,
      resolveDueAt: null,
      mergedInto: null,
      splitFrom: null,
      alertsDeleted: 0,
      runsDeleted: 0,
    },
    alerts: [],
    files: [],
    tasks: [],
    links: [],
    runs: [],
    actions: [],
    containments: [],
    observables: [],
    timeline: [],
    leftOut: nothing,
  }
  const report = (changes: Partial<CaseFile>): string => caseReport({ ...file, ...changes }, 0)
  const alerts = (count: number) =>
    Array.from({ length: count }, (_, n) => alertOf('x', { id: `main-x-${n}` }))

  it('counts all alerts and runs, including those that exceed the file', () => {
    const text = report({ alerts: alerts(3), leftOut: { ...nothing, alerts: 9_997, runs: 12 } })
    expect(text).to.include('- **Alerts:** 10000\n').and.include('- **Runs:** 12\n')
    expect(text).to.match(/## Alerts[^#]*… and 9997 more\./)
  })

  it('says what is still contained, until when, and who ended what is not', () => {
    const action: CaseAction = {
      skill: 'edr.isolate_machine',
      run_uuid: 'r1',
      playbook: 'contain',
      path: 'isolate',
      step_id: 'isolate',
      input: { id: '`[ws-1](x)`' },
      outcome: 'accepted',
      status: null,
      error: null,
      decisions: [],
      started_at: 0,
      at: 0,
    }
    const one: Containment = {
      id: 'c1',
      organizationUuid: 'o1',
      caseId: 'main-1',
      caseTitle: 'A case',
      state: 'active',
      action,
      connection: 'Endpoints',
      undoneBy: 'edr.release_machine',
      hasUndo: true,
      undoRunUuid: null,
      owner: { kind: 'run', id: 'r1', name: 'contain' },
      expiresAt: 3_600_000,
      unless: null,
      note: null,
      stateSeen: null,
      seenSince: null,
      stateCheckedAt: null,
      stateError: null,
      endedBy: null,
      createdAt: 0,
      changedAt: 60_000,
    }
    const said = (changes: Partial<Containment>) => report({ containments: [{ ...one, ...changes }] })
    expect(said({})).to.include(
      '## Containments\n\n- `edr.isolate_machine` **in effect**, since 1970-01-01 00:00:00, expires 1970-01-01 01:00:00, ' +
        'with `` id: `[ws-1](x)` ``, over `Endpoints`; undone by `edr.release_machine`',
    )
    expect(said({ state: 'undone', endedBy: 'outside' })).to.include(
      '**undone outside of Tocsin, noticed 1970-01-01 00:01:00**, since',
    )
    expect(said({ action: { ...action, outcome: 'unknown' } })).to.include('**may be in effect**')
    expect(said({ stateSeen: 'released' })).to.include('**not seen in effect**')
    for (const [state, text] of [
      ['failed', 'in effect: the undo failed'],
      ['overdue', 'in effect beyond its expiry'],
      ['unknown', 'may be undone'],
      ['undoing', 'being undone'],
    ] as const)
      expect(said({ state })).to.include(`**${text}**`)
    const undone = { ...one, state: 'undone', endedBy: 'call', undoRunUuid: 'r2' } as const
    expect(report({ actions: [action], containments: [undone] })).to.include(
      '(run `r1`); **undone 1970-01-01 00:01:00** by the run `r2`',
    )
    expect(report({ leftOut: { ...nothing, containments: 3 } })).to.not.include('## Containments')
  })

  it('lists 200 of each and the number of others', () => {
    const text = report({ alerts: alerts(201), leftOut: { ...nothing, alerts: 5 } })
    expect(text.match(/^- `main-x-/gm)).to.have.length(200)
    expect(text).to.include('… and 6 more.')
    expect(report({ alerts: alerts(200) })).to.not.include('more.')
  })

  it('says why an alert joined, and where a case was merged or split', () => {
    const [alert] = alerts(1)
    const joinedBecause = 'user (`[x](y)`) is the same'
    expect(report({ alerts: [{ ...alert!, joinedBecause }] })).to.include(
      'in this case because ``user (`[x](y)`) is the same``',
    )
    const moved = { ...file.case, mergedInto: 'main-2', splitFrom: 'main-3' }
    expect(report({ case: moved })).to.include('- **Merged into:** `main-2`\n- **Split from:** `main-3`\n')
  })

  const kim = { kind: 'api_key', id: 'a1', name: '[kim](x)' } as const
  const action: CaseAction = {
    skill: 'edr.isolate',
    run_uuid: 'run-1',
    playbook: 'malware',
    path: 'respond/isolate',
    step_id: 'isolate',
    input: { id: 'M-1', comment: '<b>`x`</b>' },
    outcome: 'unknown',
    status: null,
    error: { code: 'http_503', message: 'busy' },
    decisions: [
      { kind: 'answer', by: kim, answer: 'Do it', path: 'ask', at: 0 },
      { kind: 'approval', by: kim, answer: 'Approve this use', path: 'respond/isolate/@approval', at: 0 },
      { kind: 'resolution', by: kim, answer: 'skip', path: 'respond/isolate', at: 0 },
    ],
    started_at: 0,
    at: 1,
  }

  it('lists actions with target, step, approver and outcome', () => {
    const text = report({ actions: [action], leftOut: { ...nothing, actions: 2 } })
    const [, section = ''] = /## Actions taken([^#]*)/.exec(text) ?? []
    expect(section).to.include('`edr.isolate` **has an unknown outcome: it may have taken effect**')
    expect(section).to.include(
      'with ``id: M-1, comment: <b>`x`</b>``, by step `respond/isolate` of the playbook `malware`',
    )
    expect(section).to.include(
      '; question `ask` answered by `[kim](x)` (API key `a1`) on 1970-01-01 00:00:00: `Do it`',
    )
    expect(section).to.include('; approved by `[kim](x)` (API key `a1`)')
    expect(section).to.include(
      '; outcome decided by `[kim](x)` (API key `a1`) on 1970-01-01 00:00:00: `skip`',
    )
    expect(section).to.include('; error: `busy`').and.include('… and 2 more.')
  })

  it('says that there were no actions only if none are recorded', () => {
    expect(report({})).to.include('## Actions taken\n\nNo destructive action is on record.')
    expect(report({ actions: [action] })).to.not.include('on record')
  })

  it('says that a value was not looked up only if no step received it', () => {
    const found = { kind: 'user', value: 'kim', learned: [] } as const
    const use = {
      source: 'chat.ask',
      runUuid: 'r',
      path: 'a/@ask',
      at: 0,
      state: 'completed',
      isQuestion: true,
    } as const
    expect(report({ observables: [{ ...found, used: [] }] })).to.include('- user `kim`: not looked up')
    const text = report({ observables: [{ ...found, used: [use] }] })
    expect(text)
      .to.include('- user `kim`: asked via `chat.ask` on 1970-01-01')
      .and.not.include('not looked up')
  })

  it('marks deleted items beside existing ones', () => {
    const text = report({ case: { ...file.case, alertsDeleted: 4 }, alerts: alerts(1) })
    expect(text).to.include('- **Alerts:** 1 (deleted by the retention policy: 4)')
  })
})
