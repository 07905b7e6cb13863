import { expect } from 'chai'
import { createContainmentExpiry, type ContainmentExpiry } from '../../core/destructive/containment-expiry.ts'
import type { Expiry } from '../../core/destructive/containment.ts'
import { createRunControl } from '../../core/engine/turns/run-control.ts'
import type { Run } from '../../core/domain/run.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { ContainmentStore } from '../../core/ports/runs/containment-store.ts'
import { openBench, type Bench } from '../engine/support/bench.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'
import { edrCatalogue } from './edr.ts'

const hour = 3_600_000
const malicious = "case.verdict == 'malicious'"

describe('the expiry of containments', () => {
  let clock: ManualClock
  let bench: Bench
  let started: Run[]
  let expiry: ContainmentExpiry | undefined

  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    started = []
  })
  afterEach(async () => {
    await expiry?.stop()
    expiry = undefined
    await bench.close()
  })

  async function start(containments: Partial<ContainmentStore> = {}): Promise<void> {
    const { stores, log } = bench
    const library = await openPlaybookLibrary({
      store: stores.playbooks,
      catalogue: edrCatalogue,
      log,
      files: playbookFilesIn('/nowhere'),
      known: async () => ({ connections: [], providers: [] }),
    })
    const all = new Proxy(stores.containments, {
      get: (store, name: keyof ContainmentStore) => containments[name] ?? store[name].bind(store),
    })
    const runner = { enqueue: (run: Run) => void started.push(run), wake() {}, cancel() {} }
    expiry = createContainmentExpiry({
      stores: { ...stores, containments: all },
      catalogue: edrCatalogue,
      playbooks: library,
      control: createRunControl({ stores, runner, clock, schemas: () => undefined }),
      clock,
      log,
    })
    expiry.start()
    await clock.advance(0)
  }

  async function contained(
    given: Partial<Expiry> = {},
    {
      skill = 'edr.release',
      input = { machine: 'WS-1' },
      withCase = true,
    }: { readonly skill?: string; readonly input?: object | null; readonly withCase?: boolean } = {},
  ) {
    const { stores } = bench
    const { uuid } = await bench.startRun()
    const destructive = { class: 'containment', input: { machine: 'WS-1' } } as const
    const step = { path: 'a', stepId: 'a', kind: 'edr.isolate', input: destructive.input, attempt: 1 }
    if (withCase) await stores.runs.openCase(uuid, { title: 'Malware' })
    await stores.journal.begin(uuid, { ...step, startedAt: clock.now(), destructive })
    await stores.journal.end(uuid, 'a', {
      state: 'completed',
      output: {},
      error: null,
      attempt: 1,
      endedAt: clock.now(),
      call: {
        connection: null,
        contains: { skill, input: (input ?? undefined) as never },
        expiry: { afterMs: hour, ...given },
      },
    })
    return (await stores.containments.list('all', { limit: 1 }, {})).data[0]!
  }
  const now = async (id: string) => (await bench.stores.containments.find('all', id))!

  it('starts the run that undoes it, at that time and once', async () => {
    await start()
    const one = await contained()
    await clock.advance(hour - 1)
    expect(started).to.deep.equal([])
    await clock.advance(1)
    expect(started.map(({ playbookName, inputs, caseId }) => [playbookName, inputs, caseId])).to.deep.equal([
      ['undo-edr-release', { machine: 'WS-1' }, one.caseId],
    ])
    expect(await now(one.id)).to.deep.include({ state: 'undoing', undoRunUuid: started[0]!.uuid })
    await clock.advance(24 * hour)
    expect(started).to.have.length(1)
    const { data } = await bench.stores.audit.list('all', {}, { limit: 1 })
    expect(data[0]).to.deep.include({
      action: 'run.started',
      actor: { kind: 'server', id: 'server', name: 'containment expiry' },
    })
  })

  it('fires after a downtime, once for each containment', async () => {
    const ids = [await contained(), await contained(), await contained()].map(({ id }) => id)
    await start()
    await expiry?.stop()
    clock.jump(10 * hour)
    await start()
    expect(started).to.have.length(3)
    expect(await Promise.all(ids.map(async (id) => (await now(id)).state))).to.deep.equal(
      Array.from({ length: 3 }, () => 'undoing'),
    )
  })

  it('handles more than it reads at a time', async () => {
    for (let n = 0; n < 120; n++) await contained()
    clock.jump(hour)
    await start()
    expect(new Set(started.map(({ uuid }) => uuid)).size).to.equal(120)
  })

  it('takes up an earlier expiry of a new containment, and a later one of an extended one', async () => {
    await start()
    const late = await contained({ afterMs: 5 * hour })
    const soon = await contained()
    await clock.advance(hour)
    expect(started).to.have.length(1)
    expect((await now(soon.id)).state).to.equal('undoing')
    await bench.stores.containments.extend(late.id, { until: clock.now() + 10 * hour }, somebody())
    await clock.advance(9 * hour)
    expect(started).to.have.length(1)
    await bench.stores.containments.extend(late.id, { until: clock.now() + 60_000 }, somebody())
    await clock.advance(60_000)
    expect(started).to.have.length(2)
  })

  it('notices a change of the system clock', async () => {
    await start()
    await contained()
    await clock.advance(0)
    clock.jump(2 * hour)
    await clock.advance(5 * 60_000)
    expect(started).to.have.length(1)
  })

  it('leaves to people what has no expiry', async () => {
    await start()
    const { id } = await contained()
    await bench.stores.containments.extend(id, { until: null }, somebody())
    await clock.advance(400 * 24 * hour)
    expect(started).to.deep.equal([])
    expect((await now(id)).state).to.equal('active')
  })

  it('lets it stay if the condition is true by then, and says why', async () => {
    await start()
    const { id, caseId } = await contained({ unless: malicious })
    await bench.stores.cases.update(
      bench.organizationUuid,
      caseId!,
      { verdict: 'malicious' },
      somebody(),
      'v',
    )
    await clock.advance(hour)
    expect(started).to.deep.equal([])
    const note = `${malicious} is true`
    expect(await now(id)).to.deep.include({ state: 'active', expiresAt: null, note })
    const timeline = await bench.stores.cases.timeline('all', caseId!, { limit: 1 })
    expect(timeline.data[0]?.text).to.equal(
      `The containment by edr.isolate (machine: WS-1) stays in effect until people undo it: ${note}.`,
    )
    await clock.advance(100 * hour)
    expect(started).to.deep.equal([])
  })

  it('undoes it if the condition is false by then', async () => {
    await start()
    const { id } = await contained({ unless: malicious })
    await clock.advance(hour)
    expect((await now(id)).state).to.equal('undoing')
  })

  it('neither keeps nor undoes it if the condition cannot be evaluated', async () => {
    await start()
    const without = await contained({ unless: malicious }, { withCase: false })
    const broken = await contained({ unless: '1 +' })
    const failing = await contained({ unless: "[true][size(case.title)] || case.title == ''" })
    await clock.advance(hour)
    expect(started).to.deep.equal([])
    for (const [{ id }, message] of [
      [without, /^case\.verdict == 'malicious' cannot be evaluated: /],
      [broken, /^1 \+ cannot be evaluated: /],
      [failing, /cannot be evaluated: /],
    ] as const) {
      const { state, note } = await now(id)
      expect([state, note]).to.satisfy(([, text]: string[]) => message.test(text!), String(note))
      expect(state).to.equal('overdue')
    }
  })

  it('says that it is overdue if nothing can undo it', async () => {
    await start()
    const unknown = await contained({}, { input: null })
    const gone = await contained({}, { skill: 'gone.release' })
    const misfit = await contained({}, { input: { machine: 5, more: true } })
    await clock.advance(hour)
    const notes = await Promise.all([unknown, gone, misfit].map(async ({ id }) => await now(id)))
    expect(notes.map(({ state }) => state)).to.deep.equal(['overdue', 'overdue', 'overdue'])
    expect(notes[0]?.note).to.equal('the input of edr.release is unknown')
    expect(notes[1]?.note).to.equal('gone.release is not installed')
    expect(notes[2]?.note).to.match(/more/)
    expect(started).to.deep.equal([])
  })

  it('is overdue if the run ends without undoing it, and people can undo it again', async () => {
    await start()
    const { id } = await contained()
    await clock.advance(hour)
    const { uuid } = started[0]!
    await bench.stores.runs.start(uuid, { title: 'x' })
    const error = { code: 'connection_missing', message: 'there is no connection' }
    await bench.stores.runs.end(uuid, { status: 'failed', output: null, error })
    expect(await now(id)).to.deep.include({
      state: 'overdue',
      note: 'the run that was to undo it failed: there is no connection',
    })
    await clock.advance(100 * hour)
    expect(started).to.have.length(1)
  })

  it('goes on after an error of the store', async () => {
    let isBroken = true
    const broken = new UnavailableError('store_unavailable', 'the disk is full', { retryAfterMs: 1 })
    await start({
      due: async (...given) => {
        if (isBroken) throw broken
        return await bench.stores.containments.due(...given)
      },
    })
    await contained()
    await clock.advance(hour)
    expect(started).to.deep.equal([])
    isBroken = false
    await clock.advance(5_000)
    expect(started).to.have.length(1)
  })

  it('does nothing for a containment that a person undoes or extends in the same moment', async () => {
    const { id, expiresAt } = await contained()
    clock.jump(hour)
    let isMeanwhile = false
    await start({
      undoInput: async (one) => {
        if (!isMeanwhile)
          await bench.stores.containments.extend(one, { until: expiresAt! + hour }, somebody())
        isMeanwhile = true
        return await bench.stores.containments.undoInput(one)
      },
    })
    expect(started).to.deep.equal([])
    expect(await now(id)).to.deep.include({ state: 'active', expiresAt: expiresAt! + hour })
    await clock.advance(hour)
    expect(started).to.have.length(1)
  })
})
