import { expect } from 'chai'
import { recordTests } from '../../core/playbook-test/record/record.ts'
import { runTest } from '../../core/playbook-test/run/run-test.ts'
import { catalogue, failures, parsed, playbookOf, playbookSource, testsOf, testsSource } from './support.ts'

const playbook = playbookSource(
  `
  - { id: who, uses: people.find, with: { email: "\${{ alert.data.email }}" }, retry: { max: 2, backoff: 1s } }
  - { id: never, if: 'false', set: { x: 1 } }
  - id: each
    foreach: \${{ ['a', 'b', 'a'] }}
    on_item_error: continue
    uses: people.find
    with: { email: "\${{ item }}" }
  - { uses: people.isolate, with: { id: m-7 }, timeout: 5s, on_error: continue, default: { id: '', state: pending } }
  - { id: sure, checkpoint: { via: people.ask, with: { user: kim }, answers: [yes, no], timeout: 1h } }
  - { uses: case.update, with: { verdict: malicious, summary: "\${{ steps.who.output.name }}" } }`,
  'outputs: { found: "${{ steps.each.output.map(p, p.name) }}" }\n',
)

const source = testsSource(
  '  - { name: a, expect: {} }',
  `fixtures:
  now: 2026-04-01T10:00:00Z
  organization: { code: acme }
  alert: { data: { email: kim@example.com, n: 1 } }
mocks:
  steps.who: [{ error: { code: http_503, retryable: true, message: busy } }, { example: A person }]
  steps.each: [{ with: { email: a }, example: Nobody }, { with: { email: b }, error: { code: http_404 } }]
  people.isolate: timeout
  steps.sure: { answer: yes, by: kim, by_name: kim@example.com, text: quite, delay: 10m }
`,
)

/** A run as the API returns it. */
async function finishedRun(text = playbook, tested = source): Promise<Record<string, unknown>> {
  const { tests } = testsOf(text, tested)
  const { playbook: checked, fixtures, mocks } = { playbook: playbookOf(text), ...tests[0]! }
  const run = await runTest({ playbook: checked, fixtures, mocks }, catalogue)
  const failed = (path: string) =>
    path === 'who' ? [{ attempt: 1, error: { code: 'http_503', message: 'busy' } }] : []
  return {
    run_uuid: '00000000-0000-4000-8000-000000000007',
    organization_code: 'acme',
    playbook: 'p',
    playbook_hash: checked.hash,
    status: run.status,
    started_at: run.startedAtMs,
    output: run.outcome!.output,
    error: run.outcome!.error,
    steps: run.entries.map((entry) => ({
      path: entry.path,
      step_id: entry.stepId,
      started_at: entry.startedAt,
      ended_at: entry.endedAt,
      kind: entry.kind,
      state: entry.state,
      input: entry.input,
      output: entry.output,
      error: entry.error,
      failed_attempts: failed(entry.path),
    })),
  }
}

const alert = {
  alert_content: '{"email":"kim@example.com","n":1}',
  alert_provider: 'splunk',
  alert_type: 'odd',
  alert_id: 'acme-splunk-7',
  alert_uuid: '00000000-0000-4000-8000-000000000009',
  created_at: 1_700_000_000_000,
  created_at_source: null,
}

const options = { catalogue, alert, playbook: playbookOf(playbook), playbookFile: 'p.yaml' }

describe('recordTests', () => {
  it('creates a test file that the playbook passes', async () => {
    const text = recordTests(await finishedRun(), options)
    expect(parsed(playbook, text).problems, text).to.deep.equal([])
    expect(await failures(playbook, text, { crash: true }), text).to.deep.equal([])
    const [test] = testsOf(playbook, text).tests
    expect(test!.expect.path?.value).to.deep.equal(['who', 'each', 'sure'])
    expect(test!.expect.skipped?.value).to.deep.equal(['never'])
    expect(test!.expect.case?.value).to.deep.equal({ verdict: 'malicious', summary: 'Kim' })
    expect(test!.expect.outputs?.value).to.deep.equal({ found: ['', ''] })
    expect(test!.expect.calls.map(({ skill }) => skill)).to.deep.equal(['people.isolate'])
    expect(test!.fixtures.alert).to.deep.include({ id: 'acme-splunk-7', provider: 'splunk', type: 'odd' })
    expect([...test!.mocks.keys()]).to.deep.equal(['steps.who', 'steps.each', 'people.isolate', 'steps.sure'])
    const [answered] = test!.mocks.get('steps.sure')!
    expect(answered).to.include({
      kind: 'answer',
      answer: 'yes',
      by: 'kim',
      byName: 'kim@example.com',
      text: 'quite',
      delayMs: 600_000,
    })
  })

  it('keeps the responses of each attempt and each item separate', async () => {
    const rounds = playbookSource(`
  - id: poll
    uses: people.find
    with: { email: kim }
    repeat: { until: output.name != "", every: 5m, max: 4 }
  - id: each
    foreach: [ann, bob]
    as: who
    steps:
      - id: sure
        checkpoint: { via: people.ask, with: { user: "\${{ who }}" }, answers: [yes, no], timeout: 1h, on_timeout: no }
  - id: loop
    repeat: { until: steps.done.output.answer == "yes", every: 1m, max: 3 }
    steps:
      - { id: done, checkpoint: { via: people.ask, with: { user: eve }, answers: [yes, no], timeout: 1h } }`)
    const tested = testsSource(
      '  - { name: a, expect: {} }',
      `mocks:
  people.find: [{ example: Nobody }, { error: { code: http_503, retryable: true } }, { example: Nobody }, { example: A person }]
  steps.sure: [{ with: { user: ann }, answer: yes, by: ann }, { with: { user: bob }, answer: no, by: bob }]
  steps.done: [{ answer: no }, { answer: yes, delay: 2m }]
`,
    )
    const run = await finishedRun(rounds, tested)
    expect(run).to.include({ status: 'completed' })
    const text = recordTests(run, { ...options, playbook: playbookOf(rounds) })
    expect(await failures(rounds, text, { crash: true }), text).to.deep.equal([])
    const { mocks } = testsOf(rounds, text).tests[0]!
    const answers = (step: string) => mocks.get(step)!.map((reply) => 'answer' in reply && reply.answer)
    expect(answers('steps.sure')).to.deep.equal(['yes', 'no'])
    expect(answers('steps.done')).to.deep.equal(['no', 'yes'])
    expect(mocks.get('steps.poll')).to.have.length(3)
  })

  it('keeps the answers of several people, and who gave none', async () => {
    const text = playbookSource(`
  - id: sure
    checkpoint:
      ask: [ann, bob, eve]
      quorum: 2
      escalate: [{ after: 10m, ask: kim }]
      via: people.ask
      with: { user: "\${{ person }}" }
      answers: [yes, no]
      timeout: 1h
  - return: "\${{ steps.sure.output }}"`)
    const tested = testsSource(
      '  - { name: a, expect: {} }',
      `mocks:
  steps.sure: [timeout, { answer: yes, by: bob, delay: 5m }, timeout, { answer: yes, by: kim, delay: 2m }]
`,
    )
    const run = await finishedRun(text, tested)
    expect(run).to.nested.include({ 'output.answer': 'yes', 'output.missing[1]': 'eve' })
    const recorded = recordTests(run, { ...options, playbook: playbookOf(text) })
    expect(await failures(text, recorded, { crash: true }), recorded).to.deep.equal([])
    const replies = testsOf(text, recorded).tests[0]!.mocks.get('steps.sure')!
    expect(replies.map(({ kind }) => kind)).to.deep.equal(['timeout', 'answer', 'timeout', 'answer'])
  })

  it('keeps the alert that a wait received, and its absence', async () => {
    const wait = (id: string) =>
      `{ id: ${id}, wait: { for: { alert: { type: seen } }, where: event.data.n == alert.data.n, timeout: 1h, on_timeout: continue } }`
    const text = playbookSource(`
  - ${wait('first')}
  - ${wait('second')}
  - return: "\${{ [steps.first.output.timed_out, steps.second.output.timed_out] }}"`)
    const tested = testsSource(
      '  - { name: a, alert: { data: { n: 1 } }, expect: {} }',
      `mocks:
  steps.first: [{ event: { data: { n: 2 } } }, { event: { data: { n: 1 } }, delay: 5m }]
  steps.second: timeout
`,
    )
    const run = await finishedRun(text, tested)
    expect(run['output']).to.deep.equal([false, true])
    const recorded = recordTests(run, { ...options, playbook: playbookOf(text) })
    expect(await failures(text, recorded, { crash: true }), recorded).to.deep.equal([])
    const { mocks } = testsOf(text, recorded).tests[0]!
    expect(mocks.get('steps.first')![0]).to.deep.include({ kind: 'event', data: { n: 1 }, delayMs: 300_000 })
    expect(mocks.get('steps.second')![0]).to.include({ kind: 'timeout' })
  })

  it('fails if the playbook changed since the run', async () => {
    const text = recordTests(await finishedRun(), options)
    const changed = playbook.replace('verdict: malicious', 'verdict: suspicious')
    expect((await failures(changed, text))[0]).to.match(
      /case.verdict  expected "malicious", got "suspicious"/,
    )
    const noted = recordTests(await finishedRun(), { ...options, playbook: playbookOf(changed) })
    expect(noted).to.contain('# The playbook has changed since this run.')
  })

  it('reports a missing alert', async () => {
    const text = recordTests(await finishedRun(), { ...options, alert: undefined })
    expect(text).to.contain('# The run does not contain its alert: write it, or record with --alert.')
    expect(parsed(playbook, text).problems).to.deep.equal([])
  })

  it('keeps an alert that is not JSON, or unusually formatted JSON, as text', async () => {
    const run = await finishedRun()
    for (const content of ['CEF:0|x', '{ "email": "a" }', '{"n":12345678901234567890}']) {
      const text = recordTests(run, { ...options, alert: { ...alert, alert_content: content } })
      expect(testsOf(playbook, text).tests[0]!.fixtures.alert?.content).to.equal(content)
    }
  })

  for (const [what, change, says] of [
    ['a list of runs', { steps: undefined }, /not a run with its steps/],
    ['a run in progress', { status: 'running' }, /has not ended: it is running/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const run = { ...(await finishedRun()), ...change }
      expect(() => recordTests(run, options)).to.throw(says)
    })
  }

  it('refuses input that is not a run', () => {
    for (const given of [null, 5, [], 'run']) expect(() => recordTests(given, options)).to.throw(/not a run/)
  })
})
