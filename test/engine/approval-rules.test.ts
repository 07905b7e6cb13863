import { expect } from 'chai'
import type { BoundConnection } from '../../core/destructive/input-hash.ts'
import { serverLimits } from '../../core/destructive/policy.ts'
import type { Actor } from '../../core/domain/audit.ts'
import type { ApprovalRule } from '../../core/domain/destructive-use.ts'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { ruleOf } from '../support/approval-rule.ts'
import { somebody } from '../support/somebody.ts'
import { openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingStores } from './support/crashing-journal.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

const minute = 60_000
const destructive = { 'edr.isolate': { class: 'containment' }, 'edr.block': { class: 'blocking' } } as const
const isolateOne = { id: 'isolate', uses: 'edr.isolate', with: { machine: 'WS-7' } }
const blockEach = {
  id: 'block',
  foreach: ['a.example', 'b.example', 'c.example', 'd.example'],
  as: 'domain',
  onItemError: 'continue' as const,
  uses: 'edr.block',
  with: { domain: '${{ domain }}' },
}
const person = (id: string): Actor => ({ kind: 'api_key', id, name: id, requestId: null })

describe('a destructive skill under an approval rule', () => {
  let bench: Bench
  let clock: ManualClock
  let connection: BoundConnection | undefined

  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    connection = { name: 'edr-main', identity: 'one' }
  })
  afterEach(() => bench.close())

  const setRules = (...rules: readonly ApprovalRule[]) =>
    bench.stores.organizations.setApprovalRules(bench.organizationUuid, rules, undefined, somebody())

  interface More {
    readonly run?: Run
    readonly steps?: Parameters<typeof makePlaybook>[0]['steps']
    readonly limit?: number
    readonly names?: Readonly<Record<string, unknown>>
    readonly skills?: TestSkills
  }

  async function begin({ run, steps = [isolateOne], limit = 100, names, skills }: More = {}) {
    const wakeUps = createWakeUps()
    const [stop, cancel] = [new AbortController(), new AbortController()]
    const own = run ?? (await bench.startRun())
    const going = bench.go(
      makePlaybook({ steps }),
      { 'edr.isolate': () => 'isolated', 'edr.block': ({ domain }: any) => domain, ...skills },
      {
        run: own,
        wakeUps,
        stop: stop.signal,
        cancel: cancel.signal,
        destructive,
        destructiveLimits: serverLimits({ containment: limit, blocking: limit }),
        connectionFor: async () => connection,
        ...(names && { names }),
      },
    )
    going.catch(() => {})
    await settle()
    const halt = async () => {
      stop.abort()
      expect(await going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    }
    return { run: own, going, wakeUps, cancel, halt }
  }
  const waiting = async () =>
    (await bench.stores.checkpoints.list('all', { limit: 50 }, { state: 'waiting' })).data
  /** As run control passes it on; `makers` are the keys that the key was created with. */
  async function answer(value: string, by = 'ana', makers: readonly string[] = [], refusedItems?: number[]) {
    const [question] = await waiting()
    const given = { value, text: null, sameAs: [by, ...makers], refusedItems }
    return (await bench.stores.checkpoints.answer(question!.id, given, person(by))).outcome
  }
  const called = (skill = 'edr.isolate') =>
    bench.calls.filter((call) => call.skill === skill).map(({ input }) => input)

  it('waits within the limit, and says which rule requires how many approvals of whom', async () => {
    await setRules(
      ruleOf({ match: { classes: ['blocking'] } }),
      ruleOf({
        name: 'Two for isolation',
        approvals: 2,
        by: { roles: ['admin'], keys: ['k1'], accounts: [] },
      }),
    )
    const { halt } = await begin()
    expect(called()).to.deep.equal([])
    const [question] = await waiting()
    expect(question?.question.input).to.include({
      message:
        'Approval rule 2 (Two for isolation) requires 2 approvals by different people. ' +
        'Anyone with the role admin, or the key k1 may approve. Approve this use of edr.isolate, with the input below?',
    })
    const { approval } = question!.question
    expect(approval).to.deep.include({
      rule: { place: 2, name: 'Two for isolation' },
      needed: 2,
      connection: 'edr-main',
    })
    expect(approval?.inputHash).to.match(/^[0-9a-f]{64}$/)
    const { data } = await bench.stores.audit.list('all', { action: 'skill.held' }, { limit: 5 })
    expect(data[0]?.details).to.include({ rule: 'Two for isolation', approvals: 2, uses: 0 })
    await halt()
  })

  it('says in plain words what happens, over which connection, what undoes it and how long it lasts', async () => {
    await setRules(ruleOf())
    const undo = { afterMs: 4 * 60 * minute }
    const texts = { title: 'Isolate Machine', undo: 'Release Machine (edr.release) undoes it' }
    const described = {
      'edr.isolate': { class: 'containment', text: texts, undo: () => ({ skill: 'edr.release', input: {} }) },
    } as const
    const wakeUps = createWakeUps()
    const stop = new AbortController()
    const going = bench.go(
      makePlaybook({ steps: [{ ...isolateOne, undo }] }),
      { 'edr.isolate': () => 'isolated' },
      {
        wakeUps,
        stop: stop.signal,
        destructive: described,
        destructiveLimits: serverLimits(),
        connectionFor: async () => connection,
      },
    )
    going.catch(() => {})
    await settle()
    const [question] = await waiting()
    expect(question?.question.input)
      .to.have.property('message')
      .that.includes(
        'Isolate Machine (edr.isolate) over the connection edr-main. Release Machine (edr.release) undoes it. It is undone after 4 hours. Approve',
      )
    stop.abort()
    await going.catch(() => {})
  })

  it('runs when two different people approved, also across restarts', async () => {
    await setRules(ruleOf({ approvals: 2 }))
    const first = await begin()
    expect(await answer('approve', 'ana', ['root'])).to.equal('counted')
    await first.halt()
    const second = await begin({ run: first.run })
    expect(await answer('approve', 'ana', ['root']), 'again').to.equal('same_person')
    expect(await answer('approve', 'ana-bot', ['ana', 'root']), 'a key of the first').to.equal('same_person')
    expect(await answer('approve', 'ben', ['root']), 'a key with the same creator').to.equal('same_person')
    expect(called()).to.deep.equal([])
    expect(await answer('approve', 'cleo', [])).to.equal('accepted')
    second.wakeUps.wake()
    expect(await second.going).to.include({ status: 'completed' })
    expect(called()).to.deep.equal([{ machine: 'WS-7' }])
    const entry = await bench.stores.journal.entry(first.run.uuid, 'isolate/@approval')
    expect(entry?.output).to.deep.include({ answer: 'approve', by: 'cleo' })
    expect((entry!.output as any).approved_by.map(({ by }: { by: string }) => by)).to.deep.equal([
      'ana',
      'cleo',
    ])
    const { data } = await bench.stores.audit.list('all', { action: 'checkpoint.answered' }, { limit: 5 })
    expect(data.map(({ actor, details }) => [actor.id, details['outcome']])).to.deep.equal([
      ['cleo', undefined],
      ['ana', 'counted'],
    ])
  })

  it('is refused by one person, whoever has approved before', async () => {
    await setRules(ruleOf({ approvals: 2 }))
    const { going, wakeUps } = await begin()
    expect(await answer('approve', 'ana')).to.equal('counted')
    expect(await answer('refuse', 'ben')).to.equal('accepted')
    wakeUps.wake()
    expect((await going).error).to.include({
      code: 'use_refused',
      message: 'ben refused this use of edr.isolate',
    })
    expect(called()).to.deep.equal([])
  })

  it('counts one of two answers of different people at the same instant as the first', async () => {
    await setRules(ruleOf({ approvals: 2 }))
    const { going, wakeUps } = await begin()
    const outcomes = await Promise.all([
      answer('approve', 'ana'),
      answer('approve', 'ana'),
      answer('approve', 'ben'),
      answer('approve', 'cleo'),
    ])
    expect(outcomes.toSorted()).to.deep.equal(['accepted', 'counted', 'same_person', 'second'])
    wakeUps.wake()
    expect(await going).to.include({ status: 'completed' })
    expect(called()).to.have.length(1)
  })

  it('does not count the approval of a key that was revoked before the others approved', async () => {
    await setRules(ruleOf({ approvals: 2 }))
    const secretHash = new Uint8Array(32)
    const key = {
      id: 'ana',
      name: 'Ana',
      role: 'admin',
      organizationUuids: null,
      secretHash,
      expiresAt: null,
    } as const
    await bench.stores.keys.create({ ...key, id: 'lasting' }, somebody())
    await bench.stores.keys.create(key, somebody())
    const { halt, going, wakeUps } = await begin()
    expect(await answer('approve', 'ana')).to.equal('counted')
    await bench.stores.keys.revoke('ana', somebody())
    expect((await waiting())[0]?.counted).to.deep.equal([])
    expect(await answer('approve', 'ben')).to.equal('counted')
    expect(await answer('approve', 'cleo')).to.equal('accepted')
    wakeUps.wake()
    expect(await going).to.include({ status: 'completed' })
    void halt
  })

  it('keeps the rule with which it was asked when the rules change', async () => {
    await setRules(ruleOf({ approvals: 2 }))
    const first = await begin()
    await setRules()
    expect(await answer('approve', 'ana')).to.equal('counted')
    await first.halt()
    const { going, wakeUps } = await begin({ run: first.run })
    expect(called()).to.deep.equal([])
    expect(await answer('approve', 'ben')).to.equal('accepted')
    wakeUps.wake()
    expect(await going).to.include({ status: 'completed' })
    expect((await (await begin()).going).status, 'a new run has no rule').to.equal('completed')
  })

  it('fails when nobody approves within the time of the rule', async () => {
    await setRules(ruleOf({ expiresMinutes: 30 }))
    const { going } = await begin()
    await clock.advance(30 * minute - 1)
    expect(await waiting()).to.have.length(1)
    await clock.advance(1)
    expect((await going).error).to.include({ code: 'approval_timeout' })
    expect(called()).to.deep.equal([])
  })

  it('is also held back by the limit, which then needs the approvals of the rule', async () => {
    await setRules(ruleOf({ approvals: 0, by: { roles: ['admin'], keys: [], accounts: [] } }))
    expect((await (await begin({ limit: 1 })).going).status).to.equal('completed')
    const { halt } = await begin({ limit: 1 })
    const [question] = await waiting()
    expect(question?.question.approval).to.deep.include({
      needed: 1,
      by: { roles: ['admin'], keys: [], accounts: [] },
    })
    expect(question?.question.input)
      .to.have.property('message')
      .that.matches(/^1 containment action within/)
    await halt()
  })

  it('uses the higher severity of alert and case', async () => {
    await setRules(ruleOf({ match: { severityAtLeast: 'high' } }))
    const { uuid } = await bench.startRun()
    expect(
      (await (await begin({ run: (await bench.stores.runs.find('all', uuid))! })).going).status,
    ).to.equal('completed')
    const run = await bench.startRun()
    const caseId = await bench.stores.runs.openCase(run.uuid, { title: 'x' })
    await bench.stores.cases.update(
      bench.organizationUuid,
      caseId,
      { severity: 'critical' },
      somebody(),
      'key',
    )
    const held = await begin({ run })
    expect(await waiting()).to.have.length(1)
    await held.halt()
  })

  it('does not offer to approve the rest of a loop, and an approval of the rest does not override a rule', async () => {
    const steps = [
      {
        id: 'each',
        foreach: ['a', 'b', 'c'],
        as: 'm',
        steps: [{ ...isolateOne, with: { machine: '${{ m }}' } }],
      },
    ]
    const rested = await begin({ steps, limit: 0 })
    expect((await waiting())[0]?.question.answers).to.deep.equal(['approve', 'approve_rest', 'refuse'])
    await setRules(ruleOf())
    await answer('approve_rest')
    rested.wakeUps.wake()
    await settle()
    expect(called()).to.have.length(1)
    const [question] = await waiting()
    expect(question).to.include({ path: 'each[1]/isolate/@approval' })
    expect(question?.question.answers).to.deep.equal(['approve', 'refuse'])
    await rested.halt()
  })

  describe('with another input or connection than the approved one', () => {
    for (const [change, more, alter] of [
      [
        'the connection',
        {},
        () => {
          connection = { name: 'edr-main', identity: 'two' }
        },
      ],
      ['the input', { names: { inputs: { machine: 'WS-8' } } }, () => {}],
    ] as const)
      it(`asks again when ${change} changed since the question, and keeps the rule`, async () => {
        await setRules(ruleOf({ approvals: 2 }))
        const steps = [{ ...isolateOne, with: { machine: '${{ inputs.machine }}' } }]
        const first = await begin({ steps, names: { inputs: { machine: 'WS-7' } } })
        await answer('approve', 'ana')
        await answer('approve', 'ben')
        await first.halt()
        await setRules()
        alter()
        const again = await begin({ steps, run: first.run, names: { inputs: { machine: 'WS-7' } }, ...more })
        expect(called()).to.deep.equal([])
        const [question] = await waiting()
        expect(question).to.include({ path: 'isolate/@approval[1]' })
        expect(question?.question.input)
          .to.have.property('message')
          .that.matches(/^The input or the connection has changed since the approval/)
        expect(question?.question.approval).to.include({ needed: 2 })
        expect(await answer('approve', 'ana')).to.equal('counted')
        await again.halt()
        const last = await begin({ steps, run: first.run, names: { inputs: { machine: 'WS-7' } }, ...more })
        expect(await answer('approve', 'ben')).to.equal('accepted')
        last.wakeUps.wake()
        expect(await last.going).to.include({ status: 'completed' })
        expect(called()).to.have.length(1)
        const { uses } = (await bench.stores.destructiveUses.list('all'))[0]!
        expect(uses).to.equal(1)
      })

    it('asks about each further item of a batch when the connection changes between two items', async () => {
      await setRules(ruleOf({ approvals: 2 }))
      const block = ({ domain }: any) => {
        if (domain === 'b.example') connection = { name: 'edr-main', identity: 'two' }
        return domain
      }
      const { going, wakeUps } = await begin({ steps: [blockEach], skills: { 'edr.block': block } })
      await answer('approve', 'ana')
      await answer('approve', 'ben')
      await setRules()
      wakeUps.wake()
      await settle()
      expect(called('edr.block')).to.have.length(2)
      expect((await waiting()).map(({ path }) => path)).to.deep.equal(['block[2]/@approval'])
      for (const [value, by] of [
        ['approve', 'ana'],
        ['approve', 'ben'],
        ['refuse', 'ana'],
      ] as const) {
        await answer(value, by)
        wakeUps.wake()
        await settle()
      }
      expect(await going).to.include({ status: 'completed' })
      expect(called('edr.block')).to.have.length(3)
    })
  })

  it('shows no sensitive values, and its digest does not help to guess them', async () => {
    await setRules(ruleOf())
    const steps = [
      {
        ...isolateOne,
        with: { machine: '${{ inputs.pin }}' },
        sensitive: { input: { fields: { machine: true } } },
      },
    ] as never
    const names = { inputs: { pin: '4711' } }
    const first = await begin({ steps, names })
    const second = await begin({ steps, names })
    const questions = await waiting()
    expect(JSON.stringify(questions)).to.not.include('4711')
    const [one, other] = questions.map(({ question }) => question.approval?.inputHash)
    expect(one).to.not.equal(other)
    const entry = await bench.stores.journal.entry(first.run.uuid, 'isolate/@approval')
    expect(entry?.sensitive).to.deep.equal({ input: { fields: { salt: true } } })
    for (const { id } of questions)
      await bench.stores.checkpoints.answer(
        id,
        { value: 'approve', text: null, sameAs: ['ana'] },
        person('ana'),
      )
    await first.halt()
    expect((await (await begin({ steps, names, run: first.run })).going).status, 'after a restart').to.equal(
      'completed',
    )
    second.wakeUps.wake()
    expect((await second.going).status).to.equal('completed')
  })

  describe('used by a foreach', () => {
    it('is one question; refused items fail and the others run', async () => {
      await setRules(ruleOf())
      const { going, wakeUps, run } = await begin({ steps: [blockEach] })
      expect(await waiting()).to.have.length(1)
      expect(await answer('approve', 'ana', [], [1, 3])).to.equal('accepted')
      wakeUps.wake()
      expect(await going).to.include({ status: 'completed' })
      expect(called('edr.block')).to.deep.equal([{ domain: 'a.example' }, { domain: 'c.example' }])
      const states = await Promise.all(
        [0, 1, 2, 3].map(async (item) => {
          const entry = await bench.stores.journal.entry(run.uuid, `block[${item}]`)
          return entry?.error?.code ?? entry?.state
        }),
      )
      expect(states).to.deep.equal(['completed', 'use_refused', 'completed', 'use_refused'])
      expect((await bench.stores.destructiveUses.list('all'))[0], 'refused items do not count').to.include({
        uses: 2,
      })
    })

    it('refuses what either of two approvers refuses, and names that person', async () => {
      await setRules(ruleOf({ approvals: 2 }))
      const { going, wakeUps, run } = await begin({ steps: [blockEach] })
      expect(await answer('approve', 'ana', [], [0])).to.equal('counted')
      expect(await answer('approve', 'ben', [], [0, 2])).to.equal('accepted')
      wakeUps.wake()
      expect(await going).to.include({ status: 'completed' })
      expect(called('edr.block')).to.deep.equal([{ domain: 'b.example' }, { domain: 'd.example' }])
      const error = async (item: number) =>
        (await bench.stores.journal.entry(run.uuid, `block[${item}]`))?.error?.message
      expect(await error(0)).to.equal('ana refused this use of edr.block')
      expect(await error(2)).to.equal('ben refused this use of edr.block')
    })

    it('calls every approved item once and no refused one, wherever the process crashes', async () => {
      await setRules(ruleOf())
      for (const when of ['before', 'after'] as const)
        for (let at = 1; ; at++) {
          bench.calls.splice(0)
          const first = await begin({ steps: [blockEach] })
          await answer('approve', 'ana', [], [1])
          await first.halt()
          const { stores, writes } = crashingStores(bench.stores, at, when)
          const options = {
            run: first.run,
            ...stores,
            destructive,
            destructiveLimits: serverLimits({ blocking: 10_000 }),
            connectionFor: async () => connection,
          }
          const skills = { 'edr.block': { interrupted: 'skip' as const, run: ({ domain }: any) => domain } }
          const died = await bench
            .go(makePlaybook({ steps: [blockEach] }), skills, options)
            .catch((error: unknown) => error)
          const again = await bench.go(makePlaybook({ steps: [blockEach] }), skills, {
            run: first.run,
            destructive,
            destructiveLimits: serverLimits({ blocking: 10_000 }),
            connectionFor: async () => connection,
          })
          expect(again.status, `${when} write ${at}`).to.equal('completed')
          const domains = called('edr.block').map((input) => (input as { domain: string }).domain)
          expect(new Set(domains).size, `${when} write ${at}: ${domains.join()}`).to.equal(domains.length)
          expect(domains).to.not.include('b.example')
          if (!(died instanceof Crash) && writes() < at) break
        }
    })

    it('bounds the question about ten thousand items with text of an attacker', async () => {
      await setRules(ruleOf())
      const foreach = Array.from(
        { length: 10_000 },
        (_, item) => `<img src=x>${'d'.repeat(40)}${item}.example`,
      )
      const { going, cancel } = await begin({ steps: [{ ...blockEach, foreach, maxItems: 10_000 }] })
      const [question] = await waiting()
      const input = question?.question.input as { message: string; inputs: readonly unknown[]; count: number }
      expect(JSON.stringify(question).length).to.be.lessThan(400_000)
      expect(input.count).to.equal(10_000)
      expect(input.message).to.include(`(the first ${input.inputs.length} of 10000)`)
      expect(input.message, 'targets are data, not part of the sentence').to.not.include('<img')
      cancel.abort()
      expect((await going).status).to.equal('cancelled')
      expect(called('edr.block')).to.deep.equal([])
    })
  })
})
