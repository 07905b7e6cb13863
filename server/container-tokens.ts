import type { ContainmentChecks } from '../core/destructive/checks/containment-checks.ts'
import type { ContainmentExpiry } from '../core/destructive/containment-expiry.ts'
import type { Pauses } from '../core/engine/turns/pauses.ts'
import type { RunControl } from '../core/engine/turns/run-control.ts'
import type { Runner } from '../core/engine/turns/runner-types.ts'
import type { EventDispatcher } from '../core/trigger/event-dispatcher.ts'
import type { Scheduler } from '../core/engine/turns/scheduler.ts'
import type { SkillCaller } from '../core/engine/skills/skill-caller.ts'
import type { Inbound } from '../core/inbound/inbound.ts'
import type { Investigations } from '../core/investigation/investigations.ts'
import type { StormWatch } from '../core/investigation/storm-watch.ts'
import type { ObservableIndexer } from '../core/observable/observable-indexer.ts'
import type { DueNotifications } from '../core/notification/due-notifications.ts'
import type { Pruner } from '../core/retention/pruner.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { NodeReport } from '../core/ports/nodes/node-store.ts'
import type { NoteUse } from '../core/skill/call/note-use.ts'
import type { PerformTask } from '../core/skill/call/perform-task.ts'
import type { SecretResolver } from '../core/skill/connection/secret-resolver.ts'
import type { Traffic } from '../core/skill/http/traffic.ts'
import type { SignInFlow } from '../core/skill/sign-in/sign-in-flow.ts'
import type { StoredTokens } from '../core/skill/sign-in/stored-tokens.ts'
import type { FolderWatch } from '../core/publishing/folder-watch.ts'
import type { ShadowWorker } from '../core/shadow/shadow-worker.ts'
import type { Retries } from '../core/retry/retries.ts'
import type { ClosableEgress } from './egress/egress.ts'
import type { HttpServer } from './http/server/server.ts'
import type { SingleSignOn } from './identity/single-sign-on.ts'
import type { OpenSources } from './secrets/open-secret-sources.ts'
import type { NewerRuns } from './nodes/newer-runs.ts'
import type { NodeList } from './nodes/node-list.ts'
import type { NodeFollower } from './nodes/signals/follow-nodes.ts'
import type { SkillPool } from './workers/skill-pool.ts'

/** Resolves singletons, each made at its first use. */
export interface Container {
  get<T>(token: ContainerToken<T>): T
}

export type ContainerToken<T> = symbol & { readonly type?: T }

const token = <T>(name: string): ContainerToken<T> => Symbol(name)

export const tokens = {
  clock: token<Clock>('clock'),
  egress: token<ClosableEgress>('egress'),
  traffic: token<Traffic>('traffic'),
  noteUse: token<NoteUse>('note use'),
  secretSource: token<OpenSources>('secret source'),
  secrets: token<SecretResolver>('secrets'),
  storedTokens: token<StoredTokens>('stored tokens'),
  signInFlow: token<SignInFlow>('sign-in flow'),
  singleSignOn: token<SingleSignOn | undefined>('single sign-on'),
  skillCaller: token<SkillCaller>('skill caller'),
  skillPool: token<SkillPool | undefined>('skill pool'),
  performTask: token<PerformTask>('perform task'),
  runner: token<Runner>('runner'),
  control: token<RunControl>('run control'),
  pauses: token<Pauses>('pauses'),
  retries: token<Retries>('retries'),
  scheduler: token<Scheduler>('scheduler'),
  events: token<EventDispatcher>('event dispatcher'),
  shadows: token<ShadowWorker>('shadow worker'),
  folderWatch: token<FolderWatch>('folder watch'),
  containmentExpiry: token<ContainmentExpiry>('containment expiry'),
  pruner: token<Pruner>('pruner'),
  dueNotifications: token<DueNotifications>('dueNotifications'),
  observableIndexer: token<ObservableIndexer>('observable indexer'),
  containmentChecks: token<ContainmentChecks>('containment checks'),
  investigations: token<Investigations>('investigations'),
  storms: token<StormWatch>('storm watch'),
  inbound: token<Inbound>('inbound'),
  /** Undefined: this process is the only one. */
  nodeFollower: token<NodeFollower | undefined>('node follower'),
  nodeReport: token<() => NodeReport>('node report'),
  newerRuns: token<NewerRuns>('newer runs'),
  nodeList: token<() => Promise<NodeList>>('node list'),
  /** Aborted when the server begins to stop. */
  draining: token<AbortController>('draining'),
  /** Aborted when this node knows what other nodes have changed since it began to start. */
  caughtUp: token<AbortController>('caught up'),
  httpServer: token<HttpServer>('http server'),
}
