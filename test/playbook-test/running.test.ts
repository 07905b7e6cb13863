import { expect } from 'chai'
import { failures, playbookSource, results, testsSource } from './support.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'

const lookup = playbookSource(
  '  - { id: who, uses: people.find, with: { email: kim@example.com }, retry: { max: 2, backoff: 10s }, timeout: 30s }',
  'outputs: { name: "${{ steps.who.output.name }}" }\n',
)

describe('a playbook test', () => {
  it('skips waits of days and is deterministic', async () => {
    const waiting = playbookSource('  - wait: 20d', 'timeout: 30d\n')
    const source = testsSource('  - { name: a, expect: { duration: 20d } }')
    const startedAt = processorTime()
    expect(await failures(waiting, source)).to.deep.equal([])
    expect(processorTime() - startedAt).to.be.lessThan(limitHere(5_000))
    const [a] = await results(waiting, source)
    const [b] = await results(waiting, source)
    expect({ ...a, tookMs: 0 }).to.deep.equal({ ...b, tookMs: 0 })
  })

  it('answers consecutive attempts with consecutive replies, then repeats the last', async () => {
    const source = testsSource(
      `
  - name: second
    expect: { outputs: { name: Bo }, calls: [{ step: who, attempts: 2 }], duration: { min: 8s, max: 12s } }
  - name: never
    mocks: { people.find: [{ error: { code: http_503, retryable: true, retry_after: 1m } }] }
    expect:
      status: failed
      error: { code: http_503, details: { path: who } }
      calls: [{ step: who, times: 1, attempts: 3 }]
      duration: { min: 2m, max: 2m12s }`,
      `mocks:
  people.find:
    - error: { code: http_503, retryable: true }
    - { example: A person, output: { name: Bo } }
    - { example: Nobody }
`,
    )
    for (const { name, failures } of await results(lookup, source)) expect(failures, name).to.deep.equal([])
  })

  it('does not retry after a permanent error', async () => {
    const source = testsSource(
      '  - { name: a, expect: { status: failed, calls: [{ step: who, attempts: 1 }], duration: 0s } }',
      'mocks: { people.find: { error: { code: http_404 } } }\n',
    )
    expect(await failures(lookup, source)).to.deep.equal([])
  })

  it('times out if a reply comes late or never', async () => {
    const source = testsSource(
      `
  - { name: late, mocks: { people.find: { example: A person, delay: 29s } }, expect: { duration: 29s } }
  - name: too late
    mocks: { steps.who: { example: A person, delay: 31s } }
    expect: { status: failed, error: { code: step_timeout }, duration: { min: 1m30s, max: 2m10s } }
  - name: never, then at once
    mocks: { steps.who: [timeout, { example: A person }] }
    expect: { calls: [{ step: who, attempts: 2 }], duration: { min: 38s, max: 42s } }`,
    )
    for (const { name, failures } of await results(lookup, source)) expect(failures, name).to.deep.equal([])
  })

  it('prefers a reply for the input over a general one, and a mock of the step over one of its skill', async () => {
    const each = playbookSource(`
  - id: all
    foreach: \${{ ['a', 'b', 'c'] }}
    concurrency: 3
    uses: people.find
    with: { email: "\${{ item }}" }
  - { id: last, uses: people.find, with: { email: b } }
  - return: "\${{ steps.all.output.map(p, p.name) + [steps.last.output.name] }}"`)
    const source = testsSource(
      '  - { name: a, expect: { outputs: ["", Kim, "", Zoe] } }',
      `mocks:
  people.find:
    - { example: Nobody }
    - { with: { email: b }, example: A person }
  steps.last: { example: A person, output: { name: Zoe } }
`,
    )
    expect(await failures(each, source)).to.deep.equal([])
  })

  it('fails a step with an invalid input, as a run would', async () => {
    const bad = playbookSource(
      '  - { id: who, uses: people.find, with: { email: x, limit: "${{ alert.data.n }}" } }',
    )
    const source = testsSource(
      '  - { name: a, alert: { data: { n: 0 } }, expect: { status: failed, error: { code: value_invalid } } }',
      'mocks: { people.find: { example: A person } }\n',
    )
    expect(await failures(bad, source)).to.deep.equal([])
  })

  it('runs skills without connections for real, with a frozen clock', async () => {
    const real = playbookSource('  - { uses: own.slow, timeout: 1ms }\n  - { id: mood, uses: own.mood }')
    const source = testsSource('  - { name: a, expect: { path: [0, mood], duration: 0s } }')
    expect(await failures(real, source)).to.deep.equal([])
  })

  it('overrides the fixtures of the file key by key', async () => {
    const shown = playbookSource(
      '  - set: { x: 1 }',
      `outputs:
  all: "\${{ [alert.data.user, alert.data.ip, alert.content, alert.type, alert.provider, alert.id] }}"
  who: "\${{ organization.code + ' ' + organization.name + ' ' + string(now) + ' ' + case.id }}"
`,
    )
    const source = testsSource(
      `
  - name: own
    now: 2026-05-01T00:00:00Z
    organization: { name: Beta }
    alert: { provider: okta, data: { ip: 192.0.2.1 } }
    expect:
      outputs:
        all: [kim, 192.0.2.1, '{"user":"kim","ip":"192.0.2.1"}', odd, okta, acme-okta-1]
        who: acme Beta 2026-05-01T00:00:00Z acme-1
  - name: untouched
    expect:
      outputs:
        all: [kim, 192.0.2.9, '{"user":"kim","ip":"192.0.2.9"}', odd, splunk, acme-splunk-1]
        who: acme Acme 2026-04-01T00:00:00Z acme-1`,
      `fixtures:
  now: 2026-04-01T00:00:00Z
  organization: { code: acme, name: Acme }
  alert: { provider: splunk, data: { user: kim, ip: 192.0.2.9 } }
`,
    )
    for (const { name, failures } of await results(shown, source)) expect(failures, name).to.deep.equal([])
  })

  it('fails with the position of a bug in a skill, even if the playbook handles it', async () => {
    const handled = playbookSource('  - { uses: own.broken, on_error: continue }')
    const [failure] = await failures(handled, testsSource('  - { name: a, expect: {} }'))
    expect(failure).to.match(/error bug .*unexpected.*TypeError: x is not a function/)
  })
})
