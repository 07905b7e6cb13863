import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { parseTimeMs } from '../../core/playbook/language/durations.ts'
import { catalogue, check, withSteps } from './support.ts'

const said = (source: string) =>
  check(source)
    .filter(({ code }) => code === 'W407')
    .map(({ code, message, hint }) => `${code} ${message} (${hint})`)
const ask = (timeout: string) =>
  `{ id: q, checkpoint: { via: operator, with: { message: m }, answers: [yes], timeout: ${timeout} } }`

describe('literal times', () => {
  it('must be shorter than the timeout of the run, given or default', () => {
    expect(said(withSteps(`  - wait: 3d\n  - ${ask('24h')}`))).to.deep.equal([
      'W407 a wait of 3d never ends: the run ends after 1d (increase the limit of the playbook, which is 1d by default: timeout: 4d)',
      'W407 a timeout of 1d is never reached: the run ends after 1d (increase the limit of the playbook, which is 1d by default: timeout: 2d)',
    ])
    expect(said(withSteps(`  - wait: 3d\n  - ${ask('3d')}`, 'timeout: 4d'))).to.deep.equal([])
    expect(said(withSteps(`  - wait: 10m`, 'timeout: 5m'))).to.have.length(1)
  })

  it('must be shorter than the timeout of every enclosing group', () => {
    const inside = (step: string) =>
      said(withSteps(`  - { timeout: 5m, steps: [{ timeout: 1h, parallel: [${step}] }] }`))
    expect(inside('{ wait: 10m }')).to.deep.equal([
      'W407 a wait of 10m never ends: the enclosing steps end after 5m (increase their limit: timeout: 15m)',
    ])
    expect(inside(ask('5m'))).to.have.length(1)
    expect(inside('{ wait: 299s }')).to.deep.equal([])
    const cases =
      '  - { timeout: 1m, switch: [{ when: "true", steps: [{ wait: 2m }] }], else: [{ wait: 1s }] }'
    expect(said(withSteps(cases))).to.have.length(1)
  })

  it('have one hour in on_error and finally of a playbook, and the rest of the run in on_error of a step', () => {
    for (const end of ['on_error', 'finally']) {
      expect(said(withSteps('  - wait: 1s', `${end}: [{ wait: 1h }]`)), end).to.deep.equal([
        'W407 a wait of 1h never ends: `on_error` and `finally` of a playbook end after 1h (wait in the `steps` of the playbook, or for a shorter time)',
      ])
      expect(said(withSteps('  - wait: 1s', `timeout: 10m\n${end}: [{ wait: 20m }]`)), end).to.have.length(1)
    }
    expect(
      said(withSteps('  - { timeout: 5m, steps: [{ wait: 1s }], on_error: [{ wait: 2h }] }')),
    ).to.deep.equal([])
  })

  it('are not checked if computed', () => {
    expect(said(withSteps("  - { wait: \"${{ run.dry_run ? '1s' : '3d' }}\" }"))).to.deep.equal([])
  })
})

describe('points in time', () => {
  const until = (text: string) => {
    const { playbook, problems } = parsePlaybook(withSteps(`  - wait: { until: ${text} }`), { catalogue })
    const step = playbook?.steps[0]
    const value = step?.action === 'wait' && 'until' in step.wait ? step.wait.until : undefined
    return [problems.map(({ code }) => code).join(), value]
  }

  it('are read as in expressions', () => {
    expect(parseTimeMs('2026-03-01T09:00:00.1239+01:00')).to.equal(Date.UTC(2026, 2, 1, 8, 0, 0, 123))
    expect(parseTimeMs('1969-12-31T23:59:59.5Z')).to.equal(-500)
    for (const text of ['2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01', '2026-01-01T00:00:00'])
      expect(parseTimeMs(text), text).to.equal(undefined)
  })

  it('that do not exist roll over, with a warning', () => {
    expect(until('2026-02-30T00:00:00Z')).to.deep.equal([
      'W411',
      { kind: 'literal', value: '2026-03-02T00:00:00.000Z' },
    ])
    expect(until('2026-02-28T00:00:00Z')).to.deep.equal([
      '',
      { kind: 'literal', value: '2026-02-28T00:00:00Z' },
    ])
    expect(until('2026-13-01T00:00:00Z')[0]).to.equal('E310')
  })
})
