import { expect } from 'chai'
import type { JournalEntry, Run } from '../../core/domain/run.ts'
import { spansOfRun } from '../../server/tracing/run-spans.ts'

const run: Run = {
  uuid: '0197f0a4-6f3b-7c64-9f0e-2f6a3b0c9d11',
  organizationUuid: 'o',
  playbookName: 'phishing',
  playbookHash: 'h',
  alertId: 'main-siem-1',
  caseId: 'main-1',
  status: 'failed',
  inputs: { password: 'canary-1' },
  exclusive: false,
  cancellation: null,
  createdAt: 900,
  startedAt: 1_000,
  endedAt: 5_000,
  output: null,
  error: { code: 'http_503', message: 'canary-2' },
  retryOf: null,
  retriedBy: null,
  prunedAt: null,
}

const entry = (path: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  path,
  stepId: path,
  kind: 'x.look',
  state: 'completed',
  input: { secret: 'canary-3' },
  output: { secret: 'canary-4' },
  error: null,
  attempt: 1,
  startedAt: 1_100,
  endedAt: 1_200,
  ...more,
})

describe('spansOfRun', () => {
  const entries = [
    entry('each', { stepId: 'each', kind: 'steps', endedAt: 4_000 }),
    entry('each[0]/look#2', { stepId: 'look' }),
    entry('each[0]', { stepId: 'each', kind: 'steps' }),
    entry('skipped', { state: 'skipped' }),
    entry('carried', { carriedFrom: 'another' }),
    entry('no', {
      stepId: null,
      state: 'failed',
      error: { code: 'http_503', message: 'canary-5' },
      attempt: 2,
    }),
  ]
  const failed = [
    {
      path: 'no',
      attempt: 1,
      startedAt: 1_100,
      endedAt: 1_150,
      retryAt: 1_180,
      error: { code: 'http_429', message: 'canary-6' },
    },
  ]
  const spans = spansOfRun(run, 'main', { entries, failedAttempts: failed, leftOut: 0 })

  it('are nested like the steps', () => {
    expect(spans.map(({ key, parent, name }) => [key, parent, name])).to.deep.equal([
      ['', undefined, 'run phishing'],
      ['each', '', 'each steps'],
      ['each[0]/look#2', 'each[0]', 'look x.look'],
      ['each[0]', 'each', 'each steps'],
      ['no', '', 'x.look'],
      ['no 1', 'no', 'attempt 1'],
    ])
  })

  it('have the recorded times and error codes', () => {
    expect(spans.map(({ startedAt, endedAt, error }) => [startedAt, endedAt, error])).to.deep.equal([
      [1_000, 5_000, 'http_503'],
      [1_100, 4_000, undefined],
      [1_100, 1_200, undefined],
      [1_100, 1_200, undefined],
      [1_100, 1_200, 'http_503'],
      [1_100, 1_150, 'http_429'],
    ])
    expect(spans[0]?.attributes).to.include({
      'tocsin.run.queued_ms': 100,
      'tocsin.organization.code': 'main',
    })
  })

  it('report the number of omitted steps, if any', () => {
    const key = 'tocsin.run.steps_left_out'
    expect(spans[0]?.attributes).to.not.have.property(key)
    const [whole] = spansOfRun(run, 'main', { entries, failedAttempts: [], leftOut: 7 })
    expect(whole?.attributes[key]).to.equal(7)
  })

  it('contain no inputs, outputs or messages', () => {
    expect(JSON.stringify(spans)).to.not.contain('canary')
  })
})
