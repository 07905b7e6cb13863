import { expect } from 'chai'
import { undoOf, type DestructiveSkill } from '../../core/engine/skills/skill-caller.ts'
import { definePlugin, TocsinError } from '../../core/plugin/index.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingStores } from './support/crashing-journal.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { ManualClock } from './support/manual-clock.ts'

const undo: DestructiveSkill['undo'] = (input, output) => ({
  skill: 'edr.release',
  input: {
    machine: (input as { machine: string }).machine,
    ticket: (output as { ticket: number } | undefined)?.ticket,
  },
})
const changedNothing = (output: unknown) => (output as { adopted?: boolean }).adopted === true
const destructive = {
  'edr.isolate': { class: 'containment', undo, changedNothing },
  'edr.release': { class: 'containment' },
} as const

const isolate = { id: 'isolate', uses: 'edr.isolate', with: { machine: 'WS-1' } }
const release = { id: 'release', uses: 'edr.release', with: { machine: 'WS-1', comment: 'clean' } }

describe('containments of a run', () => {
  let bench: Bench

  beforeEach(async () => void (bench = await openBench(new ManualClock())))
  afterEach(() => bench.close())

  async function go(steps: readonly object[], skills: TestSkills) {
    const run = await bench.startRun()
    return await bench.go(makePlaybook({ steps }), skills, { run, destructive })
  }
  const found = async () =>
    (await bench.stores.containments.list('all', { limit: 50 }, {})).data.map(
      ({ state, action, connection }) => [state, action.outcome, connection],
    )
  const accepts: TestSkills = { 'edr.isolate': () => ({ ticket: 7 }), 'edr.release': () => ({}) }

  it('are recorded with the connection that was used', async () => {
    await go([isolate], accepts)
    expect(await found()).to.deep.equal([['active', 'accepted', 'chat']])
  })

  it('end when a later step undoes them', async () => {
    await go([isolate, { ...release, with: { machine: 'WS-1', ticket: 7, comment: 'clean' } }], accepts)
    expect(await found()).to.deep.equal([['undone', 'accepted', 'chat']])
  })

  it('stay active if the other system refuses to undo them, and are unknown if it does not answer', async () => {
    const undoing = (code: string) => ({
      ...accepts,
      'edr.release': () => {
        throw new TocsinError(code, 'no')
      },
    })
    const steps = [isolate, { ...release, with: { machine: 'WS-1', ticket: 7 } }]
    await go(steps, undoing('http_403'))
    expect(await found()).to.deep.equal([['active', 'accepted', 'chat']])
    await go(steps, undoing('http_500'))
    expect((await found())[0]).to.deep.equal(['unknown', 'accepted', 'chat'])
  })

  it('are not recorded if the other system refused, or if nothing changed', async () => {
    const refuses = () => {
      throw new TocsinError('http_403', 'forbidden')
    }
    await go([isolate], { 'edr.isolate': refuses })
    await go([isolate], { 'edr.isolate': () => ({ adopted: true }) })
    expect(await found()).to.deep.equal([])
  })

  it('expire as the step says, counted from the outcome of the call', async () => {
    const undo = { afterMs: 3_600_000, unless: "case.verdict == 'malicious'" }
    await go([{ ...isolate, undo }], accepts)
    const { data } = await bench.stores.containments.list('all', { limit: 50 }, {})
    expect(data.map(({ expiresAt, unless, createdAt }) => [expiresAt! - createdAt, unless])).to.deep.equal([
      [3_600_000, "case.verdict == 'malicious'"],
    ])
  })

  it('expire if the outcome of the call is unknown, too', async () => {
    const lost = () => {
      throw new TocsinError('bad_response', 'unreadable', { effect: 'unknown' })
    }
    await go([{ ...isolate, undo: { afterMs: 5 }, onInterrupted: 'fail' }], {
      'edr.isolate': { interrupted: 'ask', run: lost },
    })
    const { data } = await bench.stores.containments.list('all', { limit: 50 }, {})
    expect(
      data.map(({ action, expiresAt, createdAt }) => [action.outcome, expiresAt! - createdAt]),
    ).to.deep.equal([['unknown', 5]])
  })

  for (const onInterrupted of ['fail', 'skip'] as const)
    it(`are made by a call that a crash interrupted, if the step says ${onInterrupted}`, async () => {
      const run = await bench.startRun()
      const { stores } = crashingStores(bench.stores, 1, 'after')
      const go = (journal = bench.stores.journal) =>
        bench.go(makePlaybook({ steps: [{ ...isolate, onInterrupted }] }), accepts, {
          run,
          destructive,
          journal,
        })
      expect(await go(stores.journal).catch((error: unknown) => error)).to.be.instanceOf(Crash)
      await go()
      expect(bench.calls).to.deep.equal([])
      expect(await found()).to.deep.equal([['active', 'unknown', null]])
    })

  it('are not made at all if nothing can undo them and the step says when', async () => {
    const outcome = await go([{ ...release, undo: { afterMs: 5 } }], accepts)
    expect(outcome.error).to.deep.include({
      code: 'undo_missing',
      message: 'nothing undoes edr.release, so the step called nothing',
    })
    expect(bench.calls).to.deep.equal([])
  })

  it('are recorded exactly once, wherever the process crashes', async () => {
    for (let at = 1; at < 20; at++)
      for (const when of ['before', 'after'] as const) {
        const run = await bench.startRun()
        const { stores } = crashingStores(bench.stores, at, when)
        const start = (journal = bench.stores.journal) =>
          bench.go(makePlaybook({ steps: [isolate] as never }), accepts, { run, destructive, journal })
        const crashed = await start(stores.journal).then(
          () => false,
          (error: unknown) => error instanceof Crash,
        )
        if (crashed) await start()
        const { data } = await bench.stores.containments.list('all', { limit: 200 }, {})
        expect(
          data.filter(({ action }) => action.run_uuid === run.uuid),
          `${when} write ${at}`,
        ).to.have.length(1)
        if (!crashed) return
      }
    expect.fail('the run never ended')
  })
})

describe('the action of a call that failed', () => {
  let bench: Bench

  beforeEach(async () => void (bench = await openBench(new ManualClock())))
  afterEach(() => bench.close())

  async function outcomeOf(error: Error, effect?: 'none' | 'unknown') {
    const run = await bench.startRun()
    const skills: TestSkills = {
      'edr.isolate': (_input, { onEffect }) => {
        if (effect !== undefined) onEffect?.(effect)
        throw error
      },
    }
    await bench.go(makePlaybook({ steps: [isolate] }), skills, { run, destructive })
    const caseId = await bench.stores.runs.openCase(run.uuid, { title: 'Malware' })
    const { data } = await bench.stores.cases.actions('all', caseId, 1)
    return data[0]?.outcome
  }

  it('failed if the input is invalid or the other system refused', async () => {
    for (const code of ['value_invalid', 'http_403', 'machine_not_found'])
      expect(await outcomeOf(new TocsinError(code, 'no')), code).to.equal('failed')
  })

  it('is unknown if something may have changed, also by an earlier request of the call', async () => {
    for (const code of ['http_500', 'network_error', 'bad_response'])
      expect(await outcomeOf(new TocsinError(code, 'no')), code).to.equal('unknown')
    expect(await outcomeOf(new Error('bug'))).to.equal('unknown')
    expect(await outcomeOf(new TocsinError('action_failed', 'no'), 'unknown')).to.equal('unknown')
    expect(await outcomeOf(new TocsinError('refused', 'no', { effect: 'none' }), 'unknown')).to.equal(
      'failed',
    )
  })
})

describe('the undo of a call', () => {
  it('is that of the skill, unless the skill restores or the input depends on an unknown output', async () => {
    const catalogue = await discoverPlugins({ pluginsDir: `${import.meta.dirname}/../../plugins` })
    const of = (name: string, input: object, output?: object) => undoOf(catalogue.skill(name)!, input, output)
    expect(of('entra_id.disable_user', { user: 'eve' })).to.deep.equal({
      skill: 'entra_id.enable_user',
      input: { user: 'eve' },
      call: { input: { user: 'eve' } },
    })
    expect(of('entra_id.enable_user', { user: 'eve' })).to.equal(undefined)
    expect(of('entra_id.revoke_sessions', { user: 'eve' })).to.equal(undefined)
    expect(of('crowdstrike.create_ioc', {}, { ioc_id: 'i1' })?.input).to.deep.include({ ioc_id: 'i1' })
    const text = { type: 'string', 'x-sensitive': true } as const
    const shape = { title: 'T', description: 'D.', effect: 'write', repeat: 'safe', examples: [] } as const
    const plugin = (code: object) =>
      definePlugin({
        name: 'edr',
        title: 'EDR',
        description: 'EDR.',
        skills: [
          {
            ...shape,
            name: 'isolate',
            destructive: 'containment',
            input: { type: 'object' },
            output: { type: 'object', properties: { token: text } },
            undoneBy: {
              skill: 'release',
              input: (_: unknown, { token }: { readonly token: string }) => ({ code: `t ${token}` }),
            },
            run: async () => ({}),
          },
          {
            ...shape,
            name: 'release',
            input: { type: 'object', properties: { code } },
            output: { type: 'object' },
            run: async () => ({}),
          },
        ],
      })
    const undo = (code: object) =>
      undoOf(buildCatalogue([plugin(code)]).skill('edr.isolate')!, {}, { token: 'secret-4711' })?.input
    expect(undo(text)).to.deep.equal({ code: 't secret-4711' })
    expect(undo({ type: 'string' }), 'it would be shown').to.equal(undefined)
    for (const name of ['crowdstrike.create_ioc', 'endpoint_security.create_indicator'])
      expect(of(name, {}), name).to.deep.include({ input: undefined })
  })
})
