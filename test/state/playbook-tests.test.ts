import { expect } from 'chai'
import { recordTests } from '../../core/playbook-test/record/record.ts'
import { runTest } from '../../core/playbook-test/run/run-test.ts'
import {
  catalogue,
  failures,
  parsed,
  playbookOf,
  playbookSource,
  testsOf,
  testsSource,
} from '../playbook-test/support.ts'

const source = playbookSource(
  `
  - { id: first, state: { add: seen, key: "\${{ alert.data.id }}" } }
  - { id: owner, state: { get: owners, key: "\${{ alert.data.id }}" } }
  - { id: strike, state: { increment: strikes, key: kim } }
  - if: state.total > 4
    state: { set: cursor, value: "\${{ state.cursor + '!' }}" }
  - state: { increment: total }
  - { id: hidden, state: { add: users, key: kim@example.com } }`,
  `state:
  seen: { kind: set, expires: 1d }
  owners: { kind: map, type: string, default: nobody }
  strikes: { kind: counters }
  total: { kind: counter }
  cursor: { type: string, default: a }
  users: { kind: set, sensitive: true }
outputs: { new: "\${{ steps.first.output.new }}", owner: "\${{ steps.owner.output.value }}", user: "\${{ steps.hidden.output.new }}" }
`,
)
const fixtures = `fixtures:
  now: 2026-04-01T10:00:00Z
  alert: { data: { id: a1 } }
  state: { total: 4 }
`
const test = (text: string) => testsSource(`  - name: a\n    ${text}`, fixtures)
const failed = async (text: string) =>
  (await failures(source, test(text), { crash: true })).map((each) => JSON.stringify(each)).join('\n')

describe('playbook tests with state', () => {
  it('begin with the state of the fixtures and of the test, and expect what is kept', async () => {
    const stored = 'state: { seen: [a1, a0], owners: { a1: ana }, total: 5, users: [kim@example.com] }'
    const kept =
      'seen: [a1, a0], owners: { a1: ana }, strikes: { kim: 1 }, total: 6, cursor: a!, users: [kim@example.com]'
    expect(
      await failed(
        `${stored}\n    expect: { outputs: { new: false, owner: ana, user: false }, state: { ${kept} } }`,
      ),
    ).to.equal('')
    expect(
      await failed(
        'expect: { outputs: { new: true, owner: nobody, user: true }, state: { total: 5, cursor: a } }',
      ),
    ).to.equal('')
  })

  it('know when keys were added, by the virtual clock', async () => {
    const at = (time: string) => `state: { seen: { a1: ${time} } }`
    expect(await failed(`${at('2026-03-31T10:00:01Z')}\n    expect: { outputs: { new: false } }`)).to.equal(
      '',
    )
    expect(await failed(`${at('2026-03-31T10:00:00Z')}\n    expect: { outputs: { new: true } }`)).to.equal('')
  })

  it('name what differs', async () => {
    expect(await failed('expect: { state: { total: 7, strikes: { kim: 2 }, seen: [] } }'))
      .to.include('expected 7, got 5')
      .and.include('state.strikes.kim')
      .and.include('state.seen')
  })

  it('refuse state that the playbook does not declare, or of another shape', () => {
    const problems = (state: string) =>
      parsed(source, test(`state: ${state}\n    expect: {}`)).problems.map(
        ({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` | ${hint}`}`,
      )
    expect(problems('{ sene: [a] }')).to.deep.equal([
      `E340 the playbook declares no state 'sene' | did you mean 'seen'?`,
    ])
    expect(problems('{ seen: 5 }')[0]).to.match(/^E342 the state of a set is given as a list of keys/)
    expect(problems('{ owners: { a: 5 } }')[0]).to.match(/^E342 cannot store this in 'owners'/)
    expect(problems('{ total: 0.5 }')[0]).to.match(/^E342 .*whole number/)
    expect(problems('{ strikes: [kim] }')[0]).to.match(/^E342 the state of a counters is given as a map/)
  })

  it('are recorded with the state that the run found', async () => {
    const given = test(
      'state: { seen: [a1], owners: { a1: ana }, strikes: { kim: 2 }, total: 9, cursor: c }\n    expect: {}',
    )
    const playbook = playbookOf(source)
    const [{ fixtures: found, mocks }] = testsOf(source, given).tests as [
      ReturnType<typeof testsOf>['tests'][number],
    ]
    const run = await runTest({ playbook, fixtures: found, mocks }, catalogue)
    const answered = {
      run_uuid: '00000000-0000-4000-8000-000000000007',
      organization_code: 'acme',
      playbook: 'p',
      playbook_hash: playbook.hash,
      status: run.status,
      started_at: run.startedAtMs,
      output: run.outcome?.output,
      error: null,
      steps: run.entries.map(({ path, stepId, startedAt, endedAt, kind, state, input, output, error }) => ({
        path,
        step_id: stepId,
        started_at: startedAt,
        ended_at: endedAt,
        kind,
        state,
        input,
        output,
        error,
        failed_attempts: [],
      })),
    }
    const alert = { alert_content: '{"id":"a1"}', alert_provider: 'custom', alert_type: 'odd' }
    const text = recordTests(answered, { catalogue, alert, playbook, playbookFile: 'p.yaml' })
    expect(testsOf(source, text).tests[0]?.fixtures.state).to.deep.equal({
      seen: { a1: '2026-04-01T10:00:00.000Z' },
      owners: { a1: 'ana' },
      strikes: { kim: 2 },
      total: 9,
      cursor: 'c',
    })
    expect(await failures(source, text, { crash: true }), text).to.deep.equal([])
  })
})
