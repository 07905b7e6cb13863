import type { CaseStore } from '../core/ports/case-store.ts'
import type { Log } from '../core/ports/log.ts'
import type { ConnectionPause } from '../core/ports/nodes/signals.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { SkillCaller } from '../core/engine/skills/skill-caller.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import type { InboundUrls } from '../core/skill/call/caller.ts'
import { createNoteUse } from '../core/skill/call/note-use.ts'
import { createPerformTask } from '../core/skill/call/perform-task.ts'
import { createTraffic } from '../core/skill/http/traffic.ts'
import { installedPlugins, type Config } from './config/config.ts'
import { tokens, type ContainerToken } from './container-tokens.ts'
import { codeOf } from './egress/allow-lists.ts'
import { createEgress } from './egress/egress.ts'
import { watchRequests } from './egress/watch-requests.ts'
import { webhookPath } from './http/resources/connections/connection-manifest.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Cluster } from './nodes/cluster.ts'
import type { OpenNode } from './nodes/open-node.ts'
import type { SharedLease } from './nodes/shared-lease.ts'
import { registerSecrets } from './register-secrets.ts'
import { createSkillPool, type SkillPoolOptions } from './workers/skill-pool.ts'

interface Composition {
  readonly config: Config
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly cluster: Cluster
  readonly lease: SharedLease | undefined
  readonly node: Pick<OpenNode, 'clock'>
  readonly log: Log
  readonly metrics: Metrics
  readonly onSecret: (secret: string) => void
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  readonly get: <T>(token: ContainerToken<T>) => T
  readonly register: <T>(token: ContainerToken<T>, make: () => T) => void
}

/** Registers what calls skills: in this thread or in others, within the rate limits and with the secrets of connections. */
export function registerSkillCalls(composition: Composition): void {
  const { get, register, config, stores, catalogue, cluster, log, metrics, callerOfSkills } = composition
  const { signals, shares } = cluster
  register(tokens.clock, () => composition.node.clock)
  register(tokens.egress, () =>
    watchRequests(
      createEgress({
        allowPrivate: config.allowPrivateEgress,
        codeOf: codeOf(stores.organizations),
        lease: composition.lease,
      }),
      metrics.requestSent,
    ),
  )
  register(tokens.noteUse, () =>
    createNoteUse({ connections: stores.connections, clock: get(tokens.clock), log }),
  )
  registerSecrets(composition)
  const onPause = (pause: ConnectionPause) => {
    get(tokens.skillPool)?.pause(pause)
    signals.publish({ kind: 'connection_paused', pause })
  }
  register(tokens.traffic, () => createTraffic(get(tokens.clock), { shares, onPause }))
  register(tokens.skillPool, () => {
    const { budgets } = get(tokens.traffic)
    return config.workers === 0
      ? undefined
      : createSkillPool({
          ...poolOptions(composition),
          shares,
          pauses: budgets.pauses,
          onPause: budgets.pause,
        })
  })
  register(tokens.performTask, () => {
    const [egress, clock, traffic] = [get(tokens.egress), get(tokens.clock), get(tokens.traffic)]
    const here = createPerformTask({ catalogue, egress, clock, traffic })
    const pool = get(tokens.skillPool)
    // Skills of cases only use the store, which this thread has.
    return pool === undefined
      ? here
      : (task, hooks) => (task.skill.startsWith('case.') ? here : pool.performTask)(task, hooks)
  })
  register(tokens.skillCaller, () => callerOfSkills(stores.cases))
}

/** No run has a turn before the server listens. */
export const inboundUrlsOf =
  ({ stores, config }: Pick<Composition, 'stores' | 'config'>, publicUrl: () => string): InboundUrls =>
  async ({ organizationUuid, uuid, plugin }, routes) => {
    const token = await stores.connections.eventsToken(organizationUuid, uuid)
    const base = `${publicUrl()}/${config.apiPrefix}`
    return Object.fromEntries(
      routes.map((route) => [route, `${base}${webhookPath(plugin, route)}?token=${token.reveal()}`]),
    )
  }

/** Of each thread of skills, in MB. */
const threadMemoryMb = 256

const poolOptions = ({
  config,
  stores,
  catalogue,
  log,
  metrics,
  onSecret,
  lease,
  node,
}: Composition): Omit<SkillPoolOptions, 'shares' | 'pauses' | 'onPause'> => ({
  threads: config.workers,
  data: {
    plugins: installedPlugins(config),
    allowPrivate: config.allowPrivateEgress,
    lease: lease?.memory,
    clock: node.clock.memory,
  },
  memoryMb: threadMemoryMb,
  changes: (skill) => catalogue.skill(skill)?.skill.effect === 'write',
  codeOf: codeOf(stores.organizations),
  onSecret,
  onRequest: metrics.requestSent,
  onLost(reason, skills) {
    metrics.threadLost()
    for (const skill of skills) log.error({ skill, reason }, 'thread of this skill ended')
    if (skills.length === 0) log.error({ reason }, 'thread of skills ended before its first call')
  },
})
