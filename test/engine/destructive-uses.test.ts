import { expect } from 'chai'
import { serverLimits } from '../../core/destructive/policy.ts'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { TocsinError } from '../../core/plugin/index.ts'
import { somebody } from '../support/somebody.ts'
import { openBench, type Bench, type TestSkills } from './support/bench.ts'
import { Crash, crashingStores } from './support/crashing-journal.ts'
import { makePlaybook, type StepSource } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'

/** The isolated machines; the skill checks before it acts, like `verify`. */
function machines() {
  const isolated = new Set<string>()
  const nameOf = (input: unknown) => (input as { readonly machine: string }).machine
  const isolate = {
    interrupted: 'verify',
    verify: async (input: unknown) => (isolated.has(nameOf(input)) ? { adopted: true } : undefined),
    run: (input: unknown) => {
      const adopted = isolated.has(nameOf(input))
      isolated.add(nameOf(input))
      return { adopted }
    },
  } as const
  return { isolated, isolate }
}

const changedNothing = (output: unknown) => (output as { readonly adopted?: boolean }).adopted === true
const destructive = {
  'edr.isolate': { class: 'containment', changedNothing },
  'edr.block': { class: 'blocking' },
} as const
const isolateOne = { id: 'isolate', uses: 'edr.isolate', with: { machine: 'WS-1' } }
const block = (more: object = {}): StepSource => ({
  id: 'block',
  foreach: ['a', 'b', 'c'],
  as: 'domain',
  uses: 'edr.block',
  with: { domain: '${{ domain }}' },
  ...more,
})

describe('uses of destructive skills', () => {
  let bench: Bench
  let clock: ManualClock

  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const blocked: string[] = []
  const blocking: TestSkills = {
    'edr.block': (input) => {
      const { domain } = input as { readonly domain: string }
      blocked.push(domain)
      return domain
    },
  }
  beforeEach(() => void blocked.splice(0))

  interface More {
    readonly run?: Run
    readonly skills?: TestSkills
    readonly limit?: number
  }

  async function begin(steps: readonly StepSource[], { run, skills = blocking, limit = 2 }: More = {}) {
    const wakeUps = createWakeUps()
    const stop = new AbortController()
    const own = run ?? (await bench.startRun())
    const going = bench.go(makePlaybook({ steps }), skills, {
      run: own,
      wakeUps,
      stop: stop.signal,
      destructive,
      destructiveLimits: serverLimits({ containment: limit, blocking: limit }),
    })
    going.catch(() => {})
    await settle()
    const halt = async () => {
      stop.abort()
      expect(await going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    }
    return { run: own, going, wakeUps, halt }
  }
  const waiting = async () =>
    (await bench.stores.checkpoints.list('all', { limit: 50 }, { state: 'waiting' })).data
  const answer = async (value: string, wakeUps: { wake(): void }) => {
    const [question] = await waiting()
    await bench.stores.checkpoints.answer(question!.id, { value, text: null }, somebody('kim'))
    wakeUps.wake()
    await settle()
  }
  const counted = async () =>
    (await bench.stores.destructiveUses.list('all')).map(({ uses, held }) => [uses, held])

  describe('without a change', () => {
    it("do not count if the skill's output says so", async () => {
      const { isolate } = machines()
      const skills = { 'edr.isolate': { run: isolate.run } }
      for (let n = 0; n < 5; n++)
        expect((await (await begin([isolateOne], { skills })).going).status).to.equal('completed')
      expect(await counted()).to.deep.equal([[1, 0]])
    })

    it('need no approval: polling a containment takes any time', async () => {
      const { isolate } = machines()
      const skills = { 'edr.isolate': isolate }
      const repeat = { until: 'false', everyMs: 60_000, max: 12 }
      const polling = await begin([{ ...isolateOne, repeat, onError: 'continue' }], { skills, limit: 1 })
      for (let n = 0; n < 12; n++) await clock.advance(60_000)
      expect(await polling.going).to.include({ status: 'completed' })
      expect(bench.calls.filter(({ purpose }) => purpose === 'run')).to.have.length(1)
      expect(await waiting()).to.deep.equal([])
      expect(await counted()).to.deep.equal([[1, 0]])
    })

    it('do not count during a poll, so that another run has the full limit', async () => {
      const { isolated, isolate } = machines()
      isolated.add('WS-2')
      const polled = { ...isolateOne, with: { machine: 'WS-2' } }
      const late = {
        ...isolate,
        verify: async (input: unknown) => {
          if (bench.calls.length < 3) return undefined
          await clock.sleep(600_000, new AbortController().signal)
          return isolate.verify(input)
        },
      }
      const repeat = { until: 'false', everyMs: 1_000, max: 5 }
      const polling = await begin([{ ...polled, repeat }], { skills: { 'edr.isolate': late }, limit: 1 })
      await clock.advance(1_000)
      await clock.advance(1_000)
      const other = await begin([isolateOne], { skills: { 'edr.isolate': isolate }, limit: 1 })
      expect(await other.going).to.include({ status: 'completed' })
      await polling.halt()
    })

    it('start despite the limit if their effect already exists', async () => {
      const { isolated, isolate } = machines()
      const skills = { 'edr.isolate': isolate }
      isolated.add('WS-1')
      const { going } = await begin([isolateOne], { skills, limit: 0 })
      expect(await going).to.include({ status: 'completed' })
      isolated.clear()
      const other = await begin([isolateOne], { skills, limit: 0 })
      expect(await waiting()).to.have.length(1)
      expect(isolated.size).to.equal(0)
      await other.halt()
    })

    it('wait for approval if the other system cannot be reached', async () => {
      const verify = () => {
        throw new TocsinError('http_403', 'no')
      }
      const { isolate } = machines()
      const { halt } = await begin([isolateOne], {
        skills: { 'edr.isolate': { ...isolate, verify } },
        limit: 0,
      })
      expect(await waiting()).to.have.length(1)
      await halt()
    })

    it('do not count if certainly nothing was sent, and otherwise count', async () => {
      const failing = (code: string) => ({
        'edr.isolate': () => {
          throw new TocsinError(code, 'no')
        },
      })
      const end = async (code: string) => {
        const { going } = await begin([isolateOne], { skills: failing(code) })
        expect((await going).error).to.include({ code })
      }
      await end('http_429')
      expect(await counted()).to.deep.equal([])
      await end('http_500')
      expect(await counted()).to.deep.equal([[1, 0]])
    })
  })

  describe('in the items of a group', () => {
    const group = (more: object = {}): StepSource => ({
      id: 'each',
      foreach: ['a', 'b', 'c', 'd', 'e'],
      as: 'domain',
      steps: [{ id: 'block', uses: 'edr.block', with: { domain: '${{ domain }}' } }],
      ...more,
    })

    it('over the limit can all be approved by one answer', async () => {
      const { wakeUps, going } = await begin([group()])
      const [question] = await waiting()
      expect(question?.question.answers).to.deep.equal(['approve', 'approve_rest', 'refuse'])
      expect(question?.question.input).to.deep.include({
        message:
          '2 blocking actions within the last hour in this organization; the limit without approval is 2 per hour. ' +
          'Approve this use of edr.block, with the input below? ' +
          'The step is in a loop: you can also approve this and every further use of edr.block in this run, whatever its input.',
        labels: {
          approve: 'Approve this use',
          approve_rest: 'Approve every further use of edr.block in this run',
          refuse: 'Refuse it',
        },
        styles: { approve: 'danger', approve_rest: 'danger' },
      })
      await answer('approve_rest', wakeUps)
      expect(await going).to.include({ status: 'completed' })
      expect(blocked).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
      expect(await counted()).to.deep.equal([[5, 0]])
      const { data } = await bench.stores.audit.list('all', { action: 'skill.held' }, { limit: 50 })
      expect(data).to.have.length(1)
    })

    it('are asked about one by one if each use needs its own approval', async () => {
      const { wakeUps, going } = await begin([group()])
      for (let n = 0; n < 3; n++) await answer('approve', wakeUps)
      expect(await going).to.include({ status: 'completed' })
      expect(blocked).to.have.length(5)
    })

    it('stay approved after a restart and in batches, but not in another run', async () => {
      const wait = { id: 'pause', wait: 60_000 }
      const inner = { ...block(), as: 'inner', with: { domain: '${{ inner }}' } }
      const steps = [group({ steps: [wait, inner], foreach: ['x', 'y'] })]
      const first = await begin(steps)
      await clock.advance(60_000)
      await answer('approve_rest', first.wakeUps)
      await first.halt()
      expect(blocked).to.deep.equal(['a', 'b', 'c'])
      const again = await begin(steps, { run: first.run })
      await clock.advance(60_000)
      expect(await again.going).to.include({ status: 'completed' })
      expect(blocked).to.have.length(6)
      const other = await begin([group()])
      expect(await waiting()).to.have.length(1)
      expect(blocked).to.have.length(6)
      await other.halt()
    })

    it('still need an answer after a restart if only single uses were approved', async () => {
      const first = await begin([group()])
      await answer('approve', first.wakeUps)
      expect((await waiting())[0]).to.include({ path: 'each[3]/block/@approval' })
      await first.halt()
      const again = await begin([group()], { run: first.run })
      await answer('approve', again.wakeUps)
      expect((await waiting())[0]).to.include({ path: 'each[4]/block/@approval' })
      expect(blocked).to.deep.equal(['a', 'b', 'c', 'd'])
      await again.halt()
    })

    it('are approved for the skill of the question, not for others of its class', async () => {
      const skills: TestSkills = { ...blocking, 'edr.isolate': () => 'isolated' }
      const isolateEach = { ...isolateOne, with: { machine: '${{ domain }}' } }
      const steps = [group(), { ...group({ id: 'next', steps: [isolateEach] }) }]
      const { wakeUps, halt } = await begin(steps, { skills })
      await answer('approve_rest', wakeUps)
      const [question] = await waiting()
      expect(question).to.include({ path: 'next[2]/isolate/@approval' })
      await halt()
    })

    it('offer no answer for the rest outside a loop', async () => {
      const { halt } = await begin([isolateOne], { skills: { 'edr.isolate': () => 'isolated' }, limit: 0 })
      expect((await waiting())[0]?.question.answers).to.deep.equal(['approve', 'refuse'])
      await halt()
    })
  })

  describe('that begin together', () => {
    it('are one question that lists every input, and all run when approved', async () => {
      const { wakeUps, going } = await begin([block()])
      const [question, ...others] = await waiting()
      expect(others).to.deep.equal([])
      expect(question).to.include({ path: 'block/@approval', stepId: 'block' })
      expect(question?.question.input).to.deep.equal({
        message:
          '0 blocking actions within the last hour in this organization; the limit without approval is 2 per hour. ' +
          'Approve these 3 blocking actions of edr.block, with the inputs below?',
        skill: 'edr.block',
        class: 'blocking',
        count: 3,
        inputs: [{ domain: 'a' }, { domain: 'b' }, { domain: 'c' }],
        labels: { approve: 'Approve all 3', refuse: 'Refuse all 3' },
        styles: { approve: 'danger' },
      })
      expect(blocked).to.deep.equal([])
      expect(await counted()).to.deep.equal([[0, 3]])
      await answer('approve', wakeUps)
      expect(await going).to.include({ status: 'completed' })
      expect(blocked).to.deep.equal(['a', 'b', 'c'])
      expect(await counted()).to.deep.equal([[3, 0]])
    })

    for (const concurrency of [1, 3])
      it(`need no approval within the limit and count before the first: ${concurrency} at a time`, async () => {
        expect(await (await begin([block({ concurrency })], { limit: 3 })).going).to.include({
          status: 'completed',
        })
        const next = await begin([block({ foreach: ['d', 'e'], concurrency })], { limit: 4 })
        expect(await waiting()).to.have.length(1)
        expect(blocked.toSorted()).to.deep.equal(['a', 'b', 'c'])
        await next.halt()
      })

    it('are asked about once if two runs begin them at the same time', async () => {
      const [first, second] = await Promise.all([
        begin([block()], { limit: 4 }),
        begin([block()], { limit: 4 }),
      ])
      expect(await waiting()).to.have.length(1)
      expect(blocked).to.deep.equal(['a', 'b', 'c'])
      await Promise.any([first.going, second.going])
      await Promise.allSettled([first.halt(), second.halt()])
    })

    it('all fail when refused', async () => {
      const { wakeUps, going, run } = await begin([block({ onItemError: 'continue' })])
      await answer('refuse', wakeUps)
      expect(await going).to.include({ status: 'completed' })
      expect(blocked).to.deep.equal([])
      const failed = (await bench.stores.journal.entries(run.uuid)).filter(({ error }) => error !== null)
      expect(failed.map(({ path, error }) => [path, error?.code])).to.deep.equal(
        [0, 1, 2].map((index) => [`block[${index}]`, 'use_refused']),
      )
      const stops = await begin([block()])
      await answer('refuse', stops.wakeUps)
      expect((await stops.going).error).to.include({ code: 'use_refused' })
    })

    it('are approved with the inputs shown', async () => {
      const timed = block({ with: { domain: '${{ domain + string(now) }}' } })
      const { wakeUps, going } = await begin([timed])
      const [question] = await waiting()
      const { inputs } = question!.question.input as {
        readonly inputs: readonly { readonly domain: string }[]
      }
      await clock.advance(60_000)
      await answer('approve', wakeUps)
      expect(await going).to.include({ status: 'completed' })
      expect(blocked).to.deep.equal(inputs.map(({ domain }) => domain))
    })

    it('release the quota of uses that did not start', async () => {
      const skills: TestSkills = {
        'edr.block': () => {
          throw new TocsinError('http_500', 'no')
        },
      }
      expect((await (await begin([block()], { limit: 3, skills })).going).status).to.equal('failed')
      expect(await counted()).to.deep.equal([[1, 0]])
    })

    it('are asked about and run once, wherever the process crashes', async () => {
      for (const [limit, when, writes] of [
        [2, 'before', 3],
        [2, 'after', 3],
        [1_000, 'after', 8],
      ] as const) {
        for (let at = 1; at <= writes; at++) {
          blocked.splice(0)
          const before = (await counted())[0]?.[0] ?? 0
          const run = await bench.startRun()
          const { stores } = crashingStores(bench.stores, at, when)
          const options = {
            run,
            ...stores,
            destructive,
            destructiveLimits: serverLimits({ blocking: limit }),
          }
          const died = await bench
            .go(makePlaybook({ steps: [block()] }), blocking, options)
            .catch((error: unknown) => error)
          expect(died, `${when} write ${at}`).to.be.instanceOf(Crash)
          const { going, wakeUps } = await begin([block()], { run, limit })
          if (limit === 2) {
            expect(await waiting(), `${when} write ${at}`).to.have.length(1)
            await answer('approve', wakeUps)
          }
          expect(await going).to.include({ status: 'completed' })
          expect((await counted())[0]?.[0], `${when} write ${at}`).to.equal(before + 3)
        }
      }
    })
  })
})
