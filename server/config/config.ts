import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultReloadSeconds } from '../../core/publishing/folder-watch.ts'
import { defaultContainmentCheckMs } from '../../core/destructive/checks/containment-checks.ts'
import { defaultGroupWindowMs } from '../../core/domain/alert-group.ts'
import { fileLimitsOf, type FileLimits } from '../../core/transitions/case-files.ts'
import { serverLimits } from '../../core/destructive/policy.ts'
import type { ApprovalRule, DestructiveLimits } from '../../core/domain/destructive-use.ts'
import { defaultKeyLifetimeMs } from '../../core/access/key-expiry.ts'
import { selfApprovals, type SelfApproval } from '../../core/engine/turns/approved-by-another.ts'
import { defaultSharePercent } from '../../core/engine/turns/fair-share.ts'
import { defaultMaxRuns } from '../../core/engine/turns/runner.ts'
import { defaultMaxQueued } from '../../core/investigation/investigations.ts'
import type { SessionLimits } from '../../core/domain/session.ts'
import type { Retention } from '../../core/retention/pruner.ts'
import { defaultShadowSharePercent } from '../../core/shadow/shadow-worker.ts'
import { defaultStormPerMinute } from '../../core/investigation/storm-watch.ts'
import { ValidationError, type PointedMessage } from '../../core/errors/errors.ts'
import { Secret } from '../../core/plugin/index.ts'
import type { PrivateEgress } from '../egress/allow-lists.ts'
import { exportWarnings } from '../audit-export/settings.ts'
import type { AuditExportSettings } from '../audit-export/audit-export.ts'
import { clearTextWarnings, unknownVariables, type ConfigWarning } from './config-warnings.ts'
import type { PluginSources } from '../../core/registry/plugin-modules.ts'
import * as read from './config-values.ts'
import { oidcVariables, readOidcSettings, type OidcSettings } from './oidc-settings.ts'
import { readSecretSettings, secretVariables, type SecretSettings } from './secret-settings.ts'
import { defaultSessionLimits } from '../access/sessions.ts'
import { readTraceSettings, type TraceSettings } from '../tracing/trace-settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Read once, at start, from environment variables; see docs/configuration.md. */
export interface Config {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Port of a second listener for health and metrics only; 0: any free port; undefined: there is none. */
  readonly opsPort: number | undefined
  /** Absolute. */
  readonly dataDir: string
  /** The address of a PostgreSQL database, or a reference, see `readOperatorSecret`; undefined: SQLite in the data directory. */
  readonly store: Secret | undefined
  /** Waits for the data directory while another process has it, and takes part in failover. */
  readonly standby: boolean
  /** Time between the signal to stop and the end of intake, during which the server says that it is not ready, in milliseconds. */
  readonly drainMs: number
  /** Without slashes at its ends. */
  readonly apiPrefix: string
  /**
   * The address for browsers and other systems, without trailing slash; undefined: where the server listens.
   */
  readonly publicUrl: string | undefined
  /** From the `OTEL_…` variables of OpenTelemetry. */
  readonly traces: TraceSettings
  /** 32 bytes in base64, or a reference, see `withMasterKey`; undefined: `master.key` in the data directory. */
  readonly masterKey: Secret | undefined
  /** 32 bytes in base64, or a reference: the key after a rotation; undefined: a file. */
  readonly nextMasterKey: Secret | undefined
  /** Where connections may keep secrets instead of storing them. */
  readonly secrets: SecretSettings
  /** Stored when no admin key for all organizations is usable, e.g. at the first start. */
  readonly bootstrapApiKey: Secret | undefined
  /** Absolute. */
  readonly playbooksDir: string
  /** Set explicitly, so the folder must exist. */
  readonly playbooksDirNamed: boolean
  /** Time between two looks at the playbooks folder, in milliseconds; 0: it is read at the start alone. */
  readonly playbooksReloadMs: number
  /** The folder of built-in plugins, absolute. */
  readonly pluginsDir: string
  /** Additional plugins: package names or module paths. */
  readonly plugins: readonly string[]
  /** Threads that run skills; 0: the main thread runs them. */
  readonly workers: number
  /** Runs that may be active at once. */
  readonly maxRuns: number
  /** Percentage of `maxRuns` for one organization while others have queued runs. */
  readonly sharePercent: number
  /** Runs of one organization that may wait for their first turn. */
  readonly maxQueued: number
  /** Largest share of the rate limits of connections that shadows use, in percent. */
  readonly shadowSharePercent: number
  /** Alerts of one organization per minute that count as a storm. */
  readonly stormPerMinute: number
  /** The log reports runs that end this many milliseconds or more after their alert; 0: never. */
  readonly slowRunMs: number
  /** Destructive actions per class, organization and hour that need no approval. */
  readonly destructiveLimits: DestructiveLimits
  /** Approval rules after those of each organization. */
  readonly approvalRules: readonly ApprovalRule[]
  /** Time between two reads of the state of a containment, in milliseconds; 0: it is not read. */
  readonly containmentCheckMs: number
  /** Whether the requester of a run may approve its actions. */
  readonly selfApproval: SelfApproval
  /** How long repeats of an alert join its case; 0: only if a playbook says so. */
  readonly groupWindowMs: number
  /** Addresses and ranges of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[]
  readonly keep: Retention
  /** Lifetime of API keys that are created without an end, in milliseconds; null: such keys do not expire. */
  readonly keyLifetimeMs: number | null
  readonly fileLimits: FileLimits
  readonly sessions: SessionLimits
  /** Undefined: people sign in without single sign-on. */
  readonly oidc: OidcSettings | undefined
  readonly auditExport: AuditExportSettings
  readonly logLevel: read.LogLevel
  /** Private addresses that connections may reach, in lower case: `host`, `host:port` or an address range. */
  readonly allowPrivateEgress: PrivateEgress
  /** Logged at start, e.g. unknown variables that begin with TOCSIN_. */
  readonly warnings: readonly ConfigWarning[]
}

const pluginsDir = fileURLToPath(new URL('../../plugins', import.meta.url))

const variables = {
  TOCSIN_HOST: read.host,
  TOCSIN_PORT: read.integerBetween(0, 65_535),
  TOCSIN_OPS_PORT: read.integerBetween(0, 65_535),
  TOCSIN_DATA_DIR: read.path,
  TOCSIN_STORE: read.store,
  TOCSIN_STANDBY: read.oneOf(['on', 'off']),
  TOCSIN_DRAIN_SECONDS: read.integerBetween(0, 300),
  TOCSIN_API_PREFIX: read.prefix,
  TOCSIN_PUBLIC_URL: read.publicUrl,
  TOCSIN_TRUSTED_PROXIES: read.proxies,
  TOCSIN_MASTER_KEY: read.masterKey,
  TOCSIN_NEXT_MASTER_KEY: read.masterKey,
  TOCSIN_BOOTSTRAP_API_KEY: read.apiKey,
  ...secretVariables,
  TOCSIN_PLAYBOOKS_DIR: read.path,
  TOCSIN_PLAYBOOKS_RELOAD_SECONDS: read.integerBetween(0, 3_600),
  TOCSIN_PLUGINS: read.pluginSources,
  TOCSIN_WORKERS: read.integerBetween(0, 64),
  TOCSIN_MAX_RUNS: read.integerBetween(1, 10_000),
  TOCSIN_SHARE_PERCENT: read.integerBetween(1, 100),
  TOCSIN_MAX_QUEUED: read.integerBetween(1, 10_000_000),
  TOCSIN_SHADOW_SHARE_PERCENT: read.integerBetween(1, 100),
  TOCSIN_STORM_PER_MINUTE: read.integerBetween(1, 10_000_000),
  TOCSIN_SLOW_RUN_SECONDS: read.integerBetween(0, 31_536_000),
  TOCSIN_GROUP_MINUTES: read.integerBetween(0, 10_080),
  TOCSIN_DESTRUCTIVE_PER_HOUR: read.destructiveLimits,
  TOCSIN_APPROVALS: read.approvals,
  TOCSIN_CONTAINMENT_CHECK_MINUTES: read.integerBetween(0, 10_080),
  TOCSIN_SELF_APPROVAL: read.oneOf(selfApprovals),
  TOCSIN_KEY_DAYS: read.daysOrNever,
  TOCSIN_SESSION_IDLE_MINUTES: read.integerBetween(1, 10_080),
  TOCSIN_SESSION_MAX_HOURS: read.integerBetween(1, 720),
  ...oidcVariables,
  TOCSIN_KEEP_RUNS_DAYS: read.integerBetween(1, 36_500),
  TOCSIN_KEEP_ALERTS_DAYS: read.integerBetween(1, 36_500),
  TOCSIN_KEEP_FILES_DAYS: read.integerBetween(1, 36_500),
  TOCSIN_FILE_QUOTA_MB: read.integerBetween(0, 1_000_000),
  TOCSIN_CASE_FILES_MB: read.integerBetween(0, 1_000_000),
  TOCSIN_FILE_MB: read.integerBetween(1, 1_000),
  TOCSIN_AUDIT_EXPORT: read.exportTargets,
  TOCSIN_AUDIT_EXPORT_AUTHORIZATION: read.headerValue,
  TOCSIN_LOG_LEVEL: read.oneOf(read.logLevels),
  TOCSIN_ALLOW_PRIVATE_EGRESS: read.privateEgress,
} as const

const fileVariables = ['TOCSIN_FILE_MB', 'TOCSIN_CASE_FILES_MB', 'TOCSIN_FILE_QUOTA_MB'] as const

const defaultSlowRunSeconds = 300

type Variable = keyof typeof variables

export const variableNames = Object.keys(variables) as readonly Variable[]

/**
 * Reads the configuration from an environment. An empty variable counts as unset.
 *
 * @throws ValidationError `config_invalid`, naming every invalid variable and its fix; secret values are not
 * quoted
 * @example readConfig(process.env).port // 8080
 */
export function readConfig(env: Environment): Config {
  const problems: PointedMessage[] = []

  function value<Name extends Variable>(name: Name): ReturnType<(typeof variables)[Name]> | undefined {
    const text = env[name]?.trim()
    if (text === undefined || text === '') return undefined
    try {
      return variables[name](text) as ReturnType<(typeof variables)[Name]>
    } catch (error) {
      if (!(error instanceof read.Unusable)) throw error
      problems.push({ pointer: `/${name}`, message: error.message })
      return undefined
    }
  }

  const playbooksDir = value('TOCSIN_PLAYBOOKS_DIR')
  const [keepRuns, keepAlerts] = [value('TOCSIN_KEEP_RUNS_DAYS'), value('TOCSIN_KEEP_ALERTS_DAYS')]
  if (keepRuns !== undefined && keepAlerts !== undefined && keepAlerts < keepRuns)
    problems.push({ pointer: '/TOCSIN_KEEP_ALERTS_DAYS', message: alertsBeforeRuns(keepAlerts, keepRuns) })
  const [port, opsPort] = [value('TOCSIN_PORT') ?? 8080, value('TOCSIN_OPS_PORT')]
  if (port !== 0 && opsPort === port)
    problems.push({ pointer: '/TOCSIN_OPS_PORT', message: `is ${port}, as TOCSIN_PORT: choose another port` })
  const [host, publicUrl] = [value('TOCSIN_HOST') ?? '127.0.0.1', value('TOCSIN_PUBLIC_URL')]
  const [traces, dataDir] = [readTraceSettings(env), resolve(value('TOCSIN_DATA_DIR') ?? 'data')]
  const auditExport = {
    targets: value('TOCSIN_AUDIT_EXPORT') ?? [],
    authorization: secret(value('TOCSIN_AUDIT_EXPORT_AUTHORIZATION')),
  }
  const config: Config = {
    host,
    port,
    opsPort,
    dataDir,
    store: secret(value('TOCSIN_STORE')),
    standby: value('TOCSIN_STANDBY') === 'on',
    drainMs: (value('TOCSIN_DRAIN_SECONDS') ?? 0) * 1_000,
    apiPrefix: value('TOCSIN_API_PREFIX') ?? 'api',
    publicUrl,
    trustedProxies: value('TOCSIN_TRUSTED_PROXIES') ?? [],
    masterKey: secret(value('TOCSIN_MASTER_KEY')),
    secrets: readSecretSettings(value, dataDir, problems),
    nextMasterKey: secret(value('TOCSIN_NEXT_MASTER_KEY')),
    bootstrapApiKey: secret(value('TOCSIN_BOOTSTRAP_API_KEY')),
    playbooksDir: resolve(playbooksDir ?? 'playbooks'),
    playbooksDirNamed: playbooksDir !== undefined,
    playbooksReloadMs: (value('TOCSIN_PLAYBOOKS_RELOAD_SECONDS') ?? defaultReloadSeconds) * 1_000,
    pluginsDir,
    plugins: value('TOCSIN_PLUGINS') ?? [],
    traces,
    workers: value('TOCSIN_WORKERS') ?? availableParallelism() - 1,
    maxRuns: value('TOCSIN_MAX_RUNS') ?? defaultMaxRuns,
    sharePercent: value('TOCSIN_SHARE_PERCENT') ?? defaultSharePercent,
    maxQueued: value('TOCSIN_MAX_QUEUED') ?? defaultMaxQueued,
    shadowSharePercent: value('TOCSIN_SHADOW_SHARE_PERCENT') ?? defaultShadowSharePercent,
    stormPerMinute: value('TOCSIN_STORM_PER_MINUTE') ?? defaultStormPerMinute,
    slowRunMs: (value('TOCSIN_SLOW_RUN_SECONDS') ?? defaultSlowRunSeconds) * 1_000,
    destructiveLimits: serverLimits(value('TOCSIN_DESTRUCTIVE_PER_HOUR')),
    approvalRules: value('TOCSIN_APPROVALS') ?? [],
    containmentCheckMs: minutes(value('TOCSIN_CONTAINMENT_CHECK_MINUTES')) ?? defaultContainmentCheckMs,
    selfApproval: value('TOCSIN_SELF_APPROVAL') ?? 'never',
    groupWindowMs: minutes(value('TOCSIN_GROUP_MINUTES')) ?? defaultGroupWindowMs,
    keyLifetimeMs: keyLifetime(value('TOCSIN_KEY_DAYS')),
    sessions: sessionLimits(value('TOCSIN_SESSION_IDLE_MINUTES'), value('TOCSIN_SESSION_MAX_HOURS')),
    oidc: readOidcSettings(value, publicUrl, problems),
    keep: retention(keepRuns, keepAlerts, value('TOCSIN_KEEP_FILES_DAYS')),
    fileLimits: fileLimitsOf(fileVariables.map(value)),
    auditExport,
    logLevel: value('TOCSIN_LOG_LEVEL') ?? 'info',
    allowPrivateEgress: value('TOCSIN_ALLOW_PRIVATE_EGRESS') ?? { everyone: [], organizations: new Map() },
    warnings: [
      ...unknownVariables(env, variableNames),
      ...clearTextWarnings(host, publicUrl),
      ...exportWarnings(auditExport.targets, auditExport.authorization !== undefined),
      ...traces.warnings,
    ],
  }
  if (problems.length > 0) throw invalid(problems)
  return config
}

const sessionLimits = (idleMinutes: number | undefined, maxHours: number | undefined): SessionLimits => ({
  idleMs: minutes(idleMinutes) ?? defaultSessionLimits.idleMs,
  maxMs: hours(maxHours) ?? defaultSessionLimits.maxMs,
})

const keyLifetime = (given: number | 'never' | undefined): number | null =>
  given === 'never' ? null : (days(given) ?? defaultKeyLifetimeMs)

const retention = (runs?: number, alerts?: number, files?: number): Retention => ({
  runsMs: days(runs),
  alertsMs: days(alerts),
  filesMs: days(files),
})

const times = (unit: number) => (count: number | undefined) =>
  count === undefined ? undefined : count * unit
const [minutes, hours, days] = [times(60_000), times(3_600_000), times(86_400_000)]

const alertsBeforeRuns = (alerts: number, runs: number): string =>
  `is ${alerts}; alerts are deleted with their runs, which TOCSIN_KEEP_RUNS_DAYS keeps for ${runs} days: use at least ${runs}`

const secret = (text: string | undefined): Secret | undefined =>
  text === undefined ? undefined : new Secret(text)

function invalid(problems: readonly PointedMessage[]): ValidationError {
  const lines = problems.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`)
  return new ValidationError(
    'config_invalid',
    `the configuration is invalid:\n  ${lines.join('\n  ')}`,
    problems,
    {
      hint: 'fix these environment variables, or leave them unset to use the defaults (docs/configuration.md)',
    },
  )
}

/** The plugins of a server, and the file that remembers which of them were checked. */
export const installedPlugins = ({ pluginsDir, plugins, dataDir }: Config): PluginSources => ({
  pluginsDir,
  packages: plugins,
  checkedFile: resolve(dataDir, 'tocsin.plugins.json'),
})
