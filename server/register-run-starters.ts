import type { Run } from '../core/domain/run.ts'
import { createContainmentExpiry } from '../core/destructive/containment-expiry.ts'
import { createScheduler } from '../core/engine/turns/scheduler.ts'
import type { Runner } from '../core/engine/turns/runner-types.ts'
import { createInvestigations } from '../core/investigation/investigations.ts'
import type { PlaybookLibrary } from '../core/investigation/playbook-library.ts'
import type { SkillCaller } from '../core/engine/skills/skill-caller.ts'
import type { CaseStore } from '../core/ports/case-store.ts'
import type { Log } from '../core/ports/log.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import { createFolderWatch } from '../core/publishing/folder-watch.ts'
import { createRetries } from '../core/retry/retries.ts'
import { createShadowWorker } from '../core/shadow/shadow-worker.ts'
import { createEventDispatcher } from '../core/trigger/event-dispatcher.ts'
import { playbookFilesIn } from './playbooks-folder/folder-files.ts'
import type { Config } from './config/config.ts'
import { tokens, type ContainerToken } from './container-tokens.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Cluster } from './nodes/cluster.ts'

interface StartersComposition {
  readonly config: Config
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly library: PlaybookLibrary
  readonly cluster: Cluster
  readonly log: Log
  readonly metrics: Metrics
  readonly onRunEnded: (run: Run) => void
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  readonly get: <T>(token: ContainerToken<T>) => T
  readonly register: <T>(token: ContainerToken<T>, make: () => T) => void
}

/** Schedules, triggers and shadows follow the published playbooks. */
export async function takeOverPlaybooks(get: StartersComposition['get']): Promise<void> {
  get(tokens.events).takeOver()
  get(tokens.shadows).takeOver()
  await get(tokens.scheduler).takeOver()
}

/**
 * Registers the sources of runs (alerts, schedules, events, retries and the expiry of containments) and the shadows beside them.
 */
export function registerRunStarters(composition: StartersComposition): void {
  const { get, register, config, stores, catalogue, library, log, metrics, onRunEnded } = composition
  const { callerOfSkills } = composition
  const { exclusive } = composition.cluster
  const enqueue: Runner['enqueue'] = (run, alert) => get(tokens.runner).enqueue(run, alert)
  register(tokens.retries, () => createRetries({ stores, library, catalogue, enqueue, onRunEnded }))
  register(tokens.scheduler, () => {
    const [clock, playbooks] = [get(tokens.clock), () => library.authored()]
    const published = (name: string) => library.published(name)
    return createScheduler({ stores, clock, log, playbooks, published, enqueue })
  })
  register(tokens.containmentExpiry, () => {
    const [control, clock] = [get(tokens.control), get(tokens.clock)]
    return createContainmentExpiry({ stores, catalogue, playbooks: library, control, exclusive, clock, log })
  })
  register(tokens.events, () =>
    createEventDispatcher({
      stores,
      clock: get(tokens.clock),
      log,
      playbooks: () => library.authored(),
      accepting: (organizationUuid) => get(tokens.runner).queuedOf(organizationUuid) < config.maxQueued,
      enqueue,
      isShared: exclusive.isShared,
      onRunEnded,
    }),
  )
  register(tokens.shadows, () =>
    createShadowWorker({
      stores,
      catalogue,
      library,
      callerOfSkills,
      // Runs first: a shadow uses places that no run needs.
      mayWork: () =>
        get(tokens.pauses).current() === undefined && get(tokens.runner).load().active < config.maxRuns,
      runUrl: (uuid) => `${get(tokens.httpServer).publicUrl()}/runs/${uuid}`,
      sharePercent: config.shadowSharePercent,
      exclusive,
      clock: get(tokens.clock),
      log,
    }),
  )
  register(tokens.folderWatch, () =>
    createFolderWatch({
      files: playbookFilesIn(config.playbooksDir),
      reload: () => library.reload(),
      takeUpRefused: () => library.takeUpRefused(),
      onChange: () => takeOverPlaybooks(get),
      periodMs: config.playbooksReloadMs,
      exclusive,
      clock: get(tokens.clock),
      log,
    }),
  )
  register(tokens.investigations, () =>
    createInvestigations({
      stores,
      library,
      catalogue,
      clock: get(tokens.clock),
      log,
      enqueue,
      reserve: (organizationUuid) => get(tokens.runner).reserve(organizationUuid),
      queuedOf: (organizationUuid) => get(tokens.runner).queuedOf(organizationUuid),
      maxQueued: config.maxQueued,
      signals: composition.cluster.signals,
      exclusive,
      groupWindowMs: config.groupWindowMs,
      onGrouped({ organizationUuid }) {
        metrics.alertGrouped()
        get(tokens.storms).count('grouped', organizationUuid)
      },
      onJoined: () => metrics.alertCorrelated(),
    }),
  )
}
