import 'reflect-metadata'
import { container as root, instanceCachingFactory } from 'tsyringe'
import { createContainmentChecks } from '../core/destructive/checks/containment-checks.ts'
import { createPauses } from '../core/engine/turns/pauses.ts'
import { createRunControl } from '../core/engine/turns/run-control.ts'
import { createRunner } from '../core/engine/turns/runner.ts'
import { connectionsToBind } from '../core/skill/connection/find-connection.ts'
import { followUpsOf, skillsOf, type SkillCaller } from '../core/engine/skills/skill-caller.ts'
import { createInbound } from '../core/inbound/inbound.ts'
import { createRefusals } from '../core/inbound/refusals.ts'
import { createStormWatch } from '../core/investigation/storm-watch.ts'
import type { PlaybookLibrary } from '../core/investigation/playbook-library.ts'
import type { Run } from '../core/domain/run.ts'
import { createObservableIndexer } from '../core/observable/observable-indexer.ts'
import { createDueNotifications } from '../core/notification/due-notifications.ts'
import { createPruner } from '../core/retention/pruner.ts'
import type { CaseStore } from '../core/ports/case-store.ts'
import type { Log } from '../core/ports/log.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import { createInterfaceCalls } from '../core/interface/interface-calls.ts'
import { createSkillCaller } from '../core/skill/call/caller.ts'
import { tryConnectionAsTask } from '../core/skill/call/perform-task.ts'
import type { Config } from './config/config.ts'
import type { Cluster } from './nodes/cluster.ts'
import { runsOfAll, type NodeReporterOptions } from './nodes/node-report.ts'
import type { OpenNode } from './nodes/open-node.ts'
import { SharedChanges } from './nodes/signals/shared-changes.ts'
import type { SharedLease } from './nodes/shared-lease.ts'
import type { WebPage } from './http/page/load-page.ts'
import type { Metrics } from './metrics/metrics.ts'
import { createHttpServer } from './http/server/server.ts'
import { registerNode } from './register-node.ts'
import { registerRunStarters, takeOverPlaybooks } from './register-run-starters.ts'
import { inboundUrlsOf, registerSkillCalls } from './register-skill-calls.ts'
import { tokens, type Container, type ContainerToken } from './container-tokens.ts'
import type { Tracing } from './tracing/tracing.ts'

/** Opened asynchronously before the container is made. */
export interface Opened {
  readonly config: Config
  readonly log: Log
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly library: PlaybookLibrary
  readonly metrics: Metrics
  /** Undefined: traces are off. */
  readonly tracing: Tracing | undefined
  /** Counts, logs and traces a run that has ended. */
  readonly onRunEnded: (run: Run) => void
  readonly node: OpenNode
  readonly lastError: NodeReporterOptions['lastError']
  /** The web page; undefined: not built. */
  readonly page: WebPage | undefined
  /** Receives every secret in use, so that the log can redact it. */
  readonly onSecret: (secret: string) => void
}

interface Composition extends Opened {
  readonly cluster: Cluster
  /** Undefined: no other process can take over. */
  readonly lease: SharedLease | undefined
  readonly get: <T>(token: ContainerToken<T>) => T
  readonly register: <T>(token: ContainerToken<T>, make: () => T) => void
  /** Calls skills; `cases` replaces the stored cases in a dry run. */
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  readonly onRunEnded: (run: Run) => void
}

/** The composition root: the only place that chooses implementations. */
export function createContainer(given: Opened): Container {
  const { cluster, lease } = given.node
  const opened = { ...given, stores: withSharedChanges(given.stores, cluster) }
  const { stores, log } = opened
  const container = root.createChildContainer()
  // Tokens are symbols: tsyringe refuses an unregistered symbol, but silently builds an unregistered class.
  const get = <T>(token: ContainerToken<T>) => container.resolve<T>(token)
  const composition: Composition = {
    ...opened,
    cluster,
    lease,
    get,
    register: (token, make) => container.register(token, { useFactory: instanceCachingFactory(make) }),
    callerOfSkills: (cases) =>
      createSkillCaller({
        catalogue: opened.catalogue,
        stores: { connections: stores.connections, cases },
        performTask: get(tokens.performTask),
        log,
        noteUse: get(tokens.noteUse),
        secrets: get(tokens.secrets),
        onSecret: opened.onSecret,
        inboundUrls: inboundUrlsOf(opened, () => get(tokens.httpServer).publicUrl()),
      }),
    onRunEnded(run) {
      opened.onRunEnded(run)
      get(tokens.storms).count('ended', run.organizationUuid)
      get(tokens.investigations).runEnded(run)
    },
  }
  registerSkillCalls(composition)
  registerRunner(composition)
  registerRunStarters(composition)
  registerIntake(composition)
  registerNode(composition)
  registerHttp(composition)
  return { get }
}

function registerRunner(composition: Composition): void {
  const { get, register, config, stores, catalogue, library, log, metrics, onRunEnded } = composition
  const { exclusive } = composition.cluster
  register(tokens.runner, () =>
    createRunner({
      stores,
      clock: get(tokens.clock),
      log,
      loadPlaybook: (hash) => library.byHash(hash),
      skills: {
        ...skillsOf(
          catalogue,
          metrics.watchSkills(get(tokens.skillCaller)),
          createInterfaceCalls(catalogue, stores.connections),
          connectionsToBind(catalogue, stores.connections),
        ),
        followUps: (skill) => followUpsOf(catalogue, skill),
      },
      newestPlaybook: (name, organization) => library.newest(name, organization),
      // No run has a turn before the server listens.
      runUrl: (uuid) => `${get(tokens.httpServer).publicUrl()}/runs/${uuid}`,
      maxRuns: config.maxRuns,
      sharePercent: config.sharePercent,
      destructiveLimits: config.destructiveLimits,
      approvalRules: config.approvalRules,
      held: true,
      exclusive,
      signals: composition.cluster.signals,
      lease: composition.lease,
      onRunEnded,
    }),
  )
  register(tokens.control, () =>
    createRunControl({
      stores,
      runner: get(tokens.runner),
      clock: get(tokens.clock),
      schemas: (skill) => catalogue.skill(skill)?.skill,
      selfApproval: config.selfApproval,
      onRunEnded,
    }),
  )
  register(tokens.pauses, () =>
    createPauses({
      store: stores.pause,
      runner: get(tokens.runner),
      signals: composition.cluster.signals,
      clock: get(tokens.clock),
      log,
    }),
  )
  register(tokens.containmentChecks, () =>
    createContainmentChecks({
      stores,
      catalogue,
      callSkill: metrics.watchSkills(get(tokens.skillCaller)),
      isPaused: () => get(tokens.pauses).current() !== undefined,
      periodMs: config.containmentCheckMs,
      exclusive,
      clock: get(tokens.clock),
      log,
    }),
  )
  register(tokens.pruner, () =>
    createPruner({
      stores,
      keep: config.keep,
      sessions: config.sessions,
      exclusive,
      clock: get(tokens.clock),
      log,
    }),
  )
  register(tokens.dueNotifications, () =>
    createDueNotifications({ stores, exclusive, clock: get(tokens.clock), log }),
  )
  register(tokens.observableIndexer, () =>
    createObservableIndexer({ stores, catalogue, exclusive, clock: get(tokens.clock), log }),
  )
}

function registerIntake(composition: Composition): void {
  const { get, register, config, stores, catalogue, cluster, log } = composition
  register(tokens.storms, () =>
    createStormWatch({
      clock: get(tokens.clock),
      perMinute: config.stormPerMinute,
      others: () => cluster.others().map(({ rates }) => rates ?? {}),
      onStorm: (organization) => log.warn({ organization }, 'alert storm started'),
    }),
  )
  register(tokens.inbound, () => {
    const clock = get(tokens.clock)
    const callSkill = get(tokens.skillCaller)
    const sayRefused = createRefusals({ catalogue, stores, callSkill, clock, log })
    const [runner, performTask, secrets] = [get(tokens.runner), get(tokens.performTask), get(tokens.secrets)]
    return createInbound({ stores, catalogue, runner, sayRefused, performTask, secrets, clock, log })
  })
}

/** Event streams tell of the changes of all nodes. */
function withSharedChanges(stores: Stores, { signals, exclusive }: Cluster): Stores {
  if (!exclusive.isShared) return stores
  const organizations = async () => (await stores.organizations.list('all')).map(({ uuid }) => uuid)
  return { ...stores, changes: new SharedChanges({ local: stores.changes, signals, organizations }) }
}

function registerHttp(composition: Composition): void {
  const { get, register, config, stores, catalogue, library, cluster, log, metrics, page, onSecret } =
    composition
  register(tokens.httpServer, () => {
    const runner = get(tokens.runner)
    const clock = get(tokens.clock)
    return createHttpServer({
      config,
      stores,
      catalogue,
      investigations: get(tokens.investigations),
      control: get(tokens.control),
      engine: {
        pauses: get(tokens.pauses),
        queuedOf: (organizationUuid) => runner.queuedOf(organizationUuid),
        ...runsOfAll(runner, cluster.others),
        destructiveLimits: config.destructiveLimits,
        approvalRules: config.approvalRules,
        maxQueued: config.maxQueued,
        storms: get(tokens.storms),
      },
      nodes: get(tokens.nodeList),
      draining: get(tokens.draining).signal,
      ...(cluster.exclusive.isShared && { caughtUp: get(tokens.caughtUp).signal }),
      retries: get(tokens.retries),
      scheduler: { takeOver: () => takeOverPlaybooks(get) },
      inbound: get(tokens.inbound),
      playbooks: library,
      callerOfSkills: composition.callerOfSkills,
      secrets: get(tokens.secrets),
      signIn: get(tokens.signInFlow),
      singleSignOn: get(tokens.singleSignOn),
      async authenticate(stored, signal) {
        // Tests the current values of the sources.
        const open = await get(tokens.secrets).resolve(stored, { signal, isRefused: true })
        return await tryConnectionAsTask(get(tokens.performTask), open, { signal, onSecret })
      },
      metrics,
      page,
      log,
      clock,
    })
  })
}
