import { expect } from 'chai'
import { backtestView } from '../../core/backtest/backtest-view.ts'
import type { RecordedAlert } from '../../core/backtest/recording.ts'
import type { JudgedAlert } from '../../core/backtest/judge-alert.ts'
import type { JournalEntry } from '../../core/domain/run.ts'
import { theServer } from '../../core/domain/audit.ts'
import { catalogue, playbookOf, playbookSource, testsOf, testsSource } from '../playbook-test/support.ts'
import { openBacktests, organization, recordingOf, type BenchOptions } from './support.ts'

const source = playbookSource(`
  - { id: who, uses: people.find, with: { email: "\${{ alert.data.email }}" }, retry: { max: 2, backoff: 1s }, on_error: continue, default: { name: '', risk: null } }
  - { id: sure, checkpoint: { via: people.ask, with: { user: "\${{ alert.data.email }}" }, answers: [yes, no], timeout: 1h, on_timeout: none } }
  - { if: 'steps.sure.output.answer == "no"', uses: people.isolate, with: { id: "\${{ alert.data.machine }}" }, on_error: continue }
  - { id: said, uses: people.post, with: { text: "checked at \${{ string(now) }}" } }
  - { uses: case.update, with: { verdict: "\${{ steps.sure.output.answer == 'no' ? 'malicious' : 'benign' }}", severity: low } }`)

const head = `fixtures:
  now: 2026-04-01T10:00:00Z
  alert: { type: odd, data: { email: kim@example.com, machine: m-7 } }
mocks:
  people.find: { example: A person }
  people.isolate: { output: { id: m-7, state: isolated } }
  people.post: { example: Hello, delay: 3s }
  steps.sure: { answer: yes, by: kim, delay: 10m }
`
const tests = testsSource(
  `
  - { name: yes, expect: {} }
  - { name: no, mocks: { steps.sure: { answer: no, by: kim, delay: 10m } }, expect: {} }
  - { name: silence, mocks: { steps.sure: timeout }, expect: {} }
  - { name: retried, mocks: { people.find: [{ error: { code: http_503, retryable: true, message: busy } }, { example: Nobody }] }, expect: {} }
  - { name: cannot be asked, mocks: { steps.sure: { error: { code: user_not_found, message: nobody } } }, expect: { status: failed } }`,
  head,
)

const base = { playbook: playbookOf(source), called: new Map() }

async function recorded(of = base, text = tests): Promise<readonly RecordedAlert[]> {
  const { tests: all } = testsOf(of.playbook.source, text)
  return await Promise.all(all.map((test, at) => recordingOf(of, test, at + 1, catalogue)))
}

describe('a backtest', () => {
  let recordings: readonly RecordedAlert[]
  before(async () => {
    recordings = await recorded()
  })

  const open = (options: Partial<BenchOptions> = {}) =>
    openBacktests({ base, catalogue, recordings, ...options })
  const byAlert = (judged: readonly JudgedAlert[]) =>
    Object.fromEntries(
      judged.map(({ alertId, result, changes, reason }) => [
        alertId.replace('acme-custom-', ''),
        reason?.code ?? (result === 'same' ? 'same' : changes.map(({ text }) => text)),
      ]),
    )
  const edit = (from: string, to: string): string => {
    expect(source).to.contain(from)
    return source.replace(from, to)
  }

  it('finds no change without an edit, also with inputs that depend on the time', async () => {
    const { judged } = await open().test(source)
    expect(byAlert(judged)).to.deep.equal({ 1: 'same', 2: 'same', 3: 'same', 4: 'same', 5: 'same' })
  })

  it('lists actions, verdicts and questions that change, and calls nothing', async () => {
    const bench = open()
    const { judged } = await bench.test(
      edit('if: \'steps.sure.output.answer == "no"\'', 'if: \'steps.sure.output.answer == "yes"\''),
    )
    expect(byAlert(judged)).to.deep.equal({
      1: ['new action people.isolate at 2', 'other steps'],
      2: ['no longer people.isolate at 2', 'other steps'],
      3: 'same',
      4: ['new action people.isolate at 2', 'other steps'],
      5: 'same',
    })
    const verdicts = await bench.test(edit("'malicious' : 'benign'", "'malicious' : 'suspicious'"))
    expect(byAlert(verdicts.judged)[1]).to.deep.equal(['verdict benign → suspicious'])
    const unasked = await bench.test(
      edit(
        '{ id: sure, checkpoint',
        "{ id: sure, if: 'false', default: { answer: yes, by: null, at: '${{ now }}', text: null }, checkpoint",
      ),
    )
    expect(byAlert(unasked.judged)[2]).to.include('no longer asks at sure (people.ask)')
    expect(bench.live.calls).to.equal(0)
  })

  it('tells actions with another input apart', async () => {
    const { judged } = await open().test(edit('id: "${{ alert.data.machine }}"', 'id: m-8'))
    expect(byAlert(judged)[2]).to.deep.equal(['other input for people.isolate at 2'])
    const [, , , found] = judged
    expect(found?.assumed).to.deep.equal(["the output of people.isolate at '2'"])
  })

  it('applies the policy to reads with a new input', async () => {
    const edited = edit('email: "${{ alert.data.email }}" }, retry', 'email: other@example.com }, retry')
    expect(byAlert((await open().test(edited)).judged)).to.include({ 1: 'input_new', 5: 'input_new' })
    const assuming = open()
    const assumed = await assuming.test(edited, { policy: 'assume' })
    expect(assumed.judged.map(({ result }) => result)).to.not.include('unjudged')
    expect(assumed.judged[0]?.assumed).to.deep.equal(["the output of people.find at 'who'"])
    const live = open({ live: async () => ({ name: 'Kim', risk: 1 }) })
    const { judged } = await live.test(edited, { policy: 'live' })
    expect(judged.map(({ result }) => result)).to.not.include('unjudged')
    expect(live.live.calls).to.equal(5)
  })

  it('never makes a real call of a skill that writes', async () => {
    const bench = open({ live: () => Promise.reject(new Error('a write was made')) })
    const edited = edit('  - { id: said,', '  - { uses: people.isolate, with: { id: m-9 } }\n  - { id: said,')
    const { judged } = await bench.test(edited, { policy: 'live' })
    expect(byAlert(judged)[1]).to.include('new action people.isolate at 3')
    expect(bench.live.calls).to.equal(0)
  })

  it('does not judge a new question, unless answers may be assumed', async () => {
    const reworded = edit('with: { user: "${{ alert.data.email }}" }', 'with: { user: lee@example.com }')
    expect(byAlert((await open().test(reworded)).judged)).to.include({ 1: 'question_new', 3: 'question_new' })
    const { judged } = await open().test(reworded, { policy: 'assume' })
    expect(byAlert(judged)[2]).to.deep.equal(['another question at sure (people.ask)'])
  })

  it('replays a longer and a shorter timeout with the recorded delay of the answer', async () => {
    const { judged } = await open().test(edit('timeout: 1h', 'timeout: 5m'))
    expect(byAlert(judged)).to.deep.include({
      2: [
        'no longer people.isolate at 2',
        'other input for people.post at said',
        'verdict malicious → benign',
        'other steps',
      ],
    })
  })

  it('reports that an alert would no longer start the playbook', async () => {
    const { judged } = await open().test(edit('alert: { type: odd }', 'alert: { type: even }'))
    expect(byAlert(judged)[1]).to.include('status completed → not_started')
  })

  it('compares recordings of another version with a replay of the live one', async () => {
    const live = { playbook: playbookOf(edit('severity: low', 'severity: high')), called: new Map() }
    const { judged } = await openBacktests({
      base: live,
      catalogue,
      recordings,
      versions: [base.playbook],
    }).test(live.playbook.source)
    expect(judged.every(({ isOtherVersion, result }) => isOtherVersion && result === 'same')).to.equal(true)
    expect(judged.at(-1)?.before?.severity).to.equal('high')
  })

  it('says why an alert cannot be judged, and judges the others', async () => {
    const [first, second, third, fourth, fifth] = recordings as [
      RecordedAlert,
      RecordedAlert,
      RecordedAlert,
      RecordedAlert,
      RecordedAlert,
    ]
    const withRun = (recording: RecordedAlert, run: Partial<RecordedAlert['run']>): RecordedAlert => ({
      ...recording,
      run: { ...recording.run, ...run },
    })
    const badOutput = {
      ...fourth,
      entries: fourth.entries.map((entry) => (entry.path === 'who' ? { ...entry, output: {} } : entry)),
    }
    const otherVerdict = {
      ...fifth,
      run: { ...fifth.run, status: 'completed' as const },
    }
    const { judged, status } = await open({
      recordings: [
        withRun(first, { prunedAt: 1 }),
        withRun(second, { status: 'cancelled' }),
        withRun(third, { playbookHash: 'gone' }),
        badOutput,
        otherVerdict,
      ],
    }).test(source)
    expect(status).to.equal('completed')
    expect(byAlert(judged)).to.deep.equal({
      1: 'run_pruned',
      2: 'run_cancelled',
      3: 'replay_failed',
      4: 'schema_changed',
      5: 'not_repeatable',
    })
  })

  it('groups alerts by what changed', async () => {
    const backtest = await open().test(edit('id: "${{ alert.data.machine }}"', 'id: m-8'))
    const { groups, rows, changes, reasons } = backtestView(backtest, true)
    expect(groups.map(({ alerts }) => alerts)).to.deep.equal([1])
    expect(changes).to.include({ changed_action: 1, lost_action: 0, verdict: 0 })
    expect(rows?.filter(({ group }) => group === 0).map(({ alert_id }) => alert_id)).to.deep.equal([
      'acme-custom-2',
    ])
    expect(reasons).to.deep.equal([])
    expect(backtestView(backtest, false).rows).to.equal(null)
  })

  it('replays playbooks that call others, by skill and input', async () => {
    const callee = playbookOf(
      'apiVersion: tocsin/v1\nname: inner\non: { call: true }\ninputs: { id: { type: string } }\nsteps:\n  - { uses: people.isolate, with: { id: "${{ inputs.id }}" } }\n',
    )
    const { parseWithCalled } = await import('../../core/playbook/read/parse-with-called.ts')
    const beside = new Map([['inner', callee.source]])
    const caller = playbookSource('\n  - { call: inner, with: { id: m-7 } }')
    const { playbook, called } = parseWithCalled(caller, { catalogue, beside })
    const own = { playbook: playbook!, called }
    const mocks = 'mocks: { people.isolate: { output: { id: m-7, state: isolated } } }\n'
    const direct = playbookSource('\n  - { uses: people.isolate, with: { id: m-7 } }')
    const { tests: all } = testsOf(direct, testsSource('  - { name: a, expect: {} }', mocks))
    const one = await recordingOf(own, all[0]!, 1, catalogue)
    const bench = openBacktests({ base: own, catalogue, recordings: [one] })
    expect(
      (await bench.test(own.playbook)).judged.map(({ result, reason }) => reason ?? result),
    ).to.deep.equal(['same'])
    const [row] = (await bench.test(direct)).judged
    expect(row).to.include({ result: 'same', isOtherVersion: false })
  })

  it('compares sensitive values, and shows none', async () => {
    const posting = (text: string) =>
      playbookSource(
        `\n  - return: "${text}"`,
        'alert: { type: object, required: [token], properties: { token: { type: string, x-sensitive: true } } }\n',
      )
    const own = { playbook: playbookOf(posting('${{ alert.data.token }}')), called: new Map() }
    const given = 'fixtures: { alert: { type: odd, data: { token: the-secret } } }\n'
    const { tests: all } = testsOf(own.playbook.source, testsSource('  - { name: a, expect: {} }', given))
    const one = await recordingOf(own, all[0]!, 1, catalogue)
    const bench = openBacktests({ base: own, catalogue, recordings: [one] })
    expect(byAlert((await bench.test(own.playbook)).judged)).to.deep.equal({ 1: 'same' })
    const backtest = await bench.test(posting('${{ alert.data.token }}!'))
    expect(byAlert(backtest.judged)).to.deep.equal({ 1: ['other output'] })
    const { rows } = backtestView(backtest, true)
    expect(rows?.[0]?.before?.output).to.equal('[redacted]')
    expect(JSON.stringify(rows)).to.not.contain('the-secret')
  })

  it('does not judge an edited version that would show sensitive values of the recorded run', async () => {
    const mark = ', x-sensitive: true'
    const returning = (value: string, input: string, state: string) =>
      playbookSource(
        `
  - { if: 'state.last == "stop"', fail: stopped }
  - { id: asked, checkpoint: { via: operator, with: { message: Which? }, form: { type: object, required: [pin], properties: { pin: { type: string${mark} } } }, timeout: 1h } }
  - return: "\${{ ${value} }}"`,
        `inputs: { token: { type: string, default: ''${input} }, name: { type: string, default: '' } }\nstate: { last: { type: string, default: ''${state} } }\n`,
      )
    const [kept, shown] = [', sensitive: true', '']
    const own = { playbook: playbookOf(returning('inputs.token', mark, kept)), called: new Map() }
    const given =
      'fixtures: { alert: { type: odd, data: {} }, inputs: { token: the-secret, name: kim }, state: { last: the-secret } }\nmocks: { steps.asked: { answer: { pin: the-secret }, by: kim, text: the-secret } }\n'
    const { tests: all } = testsOf(own.playbook.source, testsSource('  - { name: a, expect: {} }', given))
    const one = await recordingOf(own, all[0]!, 1, catalogue)
    const bench = openBacktests({ base: own, catalogue, recordings: [one] })
    const same = await bench.test(returning('inputs.name', mark, kept))
    expect(byAlert(same.judged)).to.deep.equal({ 1: ['other output'] })
    const form = `form: { type: object, required: [pin], properties: { pin: { type: string${mark} } } }`
    const edited = [
      returning('inputs.token', '', kept),
      returning('state.last', mark, shown),
      returning('[steps.asked.output.text]', mark, kept).replace(form, "answers: ['[object Object]']"),
    ]
    expect(edited[2]).to.not.contain(form)
    for (const source of edited) {
      const backtest = await bench.test(source, { policy: 'assume' })
      expect(JSON.stringify(backtestView(backtest, true)), source).to.not.contain('the-secret')
    }
    for (const source of edited.slice(0, 2))
      expect(byAlert((await bench.test(source)).judged)).to.deep.equal({ 1: 'sensitive_shown' })
  })

  it('repeats that a person refused an action, also for an edited version', async () => {
    const [, second] = recordings as [RecordedAlert, RecordedAlert]
    const error = { code: 'use_refused', message: 'eve refused this use of people.isolate' }
    const refusal = (entry: JournalEntry): readonly JournalEntry[] =>
      entry.path === '2'
        ? [
            { ...entry, path: '2/@approval', kind: 'checkpoint', input: null, output: null },
            { ...entry, state: 'failed', input: null, output: null, error },
          ]
        : [entry]
    const refused = { ...second, entries: second.entries.flatMap(refusal) }
    const bench = open({ recordings: [refused] })
    expect(byAlert((await bench.test(source)).judged)).to.deep.equal({ 2: 'same' })
  })

  it('replays waits for events, and does not judge a wait for another event', async () => {
    const waiting = (type: string) =>
      playbookSource(`
  - { id: seen, wait: { for: { alert: { type: ${type} } }, schema: { type: object, required: [machine], properties: { machine: { type: string } } }, timeout: 1h, on_timeout: continue } }
  - { if: '!steps.seen.output.timed_out', uses: people.isolate, with: { id: "\${{ steps.seen.output.?event.?data.?machine.orValue('') }}" } }`)
    const own = { playbook: playbookOf(waiting('odd')), called: new Map() }
    const mocks =
      'mocks: { people.isolate: { output: { id: m-7, state: isolated } }, steps.seen: { event: { data: { machine: m-7 } }, delay: 10m } }\n'
    const { tests: all } = testsOf(own.playbook.source, testsSource('  - { name: a, expect: {} }', mocks))
    const one = await recordingOf(own, all[0]!, 1, catalogue)
    const bench = openBacktests({ base: own, catalogue, recordings: [one] })
    expect(byAlert((await bench.test(own.playbook)).judged)).to.deep.equal({ 1: 'same' })
    const sooner = own.playbook.source.replace('1h', '5m')
    expect(byAlert((await bench.test(sooner)).judged)[1]).to.include('no longer people.isolate at 1')
    expect(byAlert((await bench.test(waiting('even'))).judged)).to.deep.equal({ 1: 'event_new' })
  })

  it('can be cancelled and resumed, one at a time for each organization', async () => {
    const bench = open()
    const request = {
      organization,
      base,
      candidate: base,
      since: 0,
      limit: 100,
      policy: 'fail',
      by: theServer,
    } as const
    const { id, total } = await bench.backtests.start(request)
    expect(total).to.equal(5)
    const refused = await bench.backtests.start(request).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'backtest_running' })
    expect(bench.backtests.cancel('all', id).status).to.equal('cancelled')
    await bench.backtests.idle()
    expect(bench.backtests.find('all', id).judged).to.have.length.below(5)
    expect(bench.backtests.resume([organization.uuid], id).status).to.equal('running')
    await bench.backtests.idle()
    expect(bench.backtests.find('all', id)).to.include({ status: 'completed', remainingMs: 0 })
    expect(bench.backtests.find('all', id).judged.map(({ alertId }) => alertId)).to.deep.equal(
      recordings.map(({ alert }) => alert.id).toReversed(),
    )
    expect(() => bench.backtests.find(['another'], id)).to.throw('no backtest')
    const { before, after } = await bench.backtests.compare(
      'all',
      id,
      recordings[0]!.run.uuid,
      new AbortController().signal,
    )
    expect(before?.entries.map(({ path }) => path)).to.have.members(after!.entries.map(({ path }) => path))
  })
})
