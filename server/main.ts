import { knownNames } from '../core/investigation/known-names.ts'
import { join } from 'node:path'
import type { Pause } from '../core/domain/pause.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../core/investigation/playbook-library.ts'
import { withLogFields } from '../core/common/log-context.ts'
import type { UnavailableError } from '../core/errors/errors.ts'
import type { Log } from '../core/ports/log.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import { discoverPlugins } from '../core/registry/discover-plugins.ts'
import { startAuditExport, type AuditExport } from './audit-export/audit-export.ts'
import { bootstrap } from './access/bootstrap.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config/config.ts'
import { unknownCodes, unknownCodeWarning } from './egress/allow-lists.ts'
import { createContainer, tokens, type Container, type Opened } from './container.ts'
import { hideSecretVariables } from './config/environment.ts'
import { loadPage } from './http/page/load-page.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics/metrics.ts'
import { openStores } from './store/open-stores.ts'
import { requirePlaybooksDir } from './config/playbooks-dir.ts'
import { createLiveSecrets } from './secrets/live-secrets.ts'
import { openTracing } from './tracing/tracing.ts'
import { watchStore } from './store/watch-store.ts'

/** A server that listens. */
export interface Tocsin {
  /** Where it listens: scheme, host and port. */
  readonly url: string
  /** The same with the API's prefix. */
  readonly apiUrl: string
  /** An admin key, if this start made it because none was usable: to be shown once. */
  readonly adminKey: string | undefined
  /** The web page was built, and is served. */
  readonly hasPage: boolean
  readonly config: Config
  readonly catalogue: Catalogue
  readonly library: PlaybookLibrary
  readonly log: Log
  /** Runs are paused since an earlier start. */
  readonly pause: Pause | undefined
  /**
   * Resolves to the reason where the data directory has been gone for some seconds, and to undefined at the end: whoever runs the
   * server ends the process, without `close`, which would only wait for what cannot be kept.
   */
  readonly gone: Promise<UnavailableError | undefined>
  /** Takes nothing more in, lets runs end for up to `drainMs`, and lets go of the data directory. */
  close(): Promise<void>
}

/** How long runs under way may take to end when the server closes. */
const drainMs = 20_000

/**
 * Starts everything: plugins, data directory, playbooks, the runs an earlier process left, the HTTP server.
 *
 * Throws what is wrong with the configuration, the plugins or the data directory, each with what to do.
 */
export async function startTocsin(config: Config): Promise<Tocsin> {
  // What this process writes is for its owner; commands that make files for people run without a server.
  process.umask(0o077)
  // Its default opens the inspector, through which anybody on the machine could run code in this process.
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => undefined)
  hideSecretVariables()
  const live = createLiveSecrets(configuredSecrets(config))
  const log = createLog({ level: config.logLevel, redact: live.redact })
  for (const { message, hint } of config.warnings) log.warn({}, `${message}: ${hint}`)
  requirePlaybooksDir(config, log)
  const catalogue = await discoverPlugins({ pluginsDir: config.pluginsDir, packages: config.plugins })
  const metrics = createMetrics({
    dataDir: config.dataDir,
    plugins: catalogue.plugins.map(({ name }) => name),
    skills: catalogue.skills.map(({ name }) => name),
  })
  const page = await loadPage(join(import.meta.dirname, 'web/dist'))
  let auditExport: AuditExport | undefined
  const stores = await openStores(config, 'exclusive', {
    live,
    onCommit: (commit) => metrics.committed(commit),
    // Whoever keeps the log where the database cannot be written can show later that nothing was cut off.
    onAuditHead(head) {
      withLogFields({}, () => log.info({ ...head }, 'audit log'))
      auditExport?.wake(head)
    },
  })
  let container: Container | undefined
  try {
    const library = await openPlaybookLibrary({
      store: stores.playbooks,
      catalogue,
      log,
      folder: config.playbooksDir,
      known: () => knownNames(stores, 'all'),
    })
    const exporting = await startAuditExport({
      settings: config.auditExport,
      stores,
      log,
      clock: systemClock,
    })
    auditExport = exporting
    if (config.auditExport.targets.length > 0) metrics.watchAuditExport(() => exporting.states())
    const { wanted, ratio, headers } = config.traces
    const tracing = wanted ? await openTracing({ stores, log, ratio, headers }) : undefined
    const opened = { config, log, stores, catalogue, library, metrics, tracing, page, onSecret: live.add }
    container = createContainer(opened)
    const [runner, storms] = [container.get(tokens.runner), container.get(tokens.storms)]
    const pauses = container.get(tokens.pauses)
    metrics.watchEngine({
      active: () => runner.load().active,
      suspects: () => runner.suspects(),
      storms: () => storms.storms().length,
      isPaused: () => pauses.current() !== undefined,
      playbooks: () => library.written().map(({ name }) => name),
    })
    const { url } = await container.get(tokens.httpServer).listen()
    // Only now: a start that fails, e.g. because the port is in use, must not use up the one time the key is shown.
    const { adminKey } = await bootstrap(stores, config.bootstrapApiKey?.reveal(), systemClock.now())
    // The first providers exist from here on.
    await library.takeUpRefused()
    for (const code of await unknownCodes(config.allowPrivateEgress, stores.organizations)) {
      const { message, hint } = unknownCodeWarning(code)
      log.warn({}, `${message}: ${hint}`)
    }
    await takeUpUnfinished(container)
    log.info({ url, folder: config.dataDir }, 'listening')
    const apiUrl = `${url}/${config.apiPrefix}`
    const started = container
    const pause = started.get(tokens.pauses).current()
    const watch = new AbortController()
    const gone = watchStore({ stores, clock: systemClock, log, signal: watch.signal })
    return {
      url,
      apiUrl,
      adminKey,
      hasPage: page !== undefined,
      config,
      catalogue,
      library,
      log,
      pause,
      gone,
      close() {
        watch.abort()
        return close(started, opened, exporting, () => log.flush())
      },
    }
  } catch (error) {
    await container?.get(tokens.httpServer).close()
    await auditExport?.close()
    await stores.close()
    throw error
  }
}

function configuredSecrets(config: Config): readonly string[] {
  const { bootstrapApiKey, masterKey, nextMasterKey, traces, auditExport } = config
  const given = [
    bootstrapApiKey,
    masterKey,
    nextMasterKey,
    auditExport.authorization,
    ...Object.values(traces.headers),
  ]
  const texts = given.flatMap((secret) => (secret === undefined ? [] : [secret.reveal()]))
  // The last part of a key is what makes it one.
  return [...texts, ...texts.map((text) => text.replace(/^toc_[^_]*_/, ''))]
}

async function takeUpUnfinished(container: Container): Promise<void> {
  // Alerts first, while no run is under way: one that brings the process down is then not taken for the mistake of a run.
  await container.get(tokens.investigations).recover()
  await container.get(tokens.pauses).start()
  await container.get(tokens.runner).recover()
  await container.get(tokens.scheduler).start()
  container.get(tokens.pruner).start()
}

/** From the outside in: nothing more comes in, then nothing more goes on, then the files are let go. */
async function close(
  container: Container,
  { log, stores, metrics, tracing }: Opened,
  auditExport: AuditExport,
  flush: () => void,
): Promise<void> {
  await container.get(tokens.httpServer).close()
  container.get(tokens.scheduler).stop()
  await container.get(tokens.pruner).stop()
  await container.get(tokens.investigations).stop()
  await container.get(tokens.runner).drain(drainMs)
  container.get(tokens.egress).close()
  await tracing?.close()
  await auditExport.close()
  await stores.close()
  metrics.close()
  flush()
  log.info({}, 'stopped')
}
