import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { parseTimeMs } from '../../core/playbook/language/times.ts'
import { catalogue, check, withSteps } from './support.ts'

const said = (source: string) =>
  check(source)
    .filter(({ code }) => code === 'W407')
    .map(({ code, message, hint }) => `${code} ${message} (${hint})`)
const ask = (timeout: string) =>
  `{ id: q, checkpoint: { via: operator, with: { message: m }, answers: [yes], timeout: ${timeout} } }`

describe('times that are written down', () => {
  it('have to be shorter than the time of the run, whether it is given or not', () => {
    expect(said(withSteps(`  - wait: 3d\n  - ${ask('24h')}`))).to.deep.equal([
      'W407 a wait of 3d never ends: the run is ended after 1d (give the playbook longer, as in timeout: 4d; where it has no `timeout`, that is 1d)',
      'W407 nobody is given 1d to answer: the run is ended after 1d (give the playbook longer, as in timeout: 2d; where it has no `timeout`, that is 1d)',
    ])
    expect(said(withSteps(`  - wait: 3d\n  - ${ask('3d')}`, 'timeout: 4d'))).to.deep.equal([])
    expect(said(withSteps(`  - wait: 10m`, 'timeout: 5m'))).to.have.length(1)
  })

  it('have to be shorter than the time of every group around them', () => {
    const inside = (step: string) =>
      said(withSteps(`  - { timeout: 5m, steps: [{ timeout: 1h, parallel: [${step}] }] }`))
    expect(inside('{ wait: 10m }')).to.deep.equal([
      'W407 a wait of 10m never ends: the steps around it are ended after 5m (give them longer, as in timeout: 15m)',
    ])
    expect(inside(ask('5m'))).to.have.length(1)
    expect(inside('{ wait: 299s }')).to.deep.equal([])
    const cases =
      '  - { timeout: 1m, switch: [{ when: "true", steps: [{ wait: 2m }] }], else: [{ wait: 1s }] }'
    expect(said(withSteps(cases))).to.have.length(1)
  })

  it('have an hour in what ends a playbook, and what is left to the run in what handles the failure of a step', () => {
    for (const end of ['on_error', 'finally']) {
      expect(said(withSteps('  - wait: 1s', `${end}: [{ wait: 1h }]`)), end).to.deep.equal([
        'W407 a wait of 1h never ends: `on_error` and `finally` of a playbook are ended after 1h (wait in the steps of the playbook, or for less)',
      ])
      expect(said(withSteps('  - wait: 1s', `timeout: 10m\n${end}: [{ wait: 20m }]`)), end).to.have.length(1)
    }
    expect(
      said(withSteps('  - { timeout: 5m, steps: [{ wait: 1s }], on_error: [{ wait: 2h }] }')),
    ).to.deep.equal([])
  })

  it('may be anything where they are computed', () => {
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

  it('are read as expressions read them', () => {
    expect(parseTimeMs('2026-03-01T09:00:00.1239+01:00')).to.equal(Date.UTC(2026, 2, 1, 8, 0, 0, 123))
    expect(parseTimeMs('1969-12-31T23:59:59.5Z')).to.equal(-500)
    for (const text of ['2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01', '2026-01-01T00:00:00'])
      expect(parseTimeMs(text), text).to.equal(undefined)
  })

  it('that do not exist are waited for as before, with a warning', () => {
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
