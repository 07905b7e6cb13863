import { expect } from 'chai'
import type { Run } from '../../core/domain/run.ts'
import { RunSuspended } from '../../core/engine/journal/durable-context.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { pauseMs } from '../../core/events/look-for-event.ts'
import { journalOf, openBench, testSkills, type Bench } from './support/bench.ts'
import { Crash, crashingStores, type RunStores } from './support/crashing-journal.ts'
import { makePlaybook, type StepSource } from './support/make-playbook.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

const hour = 3_600_000
type Event = NonNullable<StepSource['event']>

describe('a wait for an event', () => {
  let bench: Bench
  let clock: ManualClock
  let run: Run
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    await bench.stores.providers.create({ code: 'EDR', name: 'The EDR' }, somebody())
    run = await bench.startRun()
  })
  afterEach(() => bench.close())

  const playbookOf = (event: Partial<Event> = {}) =>
    makePlaybook({
      steps: [
        {
          id: 'reported',
          event: { type: 'isolated', where: 'event.data.machine == alert.machine', withinMs: hour, ...event },
        },
      ],
      outputs: '${{ steps.reported.output }}',
    })
  const start = (event: Partial<Event> = {}) => {
    const wakeUps = createWakeUps()
    const stop = new AbortController()
    const cancel = new AbortController()
    bench.stores.eventWaits.watch(() => wakeUps.wake())
    const going = bench.go(
      playbookOf(event),
      {},
      { run, wakeUps, stop: stop.signal, cancel: cancel.signal, names: { alert: { machine: 'm1' } } },
    )
    going.catch(() => {})
    return { going, stop, cancel }
  }
  const alert = (data: unknown, type = 'isolated') =>
    bench.stores.alerts.create({
      content: JSON.stringify(data),
      provider: 'EDR',
      organizationUuid: bench.organizationUuid,
      type,
      createdAtSource: null,
      createdBy: '00000000-0000-4000-8000-000000000000',
    })

  /** Lets the pauses between looks pass. */
  const ended = async (going: ReturnType<typeof start>['going']) => {
    const state = { isOver: false }
    const over = going.finally(() => (state.isOver = true))
    over.catch(() => {})
    for (let second = 0; second < 120 && !state.isOver; second++) await clock.advance(1_000)
    return await over
  }

  it('ends with the first alert that matches', async () => {
    const { going } = start()
    await settle()
    await clock.advance(60_000)
    const { id } = await alert({ machine: 'm1' })
    await settle()
    const { output } = await going
    expect(output).to.nested.include({
      timed_out: false,
      'event.id': id,
      'event.data.machine': 'm1',
      examined: 1,
    })
    expect(output).to.have.property('received_at', new Date(clock.now()).toISOString())
    expect(output).not.to.have.nested.property('event.content')
    await alert({ machine: 'm1' })
    expect((await start().going).output, 'on a replay').to.deep.equal(output)
  })

  it('fails after the timeout, or continues without an event', async () => {
    const { going } = start()
    await settle()
    await clock.advance(hour)
    expect(await going).to.nested.include({ status: 'failed', 'error.code': 'event_timeout' })
    run = await bench.startRun()
    const silent = start({ continues: true })
    await settle()
    await clock.advance(hour)
    expect((await silent.going).output).to.deep.equal({ timed_out: true, examined: 0, failed: 0 })
  })

  it('counts events that do not match or for which the condition fails, and goes on', async () => {
    const { going } = start()
    await settle()
    await alert({ machine: 'other' })
    await alert({ host: 'm1' })
    await alert({ machine: 'm1' }, 'something else')
    await settle()
    await clock.advance(60_000)
    await alert({ machine: 'm1' })
    expect((await ended(going)).output).to.deep.include({ examined: 3, failed: 1 })
  })

  it('says at the timeout why events did not match', async () => {
    const { going } = start({
      schema: { type: 'object', required: ['machine'], properties: { machine: {} } },
    })
    await settle()
    await alert({ host: 'm1' })
    await settle()
    await clock.advance(2 * hour)
    expect((await going).error?.message).to.equal(
      "'reported' received no matching event in time; 1 other event was examined, and the condition failed for 1: /machine is missing",
    )
  })

  it('finds an alert that was stored while no process ran, but none from after the timeout', async () => {
    const first = start()
    await settle()
    first.stop.abort()
    expect(await first.going.catch((error: unknown) => error)).to.be.instanceOf(RunSuspended)
    await alert({ machine: 'm1' })
    await clock.advance(2 * hour)
    expect((await start().going).output).to.include({ timed_out: false })

    run = await bench.startRun()
    const second = start()
    await settle()
    second.stop.abort()
    await second.going.catch(() => {})
    await clock.advance(2 * hour)
    await alert({ machine: 'm1' })
    expect((await start().going).error?.code).to.equal('event_timeout')
  })

  it('takes alerts from before the wait only with `since: run`', async () => {
    await clock.advance(10)
    await alert({ machine: 'm1' })
    const late = start()
    await settle()
    await clock.advance(hour)
    expect((await late.going).error?.code).to.equal('event_timeout')
    run = { ...(await bench.startRun()) }
    await alert({ machine: 'm1' })
    expect((await start({ sinceRun: true }).going).output).to.include({ timed_out: false })
  })

  it('looks at a flood of other alerts together', async () => {
    const { going, cancel } = start()
    await settle()
    let looks = 0
    const { next } = bench.stores.eventWaits
    bench.stores.eventWaits.next = (...given) => {
      looks++
      return next.apply(bench.stores.eventWaits, given)
    }
    for (let second = 0; second < 60; second++) {
      for (let index = 0; index < 10; index++) await alert({ machine: 'other' })
      await clock.advance(1_000)
    }
    expect(looks).to.be.below(20)
    await alert({ machine: 'm1' })
    expect((await ended(going)).output).to.include({ timed_out: false, examined: 601 })
    cancel.abort()
  })

  it('ends with its run when that is cancelled', async () => {
    const { going, cancel } = start()
    await settle()
    cancel.abort()
    expect(await going).to.include({ status: 'cancelled' })
  })

  it('may give one alert to several runs', async () => {
    const first = start()
    await settle()
    const other = await bench.startRun()
    const wakeUps = createWakeUps()
    const going = bench.go(playbookOf(), {}, { run: other, wakeUps, names: { alert: { machine: 'm1' } } })
    await settle()
    const { id } = await alert({ machine: 'm1' })
    wakeUps.wake()
    await settle()
    for (const end of [await first.going.catch(() => undefined), await going])
      if (end !== undefined) expect(end.output).to.nested.include({ 'event.id': id })
  })

  it('ends with a change of the own case that matches', async () => {
    const playbook = makePlaybook({
      steps: [
        {
          id: 'closed',
          event: { ofCase: ['closed'], where: 'event.case.verdict == "malicious"', withinMs: hour },
        },
      ],
      outputs: '${{ steps.closed.output }}',
    })
    const wakeUps = createWakeUps()
    bench.stores.eventWaits.watch(() => wakeUps.wake())
    const caseId = await bench.stores.runs.openCase(run.uuid, { title: 'A case' })
    const going = bench.go(
      playbook,
      {},
      { run: { ...run, caseId }, wakeUps, names: { case: { id: caseId } } },
    )
    await settle()
    const { organizationUuid, stores } = bench
    await stores.cases.update(
      organizationUuid,
      caseId,
      { status: 'closed', verdict: 'benign' },
      somebody(),
      'a',
    )
    await settle()
    await clock.advance(1_000)
    await stores.cases.update(organizationUuid, caseId, { status: 'open' }, somebody(), 'b')
    await stores.cases.update(
      organizationUuid,
      caseId,
      { status: 'closed', verdict: 'malicious' },
      somebody(),
      'c',
    )
    expect((await ended(going)).output).to.nested.include({
      examined: 2,
      timed_out: false,
      'event.case.verdict': 'malicious',
      'event.before.status': 'open',
    })
  })

  for (const when of ['before', 'after'] as const)
    it(`ends with the same event after a crash just ${when} each of its writes`, async () => {
      const go = async (wrap: (stores: RunStores) => object = () => ({})) => {
        run = await bench.startRun()
        let isTold = false
        const names = { alert: { machine: 'm1' } }
        const tell = async () => {
          if (isTold) return
          isTold = true
          await alert({ machine: 'other' })
          await alert({ machine: 'm1' })
        }
        const once = async (options: object) => {
          const wakeUps = createWakeUps()
          bench.stores.eventWaits.watch(() => wakeUps.wake())
          const going = bench.go(playbookOf(), {}, { run, wakeUps, names, ...options })
          going.catch(() => {})
          await settle()
          // Resolves when the wait has begun or the process has crashed.
          await tell()
          for (let second = 0; second < 3; second++) await clock.advance(1_000)
          return await going
        }
        const outcome = await once(wrap(bench.stores)).catch(async (error: unknown) => {
          if (!(error instanceof Crash)) throw error
          return await once({})
        })
        const { output } = outcome
        return {
          machine: (output as { readonly event?: { readonly data: unknown } } | null)?.event?.data,
          entries: (await journalOf(bench.stores, run.uuid)).map(({ path, state }) => `${path} ${state}`),
        }
      }
      const reference = await go()
      expect(reference.machine).to.deep.equal({ machine: 'm1' })
      const counted = crashingStores(bench.stores, Infinity, 'before')
      await go(() => counted.stores)
      // The window of a wait opens when the wait begins.
      for (let at = when === 'before' ? 2 : 1; at <= counted.writes(); at++)
        expect(await go((stores) => crashingStores(stores, at, when).stores), `write ${at}`).to.deep.equal(
          reference,
        )
    })
})

describe('a parked run that waits for an event', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    await bench.stores.providers.create({ code: 'EDR', name: 'The EDR' }, somebody())
  })
  afterEach(() => bench.close())

  const waiting = makePlaybook({ steps: [{ id: 'seen', event: { type: 'isolated', withinMs: hour } }] })
  const start = () =>
    createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => waiting,
      skills: testSkills({}, bench.calls),
    })
  const queued = () =>
    bench.stores.runs.queue({
      organizationUuid: bench.organizationUuid,
      playbookName: 'tested',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
  const alert = () =>
    bench.stores.alerts.create({
      content: '{}',
      provider: 'EDR',
      organizationUuid: bench.organizationUuid,
      type: 'isolated',
      createdAtSource: null,
      createdBy: '00000000-0000-4000-8000-000000000000',
    })
  const statusOf = async ({ uuid }: Run) => (await bench.stores.runs.find('all', uuid))?.status

  it('continues when the alert is stored', async () => {
    const runner = start()
    const run = await queued()
    runner.enqueue(run)
    await settle()
    expect([runner.load().active, await statusOf(run)]).to.deep.equal([0, 'running'])
    await alert()
    await settle()
    expect(await statusOf(run)).to.equal('completed')
    await runner.drain(0)
  })

  it('continues in the next process if this one stopped right after the alert was stored', async () => {
    const first = start()
    const run = await queued()
    first.enqueue(run)
    await settle()
    await first.drain(0)
    bench.stores.eventWaits.watch(() => {})
    await alert()
    const second = start()
    await second.recover()
    await settle()
    expect(await statusOf(run)).to.equal('completed')
    await second.drain(0)
  })
})

describe('pauseMs', () => {
  it('grows with the number of looks that found nothing, up to half a minute', () => {
    expect([0, 1, 2, 5, 6, 1_000].map(pauseMs)).to.deep.equal([0, 1_000, 2_000, 16_000, 30_000, 30_000])
  })
})
