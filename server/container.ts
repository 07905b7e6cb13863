import 'reflect-metadata'
import { container as root, instanceCachingFactory } from 'tsyringe'
import { createPauses, type Pauses } from '../core/engine/turns/pauses.ts'
import { createRunControl, type RunControl } from '../core/engine/turns/run-control.ts'
import { createRunner, type Runner } from '../core/engine/turns/runner.ts'
import { createScheduler, type Scheduler } from '../core/engine/turns/scheduler.ts'
import { followUpsOf, skillsOf, type SkillCaller } from '../core/engine/skills/skill-caller.ts'
import { createInbound, type Inbound } from '../core/inbound/inbound.ts'
import { createRefusals } from '../core/inbound/refusals.ts'
import { createInvestigations, type Investigations } from '../core/investigation/investigations.ts'
import { createStormWatch, type StormWatch } from '../core/investigation/storm-watch.ts'
import type { PlaybookLibrary } from '../core/investigation/playbook-library.ts'
import type { Run } from '../core/domain/run.ts'
import { createPruner, type Pruner } from '../core/retention/pruner.ts'
import type { CaseStore } from '../core/ports/case-store.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { Log } from '../core/ports/log.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import { authenticate } from '../core/skill/call/authenticate.ts'
import { createNoteUse, type NoteUse } from '../core/skill/call/note-use.ts'
import { createSkillCaller } from '../core/skill/call/caller.ts'
import { createTraffic, type Traffic } from '../core/skill/http/traffic.ts'
import { createReruns, type Reruns } from '../core/rerun/reruns.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config/config.ts'
import { codeOf } from './egress/allow-lists.ts'
import { createEgress, type ClosableEgress } from './egress/egress.ts'
import type { Page } from './http/page/load-page.ts'
import type { Metrics } from './metrics/metrics.ts'
import { createHttpServer, type HttpServer } from './http/server/server.ts'
import type { Tracing } from './tracing/tracing.ts'

/** What has to be opened, with waiting, before the rest can be put together. */
export interface Opened {
  readonly config: Config
  readonly log: Log
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly library: PlaybookLibrary
  readonly metrics: Metrics
  /** Where the environment asks for traces. */
  readonly tracing: Tracing | undefined
  /** The web page, where it has been built. */
  readonly page: Page | undefined
  /** Is told of every secret in use, so that the log can leave it out. */
  readonly onSecret: (secret: string) => void
}

/** Resolves what is registered; each thing is made once, when it is first asked for. */
export interface Container {
  get<T>(token: Token<T>): T
}

/** Names a thing and its type. */
type Token<T> = symbol & { readonly thing?: T }

const token = <T>(name: string): Token<T> => Symbol(name)

export const tokens = {
  clock: token<Clock>('clock'),
  egress: token<ClosableEgress>('egress'),
  traffic: token<Traffic>('traffic'),
  noteUse: token<NoteUse>('note use'),
  skillCaller: token<SkillCaller>('skill caller'),
  runner: token<Runner>('runner'),
  control: token<RunControl>('run control'),
  pauses: token<Pauses>('pauses'),
  reruns: token<Reruns>('reruns'),
  scheduler: token<Scheduler>('scheduler'),
  pruner: token<Pruner>('pruner'),
  investigations: token<Investigations>('investigations'),
  storms: token<StormWatch>('storm watch'),
  inbound: token<Inbound>('inbound'),
  httpServer: token<HttpServer>('http server'),
}

/** The composition root: the only place that knows which implementation stands for what. */
export function createContainer(opened: Opened): Container {
  const { config, log, stores, catalogue, library, metrics, tracing, page, onSecret } = opened
  const container = root.createChildContainer()
  const register = <T>(token: Token<T>, make: () => T) =>
    container.register<T>(token, {
      useFactory: instanceCachingFactory(make),
    })
  // Tokens are symbols: tsyringe refuses one that is not registered, where it would silently build an unknown class.
  const get = <T>(token: Token<T>) => container.resolve<T>(token)

  const onRunEnded = (run: Run): void => {
    metrics.runEnded(run)
    tracing?.runEnded(run)
    get(tokens.storms).count('ended', run.organizationUuid)
    get(tokens.investigations).runEnded(run)
  }

  const callerOfSkills = (cases: CaseStore): SkillCaller =>
    createSkillCaller({
      catalogue,
      stores: { connections: stores.connections, cases },
      egress: get(tokens.egress),
      log,
      clock: get(tokens.clock),
      traffic: get(tokens.traffic),
      noteUse: get(tokens.noteUse),
      onSecret,
    })

  register(tokens.clock, () => systemClock)
  register(tokens.egress, () =>
    metrics.watchEgress(
      createEgress({ allowPrivate: config.allowPrivateEgress, codeOf: codeOf(stores.organizations) }),
    ),
  )
  register(tokens.noteUse, () =>
    createNoteUse({ connections: stores.connections, clock: get(tokens.clock), log }),
  )
  register(tokens.traffic, () => createTraffic(get(tokens.clock)))
  register(tokens.skillCaller, () => callerOfSkills(stores.cases))
  register(tokens.runner, () =>
    createRunner({
      stores,
      clock: get(tokens.clock),
      log,
      loadPlaybook: (hash) => library.byHash(hash),
      skills: {
        ...skillsOf(catalogue, metrics.watchSkills(get(tokens.skillCaller))),
        followUps: (skill) => followUpsOf(catalogue, skill),
      },
      newestPlaybook: (name) => library.newest(name),
      // No run has a turn before the server listens.
      runUrl: (uuid) => `${get(tokens.httpServer).publicUrl()}/runs/${uuid}`,
      maxRuns: config.maxRuns,
      sharePercent: config.sharePercent,
      destructiveLimits: config.destructiveLimits,
      held: true,
      onRunEnded,
    }),
  )
  register(tokens.control, () =>
    createRunControl({
      stores,
      runner: get(tokens.runner),
      schemas: (skill) => catalogue.skill(skill)?.skill,
      selfApproval: config.selfApproval,
      onRunEnded,
    }),
  )
  register(tokens.pauses, () =>
    createPauses({ store: stores.pause, runner: get(tokens.runner), clock: get(tokens.clock), log }),
  )
  register(tokens.reruns, () =>
    createReruns({
      stores,
      library,
      catalogue,
      enqueue: (run) => get(tokens.runner).enqueue(run),
      onRunEnded,
    }),
  )
  register(tokens.scheduler, () =>
    createScheduler({
      stores,
      clock: get(tokens.clock),
      log,
      playbooks: () => library.written(),
      enqueue: (run) => get(tokens.runner).enqueue(run),
    }),
  )
  register(tokens.pruner, () =>
    createPruner({ stores, keep: config.keep, sessions: config.sessions, clock: get(tokens.clock), log }),
  )
  register(tokens.investigations, () =>
    createInvestigations({
      stores,
      library,
      catalogue,
      clock: get(tokens.clock),
      log,
      enqueue: (run, alert) => get(tokens.runner).enqueue(run, alert),
      queuedOf: (organizationUuid) => get(tokens.runner).queuedOf(organizationUuid),
      maxQueued: config.maxQueued,
      groupWindowMs: config.groupWindowMs,
      onGrouped({ organizationUuid }) {
        metrics.alertGrouped()
        get(tokens.storms).count('grouped', organizationUuid)
      },
    }),
  )
  register(tokens.storms, () =>
    createStormWatch({
      clock: get(tokens.clock),
      perMinute: config.stormPerMinute,
      onStorm: (organization) => log.warn({ organization }, 'a storm of alerts has begun'),
    }),
  )
  register(tokens.inbound, () => {
    const clock = get(tokens.clock)
    const callSkill = get(tokens.skillCaller)
    const sayRefused = createRefusals({ catalogue, stores, callSkill, clock, log })
    return createInbound({ stores, catalogue, runner: get(tokens.runner), sayRefused, clock, log })
  })
  register(tokens.httpServer, () =>
    createHttpServer({
      config,
      stores,
      catalogue,
      investigations: get(tokens.investigations),
      control: get(tokens.control),
      engine: {
        pauses: get(tokens.pauses),
        queuedOf: (organizationUuid) => get(tokens.runner).queuedOf(organizationUuid),
        shareOf: (organizationUuid) => get(tokens.runner).shareOf(organizationUuid),
        suspects: () => get(tokens.runner).suspects(),
        destructiveLimits: config.destructiveLimits,
        maxQueued: config.maxQueued,
        storms: get(tokens.storms),
      },
      reruns: get(tokens.reruns),
      scheduler: get(tokens.scheduler),
      inbound: get(tokens.inbound),
      playbooks: library,
      callerOfSkills,
      authenticate: (definition, open, signal) =>
        authenticate(
          {
            egress: get(tokens.egress),
            clock: get(tokens.clock),
            traffic: get(tokens.traffic),
            onSecret,
          },
          definition,
          open,
          signal,
        ),
      metrics,
      page,
      log,
      clock: get(tokens.clock),
    }),
  )
  return { get }
}
