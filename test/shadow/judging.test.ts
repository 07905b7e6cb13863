import { expect } from 'chai'
import type { RecordedAlert } from '../../core/backtest/recording.ts'
import { NotFoundError } from '../../core/errors/errors.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { ConnectionError, RetryableError } from '../../core/plugin/index.ts'
import type { ShadowSurroundings } from '../../core/shadow/judge-shadow.ts'
import { connectionsOf, recordingOf } from '../backtest/support.ts'
import { catalogue, playbookOf, playbookSource, testsOf, testsSource } from '../playbook-test/support.ts'
import { countCalls, inShadow, judge } from './support.ts'

const steps = `
  - { id: who, uses: people.find, with: { email: "\${{ alert.data.email }}" } }
  - { id: sure, checkpoint: { via: people.ask, with: { user: "\${{ alert.data.email }}" }, answers: [yes, no], timeout: 1h, on_timeout: none } }
  - { if: 'steps.sure.output.answer == "no"', uses: people.isolate, with: { id: "\${{ alert.data.machine }}" } }
  - { uses: case.update, with: { verdict: "\${{ steps.sure.output.answer == 'no' ? 'malicious' : 'benign' }}", severity: low } }`
const source = playbookSource(steps)
const live = { playbook: playbookOf(source), called: new Map() }
const shadowOf = (text: string, beside?: string) => ({
  playbook: inShadow(text.replace(/^name: .*$/m, 'name: other'), catalogue, beside),
  called: new Map(),
})
const edited = (from: string, to: string, text = source): string => {
  expect(text).to.contain(from)
  return text.replace(from, to)
}
const tests = testsSource(
  `
  - { name: yes, expect: {} }
  - { name: no, mocks: { steps.sure: { answer: no, by: kim, delay: 10m } }, expect: {} }`,
  `fixtures:
  now: 2026-04-01T10:00:00Z
  alert: { type: odd, data: { email: kim@example.com, machine: m-7 } }
mocks:
  people.find: { example: A person }
  people.isolate: { output: { id: m-7, state: isolated } }
  steps.sure: { answer: yes, by: kim, delay: 10m }
`,
)

describe('judging a shadow', () => {
  let yes: RecordedAlert
  let no: RecordedAlert
  before(async () => {
    const all = testsOf(source, tests).tests
    ;[yes, no] = (await Promise.all(all.map((test, at) => recordingOf(live, test, at + 1, catalogue)))) as [
      RecordedAlert,
      RecordedAlert,
    ]
  })

  const judged = async (
    text: string,
    recording: RecordedAlert | { readonly code: string; readonly message: string },
    {
      call = countCalls(catalogue).call,
      ...changes
    }: Partial<ShadowSurroundings> & { readonly call?: SkillCaller } = {},
  ) => await judge(shadowOf(text, live.playbook.name), recording, { catalogue, live, call, changes })
  const reasonOf = async (...given: Parameters<typeof judged>) =>
    (await judged(...given))?.summary.reason?.code

  it('compares it with the recorded run, and calls nothing that was recorded', async () => {
    const counter = countCalls(catalogue)
    expect(await judged(source, no, { call: counter.call })).to.deep.include({
      outcome: 'agrees',
      summary: {
        live: { status: 'completed', verdict: 'malicious', severity: 'low' },
        shadow: { status: 'completed', verdict: 'malicious', severity: 'low' },
        actions: [{ skill: 'people.isolate', by: 'both', calls: 1 }],
        changes: [],
        reason: null,
      },
    })
    const bold = edited('== "no"', '== "yes"')
    expect((await judged(bold, no, { call: counter.call }))?.summary.actions).to.deep.equal([
      { skill: 'people.isolate', by: 'live', calls: 1 },
    ])
    expect((await judged(bold, yes, { call: counter.call }))?.summary.actions).to.deep.equal([
      { skill: 'people.isolate', by: 'shadow', calls: 1 },
    ])
    expect(counter).to.include({ reads: 0, writes: 0 })
  })

  it('counts the calls of a skill, however many there are', async () => {
    const more = ['m-8', 'm-9'].map((id) => `\n  - { uses: people.isolate, with: { id: ${id} } }`).join('')
    expect((await judged(`${source}${more}`, no))?.summary.actions).to.deep.equal([
      { skill: 'people.isolate', by: 'both', calls: 1 },
      { skill: 'people.isolate', by: 'shadow', calls: 2 },
    ])
  })

  it('reads for real what the run did not read', async () => {
    const counter = countCalls(catalogue)
    const result = await judged(
      edited('email: "${{ alert.data.email }}" } }', 'email: lee@example.com } }'),
      yes,
      {
        call: counter.call,
      },
    )
    expect(result?.outcome).to.equal('agrees')
    expect(counter).to.include({ reads: 1, writes: 0 })
    expect(result?.detail)
      .to.have.property('assumed')
      .that.deep.equals(["a current reply to people.find at 'who'"])
  })

  it('lets a new question time out, and says who would have been asked', async () => {
    const result = await judged(edited('user: "${{ alert.data.email }}" }', 'user: bo@example.com }'), no)
    expect(result?.summary).to.deep.include({
      shadow: { status: 'completed', verdict: 'benign', severity: 'low' },
    })
    expect(result?.summary.changes.map(({ text }) => text)).to.include(
      'another question at sure (people.ask)',
    )
    const detail = result?.detail as
      { readonly after?: { readonly questions: readonly unknown[] } } | undefined
    expect(detail?.after?.questions).to.deep.equal([
      { path: 'sure', via: 'people.ask', input: { user: 'bo@example.com' }, state: 'completed' },
    ])
  })

  it('does not count other steps and another output', async () => {
    const result = await judged(edited('  - { id: who', '  - { set: { a: 1 } }\n  - { id: who'), yes)
    expect([result?.outcome, result?.summary.changes]).to.deep.equal(['agrees', []])
  })

  it('tells a shadow beside a playbook that would not start, and leaves it out alone', async () => {
    const narrow = edited('alert: { type: odd }', 'alert: { type: odd, where: alert.data.machine == "m-9" }')
    const result = await judged(narrow, yes)
    expect(result?.summary.shadow?.status).to.equal('not_started')
    const call = countCalls(catalogue).call
    expect(await judge(shadowOf(narrow), yes, { catalogue, live, call })).to.equal(undefined)
    expect((await judge(shadowOf(source), yes, { catalogue, live, call }))?.outcome).to.equal('agrees')
  })

  it('says why an alert cannot be judged', async () => {
    expect(await reasonOf(source, { code: 'run_pruned', message: 'pruned' })).to.equal('run_pruned')
    const gone = async (): Promise<never> => {
      throw new NotFoundError('playbook_not_found', 'no playbook has this hash')
    }
    expect(await reasonOf(source, yes, { versionOf: gone })).to.equal('version_invalid')
    const badOutput = {
      ...yes,
      entries: yes.entries.map((entry) => (entry.path === 'who' ? { ...entry, output: {} } : entry)),
    }
    expect(await reasonOf(source, badOutput)).to.equal('schema_changed')
    const otherEnd = { ...yes, run: { ...yes.run, status: 'failed' as const } }
    expect(await reasonOf(source, otherEnd)).to.equal('not_repeatable')
    const sensitive = { ...live.playbook, inputs: new Map(), state: new Map([['pin', { sensitive: true }]]) }
    const shown = edited('steps:', 'state: { pin: { type: string } }\nsteps:')
    const versionOf = async () => ({ playbook: sensitive as never, called: new Map() })
    expect(await reasonOf(shown, yes, { versionOf })).to.equal('sensitive_shown')
  })

  it('does not judge a shadow that would show a sensitive field of the alert', async () => {
    const marked = edited(
      'steps:',
      'alert: { type: object, required: [email, machine], properties: { email: { type: string }, machine: { type: string }, token: { type: string, x-sensitive: true } } }\nsteps:',
    )
    const versionOf = async () => ({ playbook: playbookOf(marked), called: new Map() })
    expect(await reasonOf(source, yes, { versionOf })).to.equal('sensitive_shown')
    expect((await judged(marked, yes, { versionOf }))?.outcome).to.equal('agrees')
  })

  it('does not claim an action without a connection for it', async () => {
    const bold = edited('== "no"', '== "yes"')
    const usable = (await connectionsOf(catalogue).list()).filter(({ plugin }) => plugin !== 'people')
    const without = { connections: { list: async () => usable } }
    expect((await judged(bold, yes, without))?.summary.reason).to.deep.include({
      code: 'connection_missing',
      message: "step '2' cannot call people.isolate: there is no enabled connection of people",
    })
    // The recorded reply counts: there was a connection.
    expect((await judged(source, no, without))?.summary.actions).to.have.length(1)
  })

  it('does not blame a shadow for reads that fail now', async () => {
    const other = edited('email: "${{ alert.data.email }}" } }', 'email: lee@example.com } }')
    const failing = (error: Error) => ({
      async call(): Promise<never> {
        throw error
      },
    })
    for (const [error, code] of [
      [new RetryableError('http_503', 'busy'), 'read_failed'],
      [
        new RetryableError('rate_limited', 'the rate limit is used up', { details: { sent: false } }),
        'read_failed',
      ],
      [new ConnectionError('connection_missing', 'no connection'), 'connection_missing'],
    ] as const)
      expect(await reasonOf(other, yes, failing(error)), code).to.equal(code)
  })

  it('finds cases as they are now, for a reference that the run did not look up', async () => {
    const looks = edited('steps:', 'steps:\n  - { id: seen, uses: case.find, with: { reference: login } }')
    const asked: string[] = []
    const findCase = async (_organization: string, key: string) => {
      asked.push(key)
      return undefined
    }
    expect((await judged(looks, yes, { findCase }))?.outcome).to.equal('agrees')
    expect(asked).to.have.length(1)
  })
})
