import { expect } from 'chai'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { coverageOf } from '../../core/playbook-test/coverage/coverage.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import { catalogue, failures, playbookSource, results, testsOf, testsSource } from './support.ts'

const playbook = playbookSource(
  `
  - id: confirm
    checkpoint:
      via: people.ask
      # Nobody is reminded in a test, and nothing is settled: 'times: 1' below.
      with: { user: kim, remind_after: 5m }
      answers: [mine, not_mine]
      timeout: 30m
      on_timeout: no_reply
  - id: cut
    if: steps.confirm.output.answer == "not_mine"
    uses: people.isolate
    with: { id: m }
  - id: machine
    checkpoint:
      via: operator
      with: { message: Which one? }
      form: { type: object, required: [id], properties: { id: { type: string } } }
      timeout: 1h`,
  'outputs: { said: "${{ steps.confirm.output.answer }}", who: "${{ steps.confirm.output.by }}", name: "${{ steps.confirm.output.?by_name.orValue(null) }}", kinds: "${{ [steps.confirm.output.?by_kind.orValue(null), steps.machine.output.?by_kind.orValue(null)] }}", form: "${{ steps.machine.output.answer }}" }\n',
)

const mocks = `mocks:
  people.isolate: { output: { id: m, state: isolated } }
  steps.machine: { answer: { id: m-7 }, delay: 5m }
`

const tests = testsSource(
  `
  - name: denied
    mocks: { steps.confirm: { answer: not_mine, by: U1, by_name: kim@example.com, delay: 10m } }
    expect:
      path: [confirm, cut, machine]
      calls: [{ skill: people.ask, times: 1, with: { user: kim, answers: [mine, not_mine] } }, { step: cut, at: 10m }]
      outputs: { said: not_mine, who: U1, name: kim@example.com, kinds: [person, api_key], form: { id: m-7 } }
      duration: 15m
  - name: confirmed
    mocks: { steps.confirm: { answer: mine } }
    expect: { skipped: [cut], outputs: { said: mine, who: analyst, name: null }, duration: 5m }
  - name: confirmed with a key
    mocks: { steps.confirm: { answer: mine, by: U1, by_name: kim@example.com, by_kind: api_key } }
    expect: { skipped: [cut], outputs: { said: mine, who: U1, name: null, kinds: [api_key, api_key] }, duration: 5m }
  - name: nobody answers
    mocks: { steps.confirm: timeout }
    expect: { outputs: { said: no_reply, who: null, name: null, kinds: [null, api_key] }, duration: 35m }
  - name: an answer that comes too late
    mocks: { steps.confirm: { answer: mine, delay: 31m } }
    expect: { outputs: { said: no_reply }, duration: 35m }
  - name: nobody fills the form in
    mocks: { steps.confirm: { answer: mine }, steps.machine: timeout }
    expect: { status: failed, error: { code: checkpoint_timeout }, duration: 1h }
  - name: nobody can be told
    mocks: { steps.confirm: { error: { code: http_403 } } }
    expect: { status: failed, error: { code: http_403 } }`,
  mocks,
)

describe('checkpoints in tests', () => {
  it('are answered by mocks in time, late or never, also after crashes', async () => {
    for (const { name, failures } of await results(playbook, tests, { crash: true }))
      expect(
        failures.map(({ code, message }) => `${code} ${message}`),
        name,
      ).to.deep.equal([])
  })

  it('are covered if each answer and a timeout occurred', async () => {
    const file = testsOf(playbook, tests)
    const { taken } = await runTests(file, { catalogue })
    expect(coverageOf(file.playbook, taken).missing).to.deep.equal([])
    const [denied] = file.tests
    const only = await runTests({ ...file, tests: [denied!] }, { catalogue })
    expect(coverageOf(file.playbook, only.taken).missing.map(({ key }) => key)).to.deep.equal([
      'confirm answer mine',
      'confirm timeout',
      'cut skip',
      'machine timeout',
    ])
  })

  it('fail a test without a mock for the answer', async () => {
    const source = testsSource('  - { name: a, expect: { status: failed } }')
    const operator = playbookSource(
      '  - { id: sure, checkpoint: { via: operator, with: { message: x }, answers: [a, b], timeout: 1h } }',
    )
    const [failure] = await failures(operator, source)
    expect(failure).to.match(/error mock  step 'sure' asks a person, but the test has no answer/)
    expect(failure).to.match(/add to mocks: steps.sure: \{ answer: a \| b \} \(or timeout\)/)
  })
})

describe('a playbook that calls another', () => {
  const caller = playbookSource(
    '  - { id: sub, call: asked, with: { who: kim } }',
    'outputs: { name: "${{ steps.sub.output.name }}" }\n',
  )
  const called = `apiVersion: tocsin/v1
name: asked
on: { call: true }
inputs: { who: { type: string } }
steps:
  - { id: inner, uses: people.find, with: { email: "\${{ inputs.who }}" } }
outputs: { name: "\${{ steps.inner.output.name }}" }
`
  const source = `playbook: folder/p.yaml
mocks: { people.find: { with: { email: kim }, example: A person } }
tests: [{ name: a, expect: { path: [sub], outputs: { name: Kim }, calls: [{ skill: people.find, times: 1 }] } }]
`

  it('finds the called playbook in the same folder', async () => {
    const sources: Record<string, string> = { 'folder/p.yaml': caller, 'folder/asked.yaml': called }
    const { tests: parsed, problems } = parseTests(source, {
      catalogue,
      loadPlaybook: (name) => sources[name],
    })
    expect(problems.map((problem) => formatProblem(problem, source))).to.deep.equal([])
    const { tests } = await runTests(parsed!, { catalogue, crash: true })
    expect(
      tests.flatMap((test) => test.failures.map((failure) => formatProblem(failure, source))),
    ).to.deep.equal([])
  })

  it('is refused if the called playbook is missing', () => {
    const { problems } = parseTests(source, {
      catalogue,
      loadPlaybook: (name) => (name === 'folder/p.yaml' ? caller : undefined),
    })
    expect(problems.map(({ code, message, hint }) => `${code} ${message} ${hint}`)).to.include(
      "E603 the playbook 'folder/p.yaml' has 1 problem: 5:22 unknown playbook 'asked' it is expected in folder/asked.yaml",
    )
  })

  it('is refused for an invalid call, as by `tocsin validate`', () => {
    const sources: Record<string, string> = {
      'folder/p.yaml': caller.replace('who:', 'whom:'),
      'folder/asked.yaml': called,
    }
    const { problems } = parseTests(source, { catalogue, loadPlaybook: (name) => sources[name] })
    expect(problems.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
      "E603 the playbook 'folder/p.yaml' has 1 problem: 5:37 unknown input 'whom'",
    ])
  })
})
