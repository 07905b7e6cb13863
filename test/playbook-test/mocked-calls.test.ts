import { expect } from 'chai'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import { catalogue, playbookSource } from './support.ts'

const caller = playbookSource(
  '  - { id: sub, call: asked, with: { who: kim }, on_error: continue, default: { name: x, at: "2026-01-01T00:00:00Z", answer: aye } }',
  'outputs: { name: "${{ steps.sub.output.name }}", status: "${{ steps.sub.status }}" }\n',
)
const called = `apiVersion: tocsin/v1
name: asked
on: { call: true }
inputs: { who: { type: string }, limit: { type: integer, default: 5 } }
steps:
  - { id: inner, uses: people.find, with: { email: "\${{ inputs.who }}" } }
  - id: confirm
    checkpoint: { via: operator, with: { message: Sure? }, answers: [aye, bay], timeout: 1h }
outputs:
  name: \${{ steps.inner.output.name }}
  at: \${{ now }}
  answer: \${{ steps.confirm.output.answer }}
`

function read(tests: string) {
  const source = `playbook: p.yaml\n${tests}\n`
  const sources: Record<string, string> = { 'p.yaml': caller, 'asked.yaml': called }
  return { source, ...parseTests(source, { catalogue, loadPlaybook: (name) => sources[name] }) }
}

/** The problems of a test file, or else the failures of its tests. */
async function wrong(tests: string, options: { readonly crash?: boolean } = {}): Promise<readonly string[]> {
  const { source, tests: parsed, problems } = read(tests)
  if (parsed === undefined) return problems.map((problem) => formatProblem(problem, source))
  const { tests: results } = await runTests(parsed, { catalogue, ...options })
  return results.flatMap((test) => test.failures.map((failure) => formatProblem(failure, source)))
}

const output = '{ output: { name: Ada, at: "2026-03-01T08:00:00Z", answer: bay } }'

describe('a mock of a call', () => {
  it('replaces the whole called playbook and receives its inputs', async () => {
    const tests = `tests:
  - name: a
    mocks: { steps.sub: ${output} }
    expect:
      path: [sub]
      calls: [{ step: sub, times: 1, with: { who: kim, limit: 5 } }]
      outputs: { name: Ada, status: completed }`
    expect(await wrong(tests, { crash: true })).to.deep.equal([])
  })

  it('can fail, take time, or never end', async () => {
    const tests = `tests:
  - { name: a, mocks: { steps.sub: { error: { code: playbook_failed } } }, expect: { outputs: { name: x, status: failed } } }
  - { name: b, mocks: { steps.sub: { delay: 30h, error: { code: slow } } }, expect: { status: failed, error: { code: run_timeout }, duration: 24h } }
  - { name: c, mocks: { steps.sub: timeout }, expect: { status: failed, duration: 24h } }`
    expect(await wrong(tests)).to.deep.equal([])
  })

  it('returns a possible output of the playbook', async () => {
    const tests =
      'mocks: { steps.sub: { output: { nmae: Ada, at: soon, answer: ay } } }\ntests: [{ name: a, expect: {} }]'
    expect((await wrong(tests)).map((text) => text.replaceAll(/\n.*\n.*(hint)/g, ' $1'))).to.deep.equal([
      "2:33  error E602  unknown field 'nmae' hint: did you mean 'name'?",
      "2:62  error E202  answer: 'ay' is not one of aye, bay hint: did you mean 'aye'?",
    ])
  })

  it('has neither examples nor a responder', async () => {
    const of = async (reply: string) =>
      (await wrong(`mocks: { steps.sub: { ${reply} } }\ntests: [{ name: a, expect: {} }]`))[0]
    expect(await of('example: A person')).to.match(/E602 {2}a playbook has no examples/)
    expect(await of('answer: a')).to.match(/E602 {2}only a checkpoint is answered by a person/)
  })
})

describe('a checkpoint of a called playbook', () => {
  const tests = (mocks: string) => `mocks: { people.find: { example: A person }, ${mocks} }
tests: [{ name: a, expect: { outputs: { name: Kim }, calls: [{ step: sub/inner, times: 1 }] } }]`

  it('is mocked by its path', async () => {
    expect(
      await wrong(tests('steps.sub/confirm: { answer: aye, delay: 5m }'), { crash: true }),
    ).to.deep.equal([])
  })

  it('is named by its path in the error for a missing mock', async () => {
    const [failure] = await wrong(tests('')).then((found) => found.filter((text) => text.includes('asks')))
    expect(failure).to.include("step 'sub/confirm' asks a person, but the test has no answer")
    expect(failure).to.include('add to mocks: steps.sub/confirm: { answer: aye | bay } (or timeout)')
  })

  it('is validated like any other', async () => {
    const [first] = await wrong(tests('steps.sub/confrim: { answer: a }'))
    expect(first)
      .to.match(/E302 {2}the playbook has no step 'sub\/confrim'/)
      .and.include("did you mean 'sub/confirm'?")
    expect((await wrong(tests('steps.sub/confirm: { answer: c }')))[0]).to.match(/E202/)
  })
})
