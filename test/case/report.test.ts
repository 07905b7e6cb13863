import { expect } from 'chai'
import type { CaseFile } from '../../core/case/case-file.ts'
import { caseReport } from '../../core/case/report.ts'
import { alertOf } from '../investigation/support/alert-of.ts'

describe('report of a case', () => {
  const nothing = { alerts: 0, runs: 0, observables: 0, timeline: 0 }
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
      revision: 1,
      createdAt: 1,
      modifiedAt: 1,
      alertsDeleted: 0,
      runsDeleted: 0,
    },
    alerts: [],
    runs: [],
    observables: [],
    timeline: [],
    leftOut: nothing,
  }
  const report = (changes: Partial<CaseFile>): string => caseReport({ ...file, ...changes }, 0)
  const alerts = (count: number) =>
    Array.from({ length: count }, (_, n) => alertOf('x', { id: `main-x-${n}` }))

  it('counts all alerts and runs, also those that the file has no room for', () => {
    const text = report({ alerts: alerts(3), leftOut: { ...nothing, alerts: 9_997, runs: 12 } })
    expect(text).to.include('- **Alerts:** 10000\n').and.include('- **Runs:** 12\n')
    expect(text).to.match(/## Alerts[^#]*… and 9997 more\./)
  })

  it('lists 200 of each, and says how many more there are', () => {
    const text = report({ alerts: alerts(201), leftOut: { ...nothing, alerts: 5 } })
    expect(text.match(/^- `main-x-/gm)).to.have.length(200)
    expect(text).to.include('… and 6 more.')
    expect(report({ alerts: alerts(200) })).to.not.include('more.')
  })

  it('tells what is kept no longer beside what is there', () => {
    const text = report({ case: { ...file.case, alertsDeleted: 4 }, alerts: alerts(1) })
    expect(text).to.include('- **Alerts:** 1 (deleted, since they are kept no longer: 4)')
  })
})
