import { interruptedRenewal } from '../core/skill/sign-in/stored-tokens.ts'
import type { AuditExport } from './audit-export/audit-export.ts'
import { systemClock } from './clock.ts'
import type { Opened } from './container.ts'
import { tokens, type Container } from './container-tokens.ts'

/** Time that active runs have to end when the server closes. */
const drainMs = 20_000

/** Resumes the work of an earlier process. */
export async function takeUpUnfinished(
  container: Container,
  { config, node, stores, log }: Opened,
): Promise<void> {
  const endRenewals = async () => {
    const count = await stores.signIns.endInterrupted(interruptedRenewal)
    if (count > 0)
      log.warn({ count }, 'connections need a new sign-in: a server stopped during a token renewal')
  }
  const settleFollowers = () => stores.runs.settleFollowers()
  await endRenewals()
  await settleFollowers()
  node.onGone(() => {
    container.get(tokens.newerRuns).lookNow()
    void endRenewals().catch((error: unknown) =>
      log.warn({ error }, 'could not end the token renewals of a node that is gone'),
    )
    void settleFollowers().catch((error: unknown) =>
      log.warn({ error }, 'could not end the alerts that a node that is gone has left'),
    )
  })
  // Alerts first, while no run is active, so that the crash of an alert is not blamed on a run.
  await container.get(tokens.investigations).recover()
  await container.get(tokens.pauses).start()
  await container.get(tokens.runner).recover()
  await container.get(tokens.scheduler).start()
  for (const each of [tokens.events, tokens.shadows] as const) container.get(each).start()
  if (config.containmentCheckMs > 0) container.get(tokens.containmentChecks).start()
  container.get(tokens.containmentExpiry).start()
  if (config.playbooksReloadMs > 0) container.get(tokens.folderWatch).start()
  container.get(tokens.pruner).start()
  container.get(tokens.dueNotifications).start()
  container.get(tokens.observableIndexer).start()
  container.get(tokens.newerRuns).start()
  await container.get(tokens.nodeFollower)?.start()
  container.get(tokens.caughtUp).abort()
}

/** Stops intake first, then runs, then the stores. */
export async function stopServer(
  container: Container,
  { config, node, stores, metrics, tracing, log }: Opened,
  auditExport: AuditExport,
) {
  container.get(tokens.draining).abort()
  const drain = () => container.get(tokens.runner).drain(drainMs)
  // Other nodes continue the runs, so that requests that wait for them can be answered here.
  const drained = node.cluster.exclusive.isShared ? drain() : undefined
  if (config.drainMs > 0) {
    log.info({ delay_ms: config.drainMs }, 'draining: not ready, and still answering')
    await systemClock.sleep(config.drainMs, new AbortController().signal)
  }
  await container.get(tokens.httpServer).close()
  container.get(tokens.scheduler).stop()
  await container.get(tokens.nodeFollower)?.stop()
  await container.get(tokens.folderWatch).stop()
  await container.get(tokens.events).stop()
  await container.get(tokens.shadows).stop()
  await container.get(tokens.containmentChecks).stop()
  await container.get(tokens.containmentExpiry).stop()
  await container.get(tokens.pruner).stop()
  await container.get(tokens.dueNotifications).stop()
  await container.get(tokens.observableIndexer).stop()
  await container.get(tokens.newerRuns).stop()
  await container.get(tokens.investigations).stop()
  await (drained ?? drain())
  await container.get(tokens.skillPool)?.close()
  await container.get(tokens.storedTokens).idle()
  container.get(tokens.egress).close()
  container.get(tokens.secretSource).close()
  await tracing?.close()
  await auditExport.close()
  await node.leave()
  await stores.close()
  metrics.close()
}
