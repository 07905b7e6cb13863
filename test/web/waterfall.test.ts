import { expect } from 'chai'
import { waterfallOf } from '../../server/web/runs/waterfall/waterfall.ts'
import { step } from './step.ts'

const error = { code: 'http_503', message: 'no' }

describe('the timeline of a run', () => {
  it('shows tries that failed, the waits between, and the last try', () => {
    const retried = step('a', {
      attempt: 3,
      started_at: 0,
      ended_at: 900,
      failed_attempts: [
        { attempt: 1, started_at: 0, ended_at: 100, retry_at: 200, error },
        { attempt: 2, started_at: 210, ended_at: 300, retry_at: 700, error },
      ],
    })
    const { from, to, rows } = waterfallOf([retried], 5_000)
    expect([from, to]).to.deep.equal([0, 900])
    expect(rows[0]?.stretches).to.deep.equal([
      { kind: 'failed', from: 0, to: 100 },
      { kind: 'wait', from: 100, to: 210 },
      { kind: 'failed', from: 210, to: 300 },
      { kind: 'wait', from: 300, to: 700 },
      { kind: 'completed', from: 700, to: 900 },
    ])
  })

  it('lets what is under way reach to now', () => {
    const { to } = waterfallOf([step('a', { state: 'started', ended_at: null })], 7_000)
    expect(to).to.equal(7_000)
  })

  it('has a length also where nothing took any time, or nothing ran', () => {
    const { from, to } = waterfallOf([step('a', { ended_at: 1_000 })], 7_000)
    expect(to).to.be.greaterThan(from)
    expect(waterfallOf([], 7_000)).to.deep.equal({ from: 7_000, to: 7_001, rows: [] })
  })

  it('leaves out which version of a playbook was called', () => {
    expect(waterfallOf([step('@playbooks/other'), step('a')], 0).rows).to.have.length(1)
  })
})
