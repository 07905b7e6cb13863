import { serverNames } from '../core/investigation/known-names.ts'
import { join } from 'node:path'
import type { Run } from '../core/domain/run.ts'
import type { Pause } from '../core/domain/pause.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../core/investigation/playbook-library.ts'
import { withLogFields } from '../core/common/log-context.ts'
import type { UnavailableError } from '../core/errors/errors.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { Log } from '../core/ports/log.ts'
import type { Stores } from '../core/ports/stores.ts'
import type { Catalogue } from '../core/registry/catalogue.ts'
import { discoverPlugins } from '../core/registry/discover-plugins.ts'
import { startAuditExport, type AuditExport } from './audit-export/audit-export.ts'
import { bootstrap } from './access/bootstrap.ts'
import { systemClock } from './clock.ts'
import { installedPlugins, type Config } from './config/config.ts'
import { othersHaveSame } from './config/shared-settings.ts'
import { makeDataDirPrivate } from './config/data-dir.ts'
import { checkConfig, organizationWarnings, warn } from './config/start-warnings.ts'
import { withMasterKey } from './secrets/open-secret-sources.ts'
import { createContainer, type Opened } from './container.ts'
import { tokens, type Container } from './container-tokens.ts'
import { hideSecretVariables } from './config/environment.ts'
import type { Cluster } from './nodes/cluster.ts'
import { figuresOf } from './nodes/node-list.ts'
import { openNodeOf } from './nodes/open-node.ts'
import { rememberError } from './nodes/node-report.ts'
import { loadPage } from './http/page/load-page.ts'
import { createLog } from './log.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { playbookFilesIn } from './playbooks-folder/folder-files.ts'
import type { StoreObservers } from './store/open-stores.ts'
import { createLiveSecrets } from './secrets/live-secrets.ts'
import { openTracing } from './tracing/tracing.ts'
import { stopServer, takeUpUnfinished } from './take-up-and-stop.ts'
import { watchSlowWork } from './slow-work.ts'
import { watchStore } from './store/watch-store.ts'

export interface Tocsin {
  /** Scheme, host and port that it listens on. */
  readonly url: string
  /** Of the listener for health and metrics alone, if there is one. */
  readonly opsUrl: string | undefined
  /** `url` with the prefix of the API. */
  readonly apiUrl: string
  /** The admin key that this start created because none was usable; show it once. */
  readonly adminKey: string | undefined
  /** The link for the first administrator, which this start created with the admin key; show it once. */
  readonly invitationUrl: string | undefined
  readonly hasPage: boolean
  /** Address of the database, for people; undefined: it is in the data directory. */
  readonly database: string | undefined
  readonly config: Config
  readonly catalogue: Catalogue
  readonly library: PlaybookLibrary
  readonly log: Log
  /** The pause that an earlier process left. */
  readonly pause: Pause | undefined
  /**
   * Resolves to the error after the data directory has been missing for some seconds, or to undefined at the end. After an
   * error, end the process without `close`, which would wait for writes that cannot succeed.
   */
  readonly gone: Promise<UnavailableError | undefined>
  /** Stops intake, waits up to `drainMs` for active runs, and closes the data directory. */
  close(): Promise<void>
}

/** Finds the plugins, and remembers in the data directory which ones were checked. */
function findPlugins(config: Config, log: Log): Promise<Catalogue> {
  makeDataDirPrivate(config.dataDir)
  return discoverPlugins(installedPlugins(config), (path, warnings) => {
    const { line, column, code, message } = warnings[0]!
    const reason = `${line}:${column} ${code} ${message}`
    const advice = 'the plugin has warnings; `tocsin plugins check` shows them'
    log.warn({ path, count: warnings.length, reason }, advice)
  })
}

/**
 * Starts the server and resumes the runs of an earlier process.
 *
 * @throws TocsinError for problems of the configuration, the plugins or the data directory
 */
export async function startTocsin(given: Config): Promise<Tocsin> {
  protectProcess()
  const config = await withMasterKey(given, createLog({ level: given.logLevel }))
  const live = createLiveSecrets(configuredSecrets(config))
  const { log, lastError, followClock } = openLog(config, live.redact)
  checkConfig(config, log)
  const catalogue = await findPlugins(config, log)
  const metrics = metricsOf(config, catalogue)
  const slowWork = watchSlowWork({ log, slowRunMs: config.slowRunMs })
  const page = await loadPage(join(import.meta.dirname, 'web/dist'))
  let auditExport: AuditExport | undefined
  const observers: StoreObservers = {
    live,
    onCommit: (commit) => [metrics, slowWork].forEach((watch) => watch.committed(commit)),
    // A log kept outside the database can later prove that no entry was cut off.
    onAuditHead(head) {
      withLogFields({}, () => log.info({ ...head }, 'audit log'))
      auditExport?.wake(head)
    },
  }
  const { stores, node, endStandby } = await openNodeOf(config, observers, log)
  followClock(node.clock)
  let container: Container | undefined
  try {
    const library = await openLibrary(config, stores, catalogue, log, node.cluster)
    const exporting = await startExport(config, { stores, node, log, metrics })
    auditExport = exporting
    const tracing = config.traces.wanted ? await openTracing({ ...config.traces, stores, log }) : undefined
    const onRunEnded = (run: Run) => [metrics, slowWork, tracing].forEach((watch) => watch?.runEnded(run))
    const opened = {
      config,
      log,
      stores,
      catalogue,
      library,
      metrics,
      tracing,
      onRunEnded,
      page,
      node,
      lastError,
      onSecret: live.add,
    }
    const created = (container = createContainer(opened))
    watchEngine(created, opened)
    node.reportWith(created.get(tokens.nodeReport))
    await endStandby()
    const served = await serve(created, opened)
    const stopWatching = new AbortController()
    const close = async (): Promise<void> => {
      stopWatching.abort()
      await stopServer(created, opened, exporting)
      slowWork.flush()
      log.flush()
      log.info({}, 'stopped')
    }
    return {
      ...served,
      apiUrl: `${served.url}/${config.apiPrefix}`,
      hasPage: page !== undefined,
      database: node.database,
      config,
      catalogue,
      library,
      log,
      pause: created.get(tokens.pauses).current(),
      gone: watchStore({ stores, clock: node.clock, log, signal: stopWatching.signal }),
      close,
    }
  } catch (error) {
    await endStandby()
    await container?.get(tokens.httpServer).close()
    await auditExport?.close()
    await node.leave()
    await stores.close()
    throw error
  }
}

/** Dates the last error by the clock of the machine, and then by that of the node. */
function openLog({ logLevel }: Config, redact: (text: string) => string) {
  let clock: Pick<Clock, 'now'> = systemClock
  const remembered = rememberError(createLog({ level: logLevel, redact }), { now: () => clock.now() })
  return { ...remembered, followClock: (given: Pick<Clock, 'now'>) => void (clock = given) }
}

function openLibrary(
  { playbooksDir }: Config,
  stores: Stores,
  catalogue: Catalogue,
  log: Log,
  { exclusive, signals, others }: Cluster,
) {
  return openPlaybookLibrary({
    store: stores.playbooks,
    catalogue,
    log,
    files: playbookFilesIn(playbooksDir),
    ...serverNames(stores),
    exclusive,
    onPublished: () => signals.publish({ kind: 'playbooks_changed' }),
    onReload: () => signals.publish({ kind: 'folder_asked' }),
    told: () => others().find(({ folder }) => folder !== undefined)?.folder,
  })
}

async function startExport(
  config: Config,
  { stores, node, log, metrics }: Pick<Opened, 'stores' | 'node' | 'log' | 'metrics'>,
): Promise<AuditExport> {
  const { exclusive } = node.cluster
  const { auditExport: settings } = config
  const mayForget = async () =>
    othersHaveSame('TOCSIN_AUDIT_EXPORT', config, await stores.nodes.list(), stores.nodes.id)
  const exporting = await startAuditExport({ settings, stores, exclusive, mayForget, log, clock: node.clock })
  if (settings.targets.length > 0) metrics.watchAuditExport(() => exporting.states())
  return exporting
}

function protectProcess(): void {
  // Files of the server are for its owner; commands that write files for users run without a server.
  process.umask(0o077)
  // The default handler opens the inspector, through which any local user could run code in this process.
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => undefined)
  hideSecretVariables()
}

const metricsOf = ({ dataDir }: Config, { plugins, skills }: Catalogue): Metrics =>
  createMetrics({
    dataDir,
    plugins: plugins.map(({ name }) => name),
    skills: skills.map(({ name }) => name),
    signInPlugins: new Set(plugins.filter(({ connection }) => connection?.signIn).map(({ name }) => name)),
  })

function watchEngine(container: Container, { metrics, library, stores }: Opened): void {
  const [runner, storms] = [container.get(tokens.runner), container.get(tokens.storms)]
  metrics.watchEngine({
    active: () => runner.load().active,
    suspects: () => runner.suspects(),
    storms: () => storms.storms().length,
    isPaused: () => container.get(tokens.pauses).current() !== undefined,
    playbooks: () => library.authored().map(({ name }) => name),
    isFolderRefused: () => library.refusedChange() !== undefined,
  })
  metrics.watchNodes(async () => figuresOf(await container.get(tokens.nodeList)(), stores.nodes.id))
}

/** Listens, creates the data for a first start, and resumes the work of an earlier process. */
async function serve(container: Container, opened: Opened) {
  const { config, log, stores, library } = opened
  // From the first request on.
  container.get(tokens.events).takeOver()
  container.get(tokens.shadows).takeOver()
  const { url, opsUrl } = await container.get(tokens.httpServer).listen()
  // After listening: a start that fails, e.g. because the port is in use, must not use up the one time the key is shown.
  const { adminKey, invitationUrl } = await bootstrap(
    stores,
    config.bootstrapApiKey?.reveal(),
    config.publicUrl ?? url,
    opened.node.clock.now(),
  )
  // Playbooks may name the providers that bootstrap has just created.
  await library.takeUpRefused()
  warn(log, await organizationWarnings(config, stores))
  // Before any run has a turn: a step must not spend its timeout on the start of a thread.
  await container.get(tokens.skillPool)?.start()
  await takeUpUnfinished(container, opened)
  void container.get(tokens.singleSignOn)?.checkProvider(log)
  log.info({ url, folder: config.dataDir }, 'listening')
  if (opsUrl !== undefined) log.info({ url: opsUrl }, 'listening for health and metrics')
  return { url, opsUrl, adminKey, invitationUrl }
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
  // Only the last part of a key is secret.
  return [...texts, ...texts.map((text) => text.replace(/^toc_[^_]*_/, ''))]
}
