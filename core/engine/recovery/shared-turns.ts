import { createBackground } from '../../common/background.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { RunStore, WokenTurn } from '../../ports/runs/run-store.ts'

/** What a runner does besides, while other nodes work on the same runs. */
export interface SharedTurns {
  start(): void
  /** Looks at once. */
  lookNow(): void
  /** Resolves after the reads that are in progress. */
  stop(): Promise<void>
}

export interface SharedTurnsOptions {
  readonly runs: Pick<
    RunStore,
    'wokenTurns' | 'organizationsWithDue' | 'countQueued' | 'suspects' | 'turnsBesides' | 'giveUp'
  >
  readonly clock: Clock
  readonly log: Log
  /** Uuids of the runs that have their turn on this node. */
  readonly active: () => readonly string[]
  readonly hasPlace: () => boolean
  /** A run was woken or cancelled during its turn. */
  readonly onWoken: (turn: WokenTurn) => void
  /** An organization (uuid) has due runs. */
  readonly onDue: (organizationUuid: string) => void
  readonly onCounted: (queued: ReadonlyMap<string, number>) => void
  /** Runs crashed the nodes that had their turns. */
  readonly onSuspects: () => void
}

/** Between two looks at the turns of this node and at due runs, in milliseconds: a cancellation takes effect within a second. */
const lookMs = 800
/** Queued runs are counted, and suspects looked for, with every fifth look. */
const rarely = 5
/** Once a minute, with every 75th look, the turns that this node has in the store are compared with those it works on. */
const veryRarely = 75

/**
 * Looks regularly for what other nodes store: a signal makes them known sooner, and may be lost. Runs of a node that was lost are due like
 * others.
 */
export function createSharedTurns(options: SharedTurnsOptions): SharedTurns {
  const { runs, clock, log, active, hasPlace, onWoken, onDue, onCounted, onSuspects } = options
  const background = createBackground(clock, work)
  const { signal } = background
  let nap = new AbortController()
  let unknown: ReadonlySet<string> = new Set()

  async function work(): Promise<void> {
    for (let looks = 0; !signal.aborted; looks++) {
      nap = new AbortController()
      await look(looks).catch((error: unknown) =>
        log.warn({ error }, 'could not look at the runs of other nodes; trying again soon'),
      )
      await clock.sleep(lookMs, AbortSignal.any([signal, nap.signal])).catch(() => {})
    }
  }

  async function look(looks: number): Promise<void> {
    const uuids = active()
    if (uuids.length > 0) for (const turn of await runs.wokenTurns(uuids)) onWoken(turn)
    if (hasPlace()) for (const organization of await runs.organizationsWithDue()) onDue(organization)
    if (looks % rarely > 0) return
    onCounted(await runs.countQueued())
    if ((await runs.suspects()).length > 0) onSuspects()
    if (looks % veryRarely === 0) await giveUpUnknown()
  }

  /**
   * Gives up turns that this node has in the store but does not work on. They are left when the write that gave it a turn was committed, but its
   * answer was lost. A turn that is just beginning is missing in one comparison only, so it takes two in a row.
   */
  async function giveUpUnknown(): Promise<void> {
    const before = unknown
    unknown = new Set(await runs.turnsBesides(active()))
    const known = new Set(active())
    const lost = [...unknown].filter((uuid) => before.has(uuid) && !known.has(uuid))
    if (lost.length === 0) return
    log.warn({ count: lost.length }, 'runs that this node has taken without knowing are due again')
    await runs.giveUp(lost)
  }

  return {
    start: () => background.start(),
    lookNow: () => nap.abort(),
    stop: () => background.stop(),
  }
}
