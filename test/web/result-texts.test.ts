import { expect } from 'chai'
import { failureRate, resultText, triggerText } from '../../server/web/playbooks/playbook.ts'

const nothing = {
  alert: null,
  schedule: null,
  timezone: null,
  next_runs: [],
  case: null,
  entity: null,
  question: null,
  run: null,
  webhook: false,
  manual: false,
  call: false,
}

describe('texts of playbook results', () => {
  it('name the triggers', () => {
    const alert = { type: 'phishing', types: ['phishing'], provider: null, providers: null, where: false }
    expect(triggerText({ ...nothing, alert })).to.equal('phishing')
    expect(
      triggerText({ ...nothing, alert: { ...alert, provider: 'okta', providers: ['okta'], where: true } }),
    ).to.equal('phishing from okta (filtered)')
    expect(triggerText({ ...nothing, alert: { ...alert, type: '*', types: null, where: true } })).to.equal(
      'all alerts (filtered)',
    )
    expect(
      triggerText({ ...nothing, case: { events: ['closed', 'verdict_changed'], where: true } }),
    ).to.equal('case closed or verdict changed (filtered)')
    const entity = { kinds: ['ip' as const], times: 3, within_ms: 1, where: false }
    expect(triggerText({ ...nothing, entity, webhook: true })).to.equal('ip in 3 alerts, webhook')
    const daily = { ...nothing, schedule: '0 4 * * *', timezone: 'UTC' }
    expect(triggerText({ ...daily, alert, manual: true, call: true })).to.equal(
      'phishing, schedule (0 4 * * *), manual, other playbooks',
    )
    expect(triggerText({ ...daily, timezone: 'Europe/Berlin' })).to.equal(
      'schedule (0 4 * * * in Europe/Berlin)',
    )
    expect(triggerText(null)).to.equal('nothing (does not match the installed skills)')
  })

  it('show the failure rate, never 0 % with a failure', () => {
    expect(failureRate({ failed: 0, judged: 7 })).to.equal('0 %')
    expect(failureRate({ failed: 1, judged: 7 })).to.equal('14 %')
    expect(failureRate({ failed: 1, judged: 300 })).to.equal('<1 %')
  })

  it('describe one run, no failures, and many', () => {
    expect(resultText({ failed: 0, judged: 1 })).to.equal('the last run completed')
    expect(resultText({ failed: 1, judged: 1 })).to.equal('the last run failed')
    expect(resultText({ failed: 0, judged: 6 })).to.equal('none of the last 6 runs failed')
    expect(resultText({ failed: 3, judged: 6 })).to.equal('50 % of the last 6 runs failed')
  })
})
