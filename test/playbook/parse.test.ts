import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Step } from '../../core/playbook/language/playbook.ts'
import { example } from './example.ts'
import { catalogue, check, codesOf, marked, parsed, placed, withSteps } from './support.ts'

describe('parsePlaybook', () => {
  it('has no problems with the example', () => {
    expect(check(example)).to.deep.equal([])
  })

  it('returns the tree for the interpreter, with defaults', () => {
    const playbook = parsed(example)
    const { name, version, description, timeoutMs, alertTrigger } = playbook
    expect({ name, version, description, timeoutMs }).to.deep.equal({
      name: 'impossible-travel',
      version: '1.2.0',
      description: 'Verify an impossible-travel sign-in; contain on denial.',
      timeoutMs: 7_200_000,
    })
    expect(alertTrigger).to.deep.include({ types: ['impossible_travel'], providers: undefined })
    expect(alertTrigger?.where?.evaluate({ alert: { data: { risk: 70 } } })).to.equal(true)
    expect(playbook.hash).to.equal(createHash('sha256').update(example).digest('hex'))
    expect(playbook.source).to.equal(example)
    expect(playbook.steps.map(({ action, key }) => `${key} ${action}`)).to.deep.equal([
      'signin set',
      'gather parallel',
      'explained steps',
      'visits set',
      '4 wait',
      '5 wait',
      '6 switch',
    ])
  })

  it('fills in the defaults of a step', () => {
    const source = withSteps(
      '  - { uses: case.update }\n  - { uses: case.update, timeout: 5s, retry: { max: 1, backoff: 1m } }',
      'defaults: { timeout: 90s, retry: { max: 5 } }',
    )
    const [first, second] = parsed(source).steps
    const common = { factor: 2, maxBackoffMs: 300_000, jitter: 0.2, on: undefined }
    expect(first).to.deep.include({ timeoutMs: 90_000, retry: { max: 5, backoffMs: 2000, ...common } })
    expect(second).to.deep.include({ timeoutMs: 5000, retry: { max: 1, backoffMs: 60_000, ...common } })
    const [bare] = parsed(withSteps('  - uses: case.update')).steps
    expect(bare).to.deep.include({ timeoutMs: 60_000, retry: { max: 3, backoffMs: 2000, ...common } })
    expect(bare).to.deep.include({ onError: 'fail', place: { line: 5, column: 5 }, id: null, key: '0' })
  })

  it('keeps the retry policy of a write of class never, which the engine limits to proven refusals', () => {
    const step = '  - { uses: messaging.send_message, with: { text: x }'
    const retryOf = (source: string) =>
      (parsed(source).steps[0] as Extract<Step, { action: 'uses' }>).retry.max
    expect(retryOf(withSteps(`${step} }`))).to.equal(3)
    expect(retryOf(withSteps(`${step} }`, 'defaults: { retry: { max: 5 } }'))).to.equal(5)
    const source = withSteps(`${step}, retry: { max: 2 } }`)
    expect(retryOf(source)).to.equal(2)
    expect(codesOf(check(source))).to.deep.equal(['W404'])
  })

  it('does not check skills without a catalogue', () => {
    const source = withSteps(
      '  - { id: a, uses: no.such, with: { any: thing } }\n  - return: ${{ steps.a.output.x.y }}',
    )
    expect(parsePlaybook(source).problems).to.deep.equal([])
    expect(codesOf(check(source))).to.deep.equal(['E301'])
  })

  it('finds twelve problems with positions, and no others', () => {
    const source = `apiVersion: tocsin/v1
name: twelve mistakes
on:
  alert: { type: phishing, were: "true" }
timeout: 5 minutes
steps:
  - id: intel
    uses: intel_provider.get_enrichment
    with: { kind: adress, value: "\${{ alert.data.ip }}" }
  - id: booked
    set:
      hit: '\${{ steps.intel.output.tags.exists(t, t == "x") && steps.intel.output.status == "confimed" }}'
      later: >-
        the answer is
        \${{ steps.last.output.x }}
  - if: steps.intel.output.risk.score
    uses: case.update
    with: { verdct: benign }
  - uses: travel.search_user_travel
  - id: both
    set: { x: "\${{ steps.booked.output.hitt }}" }
    wait: 5m
  - { uses: case.update, retry: { jitter: 10% } }
  - id: last
    set: { x: 1 }
`
    const found = check(source).map((problem) => `${problem.code} ${problem.line} ${marked(source, problem)}`)
    expect(found).to.deep.equal([
      'E107 2 twelve mistakes',
      'E104 4 were',
      'E107 5 5 minutes',
      'E202 9 adress',
      'E202 12 "confimed"',
      'E303 15 last',
      'E210 16 steps.intel.output.risk.score',
      'E305 18 verdct',
      'E306 19 travel.search_user_travel',
      'E205 21 hitt',
      'E109 22 wait',
      'E106 23 10%',
    ])
    expect(found).to.have.lengthOf(12)
    expect(placed(check(source))[4]).to.equal('E202 12:93-12:103')
  })

  it('reports a problem once, even if an alias repeats it', () => {
    const source = withSteps('  - set: &x { a: "${{ nobody }}" }\n  - return: *x\n  - return: *x')
    expect(codesOf(check(source)).filter((code) => code === 'E204')).to.deep.equal(['E204'])
  })

  it('names the file in every problem', () => {
    expect(parsePlaybook('x', { file: 'a.yaml', catalogue }).problems.map(({ file }) => file)).to.deep.equal([
      'a.yaml',
    ])
  })
})
