import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Change } from '../../core/domain/change.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { createPauses, type Pauses } from '../../core/engine/turns/pauses.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { createWaits } from '../../core/investigation/waits.ts'
import { createFolderWatch } from '../../core/publishing/folder-watch.ts'
import type { ExclusiveWork } from '../../core/ports/nodes/exclusive-work.ts'
import type { ConnectionPause } from '../../core/ports/nodes/signals.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { createNodeFollower, type NodeFollower } from '../../server/nodes/signals/follow-nodes.ts'
import { SharedChanges } from '../../server/nodes/signals/shared-changes.ts'
import { SignalBus } from '../../server/nodes/signals/signal-bus.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { createRunWatch } from '../../server/http/events/run-watch.ts'
import { catalogue } from '../http/support/catalogue.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { openTemporaryStores, type TemporaryStores } from '../support/stores.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'

type LibraryOptions = Parameters<typeof openPlaybookLibrary>[0]

const log = { debug() {}, info() {}, warn() {}, error() {} }
const untilRead = () => new Promise((resolve) => setTimeout(resolve, 60))

describe('what another node changes', () => {
  let clock: ManualClock
  let opened: TemporaryStores
  let other: Stores
  let bus: SignalBus
  let followers: NodeFollower[]

  beforeEach(async () => {
    clock = new ManualClock()
    opened = await openTemporaryStores({ clock })
    other = await opened.another()
    bus = new SignalBus()
    followers = []
    await opened.stores.nodes.join({ name: 'a', program: '1' })
    await other.nodes.join({ name: 'b', program: '1' })
  })
  afterEach(async () => {
    for (const follower of followers) {
      const stopped = follower.stop()
      await clock.advance(1)
      await stopped
    }
    await other.close()
    await opened.dispose()
  })

  const exclusiveOf = ({ nodes }: Stores): ExclusiveWork => ({
    isShared: true,
    isMine: (job) => nodes.takeJob(job),
  })

  function follow(changes: Partial<Parameters<typeof createNodeFollower>[0]>): Promise<void> {
    const follower = createNodeFollower({
      signals: bus.join(),
      runner: { heard() {} },
      pauses: { refresh: async () => {} },
      investigations: { endedElsewhere() {}, lookAtWaits: async () => {} },
      library: {
        follow: async () => false,
        reload: async () => ({ refused: undefined, published: [], removed: [] }),
      },
      onPlaybooks: async () => {},
      scheduler: { follow: async () => {} },
      onConfiguration() {},
      onConnectionPaused() {},
      connectionPauses: () => [],
      clock,
      log,
      ...changes,
    })
    followers.push(follower)
    return follower.start()
  }

  it('a start waits until what others have changed is known', async () => {
    const reading = Promise.withResolvers<boolean>()
    const known: string[] = []
    const started = follow({
      library: {
        follow: () => reading.promise,
        reload: async () => ({ refused: undefined, published: [], removed: [] }),
      },
      onPlaybooks: async () => void known.push('playbooks'),
      onConfiguration: () => void known.push('configuration'),
    }).then(() => known.push('started'))
    await settle()
    expect(known).to.deep.equal(['configuration'])
    reading.resolve(true)
    await started
    expect(known).to.deep.equal(['configuration', 'playbooks', 'started'])
  })

  describe('a pause', () => {
    let states: string[]
    let a: Pauses
    let b: Pauses
    beforeEach(() => {
      states = []
      const note = (name: string) => ({
        pause: () => void states.push(`${name} paused`),
        resume: () => void states.push(`${name} resumed`),
      })
      const common = { clock, log, signals: bus.join() }
      a = createPauses({ ...common, store: opened.stores.pause, runner: note('a') })
      b = createPauses({ ...common, store: other.pause, runner: note('b') })
    })

    for (const hears of [true, false])
      it(`holds on all nodes, ${hears ? 'at once' : 'within a second without signals'}, and ends there`, async () => {
        await follow({ pauses: b, ...(!hears && { signals: new SignalBus().join() }) })
        await settle()
        await a.pause('too much', somebody())
        await settle()
        expect(b.current() !== undefined).to.equal(hears)
        await clock.advance(1_000)
        expect(b.current()?.reason).to.equal('too much')
        await a.resume(somebody())
        await clock.advance(1_000)
        expect(b.current()).to.equal(undefined)
        expect(states.filter((state, index) => states.indexOf(state) === index)).to.deep.equal([
          'a paused',
          'b paused',
          'a resumed',
          'b resumed',
        ])
      })

    it('that could not be stored is not ended by a look at the store', async () => {
      const failing = createPauses({
        store: {
          ...other.pause,
          get: () => other.pause.get(),
          pause: () => Promise.reject(new Error('full')),
          resume: async () => {},
        },
        runner: { pause() {}, resume() {} },
        clock,
        log,
      })
      await failing.pause('emergency', somebody()).catch(() => {})
      await failing.refresh()
      expect(failing.current()?.reason).to.equal('emergency')
    })
  })

  it('ends the waits for an investigation', async () => {
    const waits = createWaits(clock)
    let isOver = false
    void waits.wait('ACME-1', 60_000).then(() => (isOver = true))
    await follow({ investigations: { endedElsewhere: (id) => waits.end(id), lookAtWaits: async () => {} } })
    const signals = bus.join()
    signals.publish({ kind: 'investigation_ended', alertId: 'ACME-2' })
    await settle()
    expect([isOver, waits.waitedFor()]).to.deep.equal([false, ['ACME-1']])
    signals.publish({ kind: 'investigation_ended', alertId: 'ACME-1' })
    await settle()
    expect([isOver, waits.waitedFor()]).to.deep.equal([true, []])
  })

  it('pauses connections, and forgets cached configuration, also after signals were missed', async () => {
    const pauses: ConnectionPause[] = []
    let forgotten = -1 // by the start
    await follow({
      onConnectionPaused: (pause) => pauses.push(pause),
      onConfiguration: () => void forgotten++,
    })
    const signals = bus.join()
    const pause = { connectionUuid: 'c', name: 'requests', forMs: 5_000 }
    signals.publish({ kind: 'connection_paused', pause })
    signals.publish({ kind: 'configuration_changed' })
    await settle()
    expect([pauses, forgotten]).to.deep.equal([[pause], 1])
    bus.miss()
    expect(forgotten).to.equal(2)
  })

  it('asks for the pauses of connections when it starts, and after signals were missed', async () => {
    const pause = { connectionUuid: 'c', name: 'requests', forMs: 5_000 }
    const told: ConnectionPause[] = []
    await follow({ connectionPauses: () => [pause] })
    await follow({ onConnectionPaused: (heard) => told.push(heard) })
    await settle()
    expect(told).to.deep.equal([pause])
    bus.miss()
    await settle()
    expect(told).to.deep.equal([pause, pause])
  })

  describe('a playbook', () => {
    const source = (name: string, n: number) =>
      `apiVersion: tocsin/v1\nname: ${name}\non: { alert: { type: ${name} } }\nsteps:\n  - set: { n: ${n} }\n`
    const folder = () => join(opened.folder.path, 'playbooks')
    const write = (name: string, n: number) => writeFile(join(folder(), `${name}.yaml`), source(name, n))

    beforeEach(async () => {
      await mkdir(folder())
      await write('first', 1)
    })

    const open = (stores: Stores, more: Partial<LibraryOptions> = {}): Promise<PlaybookLibrary> => {
      const signals = bus.join()
      return openPlaybookLibrary({
        store: stores.playbooks,
        catalogue,
        log,
        files: playbookFilesIn(folder()),
        exclusive: exclusiveOf(stores),
        onPublished: () => signals.publish({ kind: 'playbooks_changed' }),
        onReload: () => signals.publish({ kind: 'folder_asked' }),
        ...more,
      })
    }

    it('is live on all nodes, also when it was changed or deleted in the folder, which one node reads', async () => {
      const a = await open(opened.stores)
      const b = await open(other)
      let changes = 0
      await follow({ library: b, onPlaybooks: async () => void changes++ })
      await settle()
      expect(b.newest('first')).to.equal(a.newest('first')).and.not.equal(undefined)
      await write('first', 2)
      await write('second', 1)
      expect((await b.reload()).published).to.deep.equal([])
      await settle()
      expect(b.newest('second')).to.equal(undefined)
      expect((await a.reload()).published).to.have.members(['first', 'second'])
      await eventually('b has both', async () => changes === 1 || undefined)
      expect([b.newest('first'), b.newest('second')]).to.deep.equal([a.newest('first'), a.newest('second')])
      await rm(join(folder(), 'second.yaml'))
      await a.reload()
      await eventually('b has not the second one', async () => b.newest('second') === undefined || undefined)
      expect(b.fileOf('first')).to.equal(join(folder(), 'first.yaml'))
    })

    it('that names what another node creates is live then, and all nodes say until then what is wrong', async () => {
      const providers = ['siem']
      const known = async () => ({ connections: [], providers: [...providers] })
      const a = await open(opened.stores, { known })
      const b = await open(other, { known, told: () => a.folderReport() })
      expect([a.folderReport(), b.refused()]).to.deep.equal([undefined, []])
      await writeFile(
        join(folder(), 'first.yaml'),
        source('first', 2).replace('type: first', 'type: first, provider: edr'),
      )
      let changes = 0
      const watch = createFolderWatch({
        files: playbookFilesIn(folder()),
        reload: () => a.reload(),
        takeUpRefused: () => a.takeUpRefused(),
        onChange: async () => void changes++,
        periodMs: 5_000,
        exclusive: exclusiveOf(opened.stores),
        clock,
        log,
      })
      watch.start()
      const afterLook = async (met: () => boolean) => {
        await clock.advance(5_000)
        await untilRead()
        return met() || undefined
      }
      await eventually('the refusal', () => afterLook(() => a.refusedChange() !== undefined))
      expect(b.refused()).to.deep.equal([{ file: 'first.yaml', errors: 1 }])
      expect(b.refusedChange()?.problems[0]).to.include({ code: 'E322', file: 'first.yaml' })
      await afterLook(() => true)
      expect([await b.takeUpRefused(), changes]).to.deep.equal([false, 0])
      providers.push('edr')
      await eventually('the playbook', () => afterLook(() => changes === 1))
      expect([a.folderReport(), b.refused(), b.refusedChange()]).to.deep.equal([undefined, [], undefined])
      await watch.stop()
    })

    it('is published from the folder by the node that reads it, if another one is asked to', async () => {
      const a = await open(opened.stores)
      const b = await open(other)
      await follow({ library: a })
      await follow({ library: b })
      await settle()
      await write('second', 1)
      expect((await b.reloadAnywhere()).published).to.deep.equal([])
      await eventually('both have it', async () => b.newest('second') ?? undefined)
      expect(a.newest('second')).to.equal(b.newest('second'))
    })

    it('that a node cannot use does not replace the version it has, and its log says so once', async () => {
      const errors: object[] = []
      const a = await open(opened.stores)
      const older = {
        catalogue: buildCatalogue([]),
        log: { ...log, error: (fields: object) => void errors.push(fields) },
      }
      const b = await open(other, older)
      const before = b.newest('first')
      const call = source('first', 2).replace(
        'set: { n: 2 }',
        'uses: tower.look_up\n    with: { kind: ip, value: 192.0.2.1 }',
      )
      await writeFile(join(folder(), 'first.yaml'), call)
      expect((await a.reload()).published).to.deep.equal(['first'])
      expect([await b.follow(), await b.follow()]).to.deep.equal([false, false])
      expect(b.newest('first')).to.equal(before)
      expect(errors).to.have.length(1)
      expect(errors[0]).to.include({ playbook: 'first', hash: a.newest('first') })
      expect((await open(other, older)).newest('first'), 'after a restart').to.equal(undefined)
      expect(errors).to.have.length(2)
      await write('first', 3)
      await a.reload()
      expect(await b.follow()).to.equal(true)
      expect(b.newest('first')).to.equal(a.newest('first'))
    })

    it('is live within a second without signals', async () => {
      const a = await open(opened.stores)
      const b = await open(other)
      await follow({ library: b, signals: new SignalBus().join() })
      await settle()
      await write('first', 2)
      await a.reload()
      expect(b.newest('first')).not.to.equal(a.newest('first'))
      await clock.advance(1_000)
      await eventually('b has it', async () => b.newest('first') === a.newest('first') || undefined)
    })

    it('that one node edits is not taken for a change of the folder by the node that reads it', async () => {
      const a = await open(opened.stores)
      const b = await open(other)
      await other.playbooks.prepare({ by: somebody(), files: [] })
      await write('first', 2)
      expect((await a.reload()).refused?.reason).to.equal('changing')
      const edit = { name: 'first', seen: '*', source: source('first', 3) } as const
      const refusal = await a.apply([edit], somebody()).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(refusal).to.include({ code: 'playbooks_changing' })
      await other.playbooks.prepare(null)
      await write('first', 1)
      await b.apply([edit], somebody())
      expect(await b.follow()).to.equal(false)
      expect(await a.follow()).to.equal(true)
      expect((await a.reload()).published).to.deep.equal([])
      expect(a.newest('first')).to.equal(b.newest('first'))
    })
  })

  describe('a change of a row', () => {
    let told: Change[]
    let atA: SharedChanges
    let atB: SharedChanges
    beforeEach(() => {
      told = []
      const share = (stores: Stores) =>
        new SharedChanges({
          local: stores.changes,
          signals: bus.join(),
          organizations: async () => (await stores.organizations.list('all')).map(({ uuid }) => uuid),
        })
      ;[atA, atB] = [share(opened.stores), share(other)]
      atB.listen((changes) => told.push(...changes))
    })
    afterEach(() => [atA, atB].forEach((changes) => changes.close()))
    const kinds = () => [...new Set(told.map(({ kind }) => kind))]

    it('is told on all nodes by its id, and only that there are changes if there are many', async () => {
      const { organizations } = opened.stores
      const first = await organizations.create({ code: 'ACME', name: 'Acme' }, somebody())
      await untilRead()
      await settle()
      const of = told.filter(({ kind }) => kind === 'organization')
      expect(of.map(({ id, organizationUuid }) => [id(), organizationUuid])).to.deep.equal([
        ['ACME', first.uuid],
      ])
      told.length = 0
      const queue = () =>
        opened.stores.runs.queue({
          organizationUuid: first.uuid,
          playbookName: 'p',
          playbookHash: 'h',
          alertUuid: null,
        })
      await Promise.all(Array.from({ length: 10 }, queue))
      await untilRead()
      await settle()
      const ids = told.filter(({ kind }) => kind === 'run').map(({ id }) => id())
      expect(ids.length).to.be.below(10)
      expect(ids).to.include(undefined)
    })

    it('may be any after signals were missed, so that all watched runs are read again', async () => {
      const acme = await opened.stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())
      await untilRead()
      await settle()
      told.length = 0
      let calls = 0
      createRunWatch(atB)('some run', () => void calls++)
      bus.miss()
      await untilRead()
      expect(kinds()).to.include.members(['run', 'alert', 'key', 'engine'])
      expect(told.some(({ organizationUuid }) => organizationUuid === acme.uuid)).to.equal(true)
      expect(calls).to.be.greaterThan(0)
    })
  })
})
