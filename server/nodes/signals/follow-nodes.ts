import { createBackground } from '../../../core/common/background.ts'
import type { Pauses } from '../../../core/engine/turns/pauses.ts'
import type { Scheduler } from '../../../core/engine/turns/scheduler.ts'
import type { Runner } from '../../../core/engine/turns/runner-types.ts'
import type { Investigations } from '../../../core/investigation/investigations.ts'
import type { PlaybookLibrary } from '../../../core/investigation/playbook-library.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { ConnectionPause, Signal, Signals } from '../../../core/ports/nodes/signals.ts'

/** Follows what other nodes change. */
export interface NodeFollower {
  /** Resolves when all that others have changed until now is known. */
  start(): Promise<void>
  /** Resolves after the reads that are in progress. */
  stop(): Promise<void>
}

export interface NodeFollowerOptions {
  readonly signals: Signals
  readonly runner: Pick<Runner, 'heard'>
  readonly pauses: Pick<Pauses, 'refresh'>
  readonly investigations: Pick<Investigations, 'endedElsewhere' | 'lookAtWaits'>
  readonly library: Pick<PlaybookLibrary, 'follow' | 'reload'>
  /** Schedules and triggers follow other playbooks. */
  readonly onPlaybooks: () => Promise<void>
  readonly scheduler: Pick<Scheduler, 'follow'>
  /** Cached keys, accounts and connections must be read again. */
  readonly onConfiguration: () => void
  readonly onConnectionPaused: (pause: ConnectionPause) => void
  /** Pauses that other systems asked for, and that have not ended. */
  readonly connectionPauses: () => readonly ConnectionPause[]
  readonly clock: Clock
  readonly log: Log
}

/** Between two looks, in milliseconds: a signal may be lost, and what other nodes change takes effect within a second. */
const lookMs = 800

type Look = 'organizations' | 'pause' | 'playbooks' | 'waits'
type Work = Look | 'folder'

export function createNodeFollower(options: NodeFollowerOptions): NodeFollower {
  const { signals, runner, scheduler, pauses, investigations, library, clock, log } = options
  const background = createBackground(clock, work)
  const looks: Readonly<Record<Work, () => Promise<void>>> = {
    async folder() {
      const { published, removed } = await library.reload()
      if (published.length + removed.length > 0) await options.onPlaybooks()
    },
    organizations: () => scheduler.follow(),
    pause: () => pauses.refresh(),
    async playbooks() {
      if (await library.follow()) await options.onPlaybooks()
    },
    waits: () => investigations.lookAtWaits(),
  }
  const all: readonly Look[] = ['organizations', 'pause', 'playbooks', 'waits']
  let end = (): void => undefined

  async function work(): Promise<void> {
    while (!background.signal.aborted) {
      await background.rest(lookMs)
      await Promise.all(all.map(look))
    }
  }

  /** Never rejects. */
  async function look(which: Work): Promise<void> {
    if (background.signal.aborted) return
    await looks[which]().catch((error: unknown) =>
      log.warn({ error, kind: which }, 'could not read what other nodes have changed; trying again soon'),
    )
  }

  function heard(signal: Signal): void {
    runner.heard(signal)
    if (signal.kind === 'pause_changed') void look('pause')
    else if (signal.kind === 'playbooks_changed') void look('playbooks')
    else if (signal.kind === 'folder_asked') void look('folder')
    else if (signal.kind === 'investigation_ended') investigations.endedElsewhere(signal.alertId)
    else if (signal.kind === 'connection_paused') options.onConnectionPaused(signal.pause)
    else if (signal.kind === 'pauses_asked') tellPauses()
    else if (signal.kind === 'configuration_changed') options.onConfiguration()
    else if (signal.kind === 'missed') {
      signals.publish({ kind: 'pauses_asked' })
      options.onConfiguration()
      for (const which of all) void look(which)
    }
  }

  function tellPauses(): void {
    for (const pause of options.connectionPauses()) signals.publish({ kind: 'connection_paused', pause })
  }

  return {
    async start() {
      end = signals.listen(heard)
      signals.publish({ kind: 'pauses_asked' })
      options.onConfiguration()
      await Promise.all(all.map(look))
      background.start()
    },
    async stop() {
      end()
      await background.stop()
    },
  }
}
