import { expect } from 'chai'
import { failures, playbookSource, results, testsSource } from './support.ts'

const playbook = playbookSource(
  `
  - { id: who, uses: people.find, with: { email: a }, retry: { max: 2, backoff: 1s } }
  - id: both
    parallel:
      - { id: cut, uses: people.isolate, with: { id: m } }
      - { id: pause, steps: [{ wait: 1h }, { id: told, uses: people.post, with: { text: hi } }] }
  - id: each
    foreach: \${{ ['x', 'y', 'z'] }}
    concurrency: 2
    uses: people.post
    with: { text: "\${{ item + steps.told.output.id }}" }
  - { uses: case.update, with: { verdict: malicious, summary: "\${{ steps.who.output.name }}" } }`,
  'finally:\n  - { uses: case.comment, with: { text: "${{ run.status }}" } }\n',
)

const source = testsSource(
  `
  - name: all of it
    expect:
      path: [who, both, cut, told, each, 3]
      calls: [{ step: who, attempts: 2 }, { skill: people.post, times: 4 }]
      case: { verdict: malicious, notes: [completed] }
      duration: { min: 1h, max: 1h2s }`,
  `mocks:
  people.find: [{ error: { code: http_503, retryable: true } }, { example: A person }]
  people.isolate: { output: { id: m, state: isolated }, delay: 20s }
  people.post: { example: Hello }
`,
)

describe('a test with crashes', () => {
  it('ends the same after a crash behind each write, including messages that must not repeat', async () => {
    const [test] = await results(playbook, source, { crash: true })
    expect(test!.failures).to.deep.equal([])
    expect(test!.crashes).to.be.greaterThan(20)
  })

  it('ends the same if a call fails for good and the failure is handled', async () => {
    const failing = testsSource(
      `
  - name: gone
    expect: { status: failed, error: { code: http_404 }, case: { notes: [failed] } }`,
      'mocks: { people.find: [{ error: { code: x, retryable: true } }, { error: { code: http_404 } }] }\n',
    )
    const [test] = await results(playbook, failing, { crash: true })
    expect(test!.failures).to.deep.equal([])
    expect(test!.crashes).to.be.greaterThan(4)
  })

  it('reports if a crash changes the end, the path, the case or the calls (planted: an inconsistent skill)', async () => {
    const moody = playbookSource(
      `
  - { id: mood, uses: own.mood }
  - { id: odd, if: steps.mood.output.n % 2 == 1, uses: people.post, with: { text: "\${{ string(steps.mood.output.n) }}" } }
  - { uses: case.update, with: { summary: "mood \${{ steps.mood.output.n }}" } }`,
      'outputs: { n: "${{ steps.mood.output.n }}" }\n',
    )
    const tests = testsSource('  - { name: a, expect: {} }', 'mocks: { people.post: { example: Hello } }\n')
    const text = (await failures(moody, tests, { crash: true })).join('\n')
    expect(text).to.match(/error crash  after a crash after write 1 of the journal /)
    expect(text).to.match(/the path was mood → 2|the path was mood → odd → 2/)
    expect(text).to.match(/the end: output\.n was \d+, not \d+/)
    expect(text).to.match(/the case: summary was "mood \d+", not "mood \d+"/)
    expect(text).to.match(/the calls by idempotency key: /)
  })

  it('does not delay the response of a call in progress beside the crash', async () => {
    const beside = playbookSource(
      `
  - id: both
    parallel:
      - { uses: people.find, with: { email: a } }
      - { steps: [{ wait: 10s }, { wait: 10s }] }`,
      'outputs: { now: "${{ now }}" }\n',
    )
    const slow = testsSource(
      '  - { name: a, expect: { duration: 20s } }',
      'mocks: { people.find: { example: A person, delay: 20s } }\n',
    )
    const [test] = await results(beside, slow, { crash: true })
    expect(test!.failures).to.deep.equal([])
    expect(test!.crashes).to.be.greaterThan(4)
  })

  it('skips crashes for a test that already fails or does not start', async () => {
    const wrong = testsSource(
      '  - { name: a, expect: { status: failed } }\n  - { name: b, alert: { type: x }, expect: { status: not_started } }',
    )
    const tests = await results(playbookSource('  - wait: 1s'), wrong, { crash: true })
    expect(tests.map(({ crashes }) => crashes)).to.deep.equal([0, 0])
    expect(tests.map(({ failures }) => failures.length)).to.deep.equal([1, 0])
  })
})
