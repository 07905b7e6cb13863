import { expect } from 'chai'
import { hintForRate, parseRate, writeRate } from '../../core/common/rates.ts'
import { toMermaid } from '../../core/graph/mermaid.ts'
import { toStepGraph } from '../../core/playbook/language/step-graph.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { catalogue, check, withSteps } from './support.ts'

const told = (source: string) =>
  check(source)
    .filter(({ severity }) => severity !== 'info')
    .map(({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` (${hint})`}`)
const step = (rate: string, more = '') =>
  told(withSteps(`  - { id: a, rate: ${rate}, steps: [{ wait: 1s }]${more} }`))

describe('a rate', () => {
  it('is a number and a time', () => {
    for (const [text, requests, perMs] of [
      ['1/s', 1, 1_000],
      ['4/10s', 4, 10_000],
      ['30/min', 30, 60_000],
      ['10/h', 10, 3_600_000],
      ['500/day', 500, 86_400_000],
      ['10000/week', 10_000, 604_800_000],
    ] as const) {
      expect(parseRate(text), text).to.deep.equal({ requests, perMs })
      expect(writeRate({ requests, perMs })).to.equal(text)
    }
    for (const text of [
      '0/min',
      '-1/min',
      '1.5/min',
      '30',
      '30/',
      '/min',
      '10001/min',
      '30/min ',
      '30/1000s',
      '30/year',
      '30/0s',
    ])
      expect(parseRate(text), text).to.equal(undefined)
  })

  it('is suggested for other spellings', () => {
    for (const [written, meant] of [
      ['30/m', '30/min'],
      ['30 per minute', '30/min'],
      ['30 / minutes', '30/min'],
      ['2 an hour', '2/h'],
      ['500 per day', '500/day'],
      ['1/1s', '1/s'],
      ['4 per 10 sec', '4/10s'],
    ] as const)
      expect(hintForRate(written)).to.equal(`did you mean ${meant}?`)
    for (const written of ['30', 'often', '0/min', '20000/min', '${{ x }}/min', '9'.repeat(100_000)])
      expect(hintForRate(written)).to.match(/^write a number and a time, such as 30\/min/)
  })

  it('is literal, and explained if it is wrong', () => {
    expect(step('30/min')).to.deep.equal([])
    expect(step('{ limit: 30/min, key: "${{ run.id }}", policy: fail }')).to.deep.equal([])
    expect(step('30 per minute')).to.deep.equal(["E107 '30 per minute' is not a rate (did you mean 30/min?)"])
    expect(step('30')[0]).to.match(
      /^E107 `rate` needs a time: 30 in which time\? \(write a number and a time/,
    )
    expect(step('"${{ alert.data.n }}/min"')).to.deep.equal([
      'E107 `rate` takes no expression (write a literal rate such as 30/min; only its `key` takes an expression)',
    ])
    expect(step('[30/min]')[0]).to.match(/^E106 expected a string for `rate`, found a list/)
    expect(step('{ key: x }')).to.deep.equal(['E105 `rate` of a step needs `limit`'])
    expect(step('{ limit: 30/min, policy: queue }')).to.deep.equal([
      "E107 'queue' is not one of wait, fail (did you mean 'wait'?)",
    ])
    expect(step('{ limit: 30/min, key: "${{ 1 + 1 }}" }')).to.deep.equal([
      'E211 expected a string for the key of `rate` (write string(…))',
    ])
    expect(step('{ limit: 30/min, per: user }')[0]).to.match(/^E104 unknown key 'per'/)
  })

  it('belongs to a step with an id that starts something', () => {
    expect(told(withSteps('  - { rate: 1/h, steps: [{ wait: 1s }] }'))).to.deep.equal([
      'E112 `rate` needs an `id` on the step: starts are counted by it, over all runs and versions (give the step an id)',
    ])
    expect(told(withSteps('  - { id: a, rate: 1/h, wait: 1s }'))[0]).to.match(/^E112 `rate` does not belong/)
  })

  it('has a key that sees the item, but no step inside', () => {
    const keyed = (key: string) =>
      told(
        withSteps(
          `  - { id: a, foreach: ["x"], rate: { limit: 1/h, key: "\${{ ${key} }}" }, steps: [{ id: b, set: { x: y } }], output: "\${{ steps.b.output.x }}" }\n  - return: "\${{ steps.a.output }}"`,
        ),
      )
    expect(keyed('item')).to.deep.equal([])
    expect(keyed('steps.b.output.x')[0]).to.match(/^E303 /)
  })

  it('of a playbook limits its runs, and sees what is known before a run', () => {
    const whole = (rate: string) => told(withSteps('  - wait: 1s', `rate: ${rate}`))
    expect(whole('30/min')).to.deep.equal([])
    expect(whole('{ limit: 30/min, key: "${{ alert.type }}", policy: drop }')).to.deep.equal([])
    expect(whole('{ limit: 30/min, policy: wait }')).to.deep.equal([
      "E107 'wait' is not one of queue, drop (did you mean 'queue'?)",
    ])
    expect(whole('{ limit: 30/min, key: "${{ run.id }}" }')[0]).to.match(/^E204 /)
  })

  it('warns of a list that cannot be done in time', () => {
    const list = (rate: string, more = '') =>
      told(withSteps(`  - { id: a, foreach: [1, 2, 3, 4], rate: ${rate}, steps: [{ wait: 1s }]${more} }`))
    expect(list('1/day')).to.deep.equal([
      'W407 4 items take at least 3d at this rate: the run ends after 1d (raise the rate or the timeout, or shorten the list)',
    ])
    expect(list('4/day')).to.deep.equal([])
    expect(list('{ limit: 1/day, policy: fail }')).to.deep.equal([])
    expect(list('{ limit: 1/day, key: "${{ string(item) }}" }')).to.deep.equal([])
  })

  it('is shown in the graph', () => {
    const source = withSteps(
      '  - { id: a, foreach: [1], rate: 30/min, steps: [{ id: b, rate: 1/h, uses: case.update, with: {} }] }\n  - { id: c, rate: 2/day, parallel: [{ wait: 1s }] }',
    )
    const { playbook } = parsePlaybook(source, { catalogue })
    const text = toMermaid(toStepGraph(playbook!))
    expect(text).to.include('a · for each item · at most 30/min')
    expect(text).to.include('at most 1/h')
    expect(text).to.include('c · parallel · at most 2/day')
  })
})
