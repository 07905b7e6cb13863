import { expect } from 'chai'
import { createContainmentChecks } from '../../core/destructive/checks/containment-checks.ts'
import { createContainmentExpiry } from '../../core/destructive/containment-expiry.ts'
import { createDueNotifications } from '../../core/notification/due-notifications.ts'
import { createObservableIndexer } from '../../core/observable/observable-indexer.ts'
import type { ExclusiveJob, ExclusiveWork } from '../../core/ports/nodes/exclusive-work.ts'
import { createFolderWatch } from '../../core/publishing/folder-watch.ts'
import { createPruner } from '../../core/retention/pruner.ts'
import { createShadowWorker } from '../../core/shadow/shadow-worker.ts'
import { createEventDispatcher } from '../../core/trigger/event-dispatcher.ts'
import { createExporter } from '../../server/audit-export/exporter.ts'
import { ManualClock } from '../engine/support/manual-clock.ts'

interface Loop {
  start?(): void
  stop?(): Promise<void>
  close?(): Promise<void>
}

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Longer than the pause of any loop. */
const longMs = 2 * 3_600_000

describe('background work over several nodes', () => {
  let clock: ManualClock
  let works: number
  let mine: Set<ExclusiveJob>
  let asked: Set<ExclusiveJob>
  let exclusive: ExclusiveWork
  const work = async <T>(value: T): Promise<T> => {
    works++
    return value
  }

  beforeEach(() => {
    clock = new ManualClock()
    works = 0
    ;[mine, asked] = [new Set(), new Set()]
    exclusive = {
      isShared: true,
      async isMine(job) {
        asked.add(job)
        return mine.has(job)
      },
    }
  })

  const shared = () => ({ exclusive, clock, log })
  const nothing = async () => []
  const loops: Readonly<Partial<Record<ExclusiveJob, () => Loop>>> = {
    pruning: () =>
      createPruner({
        ...shared(),
        stores: { retention: { clearExpired: () => work(false) } } as never,
        keep: { runsMs: undefined, alertsMs: undefined, filesMs: undefined },
        sessions: {} as never,
      }),
    notifications: () =>
      createDueNotifications({
        ...shared(),
        stores: { notifications: { tellDue: () => work(false) } as never },
      }),
    observable_index: () =>
      createObservableIndexer({
        ...shared(),
        stores: {
          observables: {
            followMoves: () => work(0),
            nextAlerts: nothing,
            indexAlerts: nothing,
            nextRuns: nothing,
          } as never,
          journalReader: {} as never,
        },
        catalogue: { skills: [], skill: () => undefined } as never,
      }),
    containment_checks: () =>
      createContainmentChecks({
        ...shared(),
        stores: { containments: { dueChecks: () => work([]) } as never },
        catalogue: { skill: () => undefined },
        callSkill: () => Promise.reject(new Error('nothing is due')),
        isPaused: () => false,
        periodMs: 1,
      }),
    containment_expiry: () =>
      createContainmentExpiry({
        ...shared(),
        stores: {
          containments: { watchExpiry() {}, due: () => work([]), nextExpiry: async () => undefined },
        } as never,
        control: {} as never,
        catalogue: {} as never,
        playbooks: {} as never,
      }),
    playbooks_folder: () =>
      createFolderWatch({
        ...shared(),
        files: { state: async () => ({ fingerprint: '1', isBusy: false, revision: null }) as never },
        reload: () => work({ refused: undefined, published: [], removed: [] }),
        takeUpRefused: async () => false,
        onChange: async () => {},
        periodMs: 5_000,
      }),
    shadows: () =>
      createShadowWorker({
        ...shared(),
        stores: { shadows: { watch() {}, waiting: () => work([]) } } as never,
        catalogue: {} as never,
        library: { shadows: () => [] } as never,
        callerOfSkills: (() => {}) as never,
        mayWork: () => true,
        runUrl: () => '',
        sharePercent: 10,
      }),
    audit_export: () =>
      createExporter({
        ...shared(),
        audit: {
          exportCursors: () => work([]),
          after: nothing,
          head: async () => undefined,
          moveExport: async () => {},
        },
        destination: { check: async () => {}, send: async () => {}, close: async () => {} },
        cursor: { destination: 'd', sequence: 0, hash: '', at: 0 },
      }),
  }

  for (const [job, begin] of Object.entries(loops) as [ExclusiveJob, () => Loop][])
    it(`leaves ${job} to the node that has it, and takes it over`, async () => {
      const loop = begin()
      loop.start?.()
      await clock.advance(longMs)
      expect([works, [...asked]]).to.deep.equal([0, [job]])
      mine.add(job)
      await clock.advance(longMs)
      expect(works).to.be.greaterThan(0)
      mine.delete(job)
      const before = works
      await clock.advance(longMs)
      expect(works).to.be.at.most(before + 1)
      await (loop.stop?.() ?? loop.close?.())
    })

  it('settles events that a lost node has left, if other nodes work too', async () => {
    let looks = 0
    const dispatcherOf = (isShared: boolean) =>
      createEventDispatcher({
        stores: {
          triggers: {
            watch() {},
            pending: async () => {
              looks++
              return []
            },
            nextQuestionAt: async () => undefined,
          },
        } as never,
        clock,
        log,
        playbooks: () => [],
        accepting: () => true,
        enqueue: () => {},
        isShared,
      })
    for (const [isShared, expected] of [
      [false, 1],
      [true, 7],
    ] as const) {
      looks = 0
      const events = dispatcherOf(isShared)
      events.start()
      await clock.advance(30_000)
      await events.stop()
      expect(looks).to.equal(expected)
    }
  })
})
