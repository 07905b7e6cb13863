import { expect } from 'chai'
import { interpret } from '../../core/engine/steps/interpreter.ts'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { systemClock } from '../../server/clock.ts'
import { openBench, testSkills, type Bench, type SeenCall, type TestSkills } from './support/bench.ts'
import { Crash } from './support/crashing-journal.ts'
import { everyKind, playbooks, World } from './support/every-kind.ts'
import { makePlaybook } from './support/make-playbook.ts'
import { openNamedContext } from './support/named-context.ts'
import { NamedEngine, nothingKept, type Kept } from './support/named-engine.ts'

const uuid = '00000000-0000-4000-8000-000000000001'
const startedAt = systemClock.now()
const log = { debug() {}, info() {}, warn() {}, error() {} }
const names = { alert: { user: 'adam' }, inputs: {} }

/** A context for another engine, built only from core/engine/README.md. */
describe('a second adapter of the durable context', function () {
  this.timeout(60_000)

  interface Dies {
    readonly at: number
    readonly when: 'before' | 'after'
  }

  /** One process: rejects with Crash when it dies. */
  async function live(kept: Kept, playbook: Playbook, skills: TestSkills, calls: SeenCall[], dies?: Dies) {
    const engine = new NamedEngine(kept, systemClock, dies)
    const drawId = (path: string) => `id of ${path}`
    const context = openNamedContext({
      uuid,
      startedAt,
      engine,
      clock: systemClock,
      log,
      drawId,
    })
    const run = { uuid, organizationUuid: 'org', playbookName: 'x', openCase: async () => undefined }
    const inputs = { run, names, playbooks }
    const outcome = await interpret(playbook, inputs, context, testSkills(skills, calls))
    return { outcome, writes: engine.writes }
  }

  const answerIn = (kept: Kept) => async (id: string) => {
    const answer = { value: 'yes', by: 'eve', text: null, at: systemClock.now() }
    await new NamedEngine(kept, systemClock).resolve(`${id.slice('id of '.length)}/@answer`, {
      state: 'answered',
      answer,
    })
  }

  async function whole(...deaths: readonly Dies[]) {
    const kept = nothingKept()
    const world = new World()
    const skills = world.skills(answerIn(kept))
    const calls: SeenCall[] = []
    let crashed = 0
    for (const dies of deaths) {
      try {
        return {
          ...(await live(kept, everyKind, skills, calls, dies)),
          crashed,
          effects: world.effects,
          calls,
          kept,
        }
      } catch (error) {
        if (!(error instanceof Crash)) throw error
        crashed++
      }
    }
    return { ...(await live(kept, everyKind, skills, calls)), crashed, effects: world.effects, calls, kept }
  }

  const callsOf = (calls: readonly SeenCall[]) =>
    calls
      .map(({ purpose, skill, input, key, attempt }) => {
        const { checkpoint_id: _, ...given } = (input ?? {}) as Record<string, unknown>
        return JSON.stringify([purpose, skill, key.slice(key.indexOf('/')), given, attempt])
      })
      .toSorted()

  describe('without a crash', () => {
    let bench: Bench
    before(async () => {
      bench = await openBench(systemClock)
    })
    after(() => bench.close())

    it('ends the same as the first, with the same calls', async () => {
      const { outcome, calls } = await whole()
      const world = new World()
      const skills = world.skills(async (id) => {
        await bench.stores.checkpoints.answer(id, { value: 'yes', text: null }, {
          kind: 'user',
          id: 'eve',
          name: 'eve',
        } as never)
      })
      const ours: RunOutcome = await bench.go(everyKind, skills, { names, playbooks })
      expect(outcome).to.deep.equal(ours)
      expect(callsOf(calls)).to.deep.equal(callsOf(bench.calls))
    })
  })

  for (const when of ['before', 'after'] as const)
    it(`ends the same if the process crashes just ${when} each of its writes`, async () => {
      const reference = await whole()
      expect(reference.writes).to.be.greaterThan(70)
      for (let at = 1; at <= reference.writes; at++) {
        const place = `write ${at}`
        const { outcome, crashed, effects } = await whole({ at, when })
        expect(crashed, place).to.equal(1)
        expect(outcome, place).to.deep.equal(reference.outcome)
        expect([...effects.keys()].toSorted(), place).to.deep.equal([...reference.effects.keys()].toSorted())
        for (const [effect, times] of effects)
          expect(times, `${place}: ${effect}`).to.be.at.most(effect.startsWith('isolate') ? 1 : 2)
      }
    })

  it('leaves a non-repeatable step to a person, and follows the decision', async () => {
    for (const [decision, output, times] of [
      ['ran', 'by hand', 1],
      ['run_again', 'scanned', 2],
    ] as const) {
      const kept = nothingKept()
      let scans = 0
      const skills: TestSkills = { scan: { interrupted: 'ask', run: () => (scans++, 'scanned') } }
      const playbook = makePlaybook({ steps: [{ id: 'a', uses: 'scan' }], outputs: '${{ steps.a.output }}' })
      // Three writes: its intent, its start, and its result, which is lost.
      const death = await live(kept, playbook, skills, [], { at: 3, when: 'before' }).catch(
        (error: unknown) => error,
      )
      expect(death).to.be.instanceOf(Crash)
      const next = live(kept, playbook, skills, [])
      await new NamedEngine(kept, systemClock).resolve('a/@decision1', { decision, output: 'by hand' })
      expect((await next).outcome.output).to.equal(output)
      expect(scans).to.equal(times)
    }
  })
})
