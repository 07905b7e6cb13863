import { createHash } from 'node:crypto'
import packageJson from '../../package.json' with { type: 'json' }
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { StoredNode } from '../../core/ports/nodes/node-store.ts'
import type { Config } from './config.ts'
import { defaultLocalSignIn } from './oidc-settings.ts'

/** What all nodes on a database must agree on, by the name that people see. */
const sharedSettings = {
  TOCSIN_API_PREFIX: ({ apiPrefix }) => apiPrefix,
  TOCSIN_PUBLIC_URL: ({ publicUrl }) => publicUrl,
  TOCSIN_SECRET_VARIABLES: ({ secrets }) => secrets.variables,
  TOCSIN_SECRETS_DIR: ({ secrets }) => secrets.folder,
  'TOCSIN_VAULT_*': ({ secrets }) => secrets.vault,
  TOCSIN_SHARE_PERCENT: ({ sharePercent }) => sharePercent,
  TOCSIN_MAX_QUEUED: ({ maxQueued }) => maxQueued,
  TOCSIN_SHADOW_SHARE_PERCENT: ({ shadowSharePercent }) => shadowSharePercent,
  TOCSIN_STORM_PER_MINUTE: ({ stormPerMinute }) => stormPerMinute,
  TOCSIN_SLOW_RUN_SECONDS: ({ slowRunMs }) => slowRunMs,
  TOCSIN_GROUP_MINUTES: ({ groupWindowMs }) => groupWindowMs,
  TOCSIN_DESTRUCTIVE_PER_HOUR: ({ destructiveLimits }) => destructiveLimits,
  TOCSIN_APPROVALS: ({ approvalRules }) => approvalRules,
  TOCSIN_CONTAINMENT_CHECK_MINUTES: ({ containmentCheckMs }) => containmentCheckMs,
  TOCSIN_SELF_APPROVAL: ({ selfApproval }) => selfApproval,
  TOCSIN_KEY_DAYS: ({ keyLifetimeMs }) => keyLifetimeMs,
  TOCSIN_SESSION_IDLE_MINUTES: ({ sessions }) => sessions.idleMs,
  TOCSIN_SESSION_MAX_HOURS: ({ sessions }) => sessions.maxMs,
  'TOCSIN_OIDC_*': ({ oidc }) => ({ ...oidc, localSignIn: undefined }),
  TOCSIN_LOCAL_SIGN_IN: ({ oidc }) => oidc?.localSignIn ?? defaultLocalSignIn,
  TOCSIN_KEEP_RUNS_DAYS: ({ keep }) => keep.runsMs,
  TOCSIN_KEEP_ALERTS_DAYS: ({ keep }) => keep.alertsMs,
  TOCSIN_KEEP_FILES_DAYS: ({ keep }) => keep.filesMs,
  TOCSIN_FILE_MB: ({ fileLimits }) => fileLimits.file,
  TOCSIN_CASE_FILES_MB: ({ fileLimits }) => fileLimits.case,
  TOCSIN_FILE_QUOTA_MB: ({ fileLimits }) => fileLimits.organization,
  TOCSIN_AUDIT_EXPORT: ({ auditExport }) => auditExport.targets,
  TOCSIN_ALLOW_PRIVATE_EGRESS: ({ allowPrivateEgress }) => allowPrivateEgress,
} as const satisfies Readonly<Record<string, (config: Config) => unknown>>

const plugins = 'the installed plugins'
/** In this order in {@link digestSettings}; a change of it needs another version of the program. */
const names = [...Object.keys(sharedSettings), plugins]

/** Long enough to see a difference, too short to find a value by trying. */
const digestLength = 4

/** Digests of what all nodes must agree on. Values of secrets are not part of them. */
export const digestSettings = (config: Config, catalogue: Pick<Catalogue, 'plugins'>): string =>
  [...Object.values(sharedSettings).map((read) => read(config)), declarations(catalogue)]
    .map((value, index) => digestOf(names[index]!, value))
    .join('')

const digestOf = (name: string, value: unknown): string =>
  createHash('sha256')
    .update(`${name} ${JSON.stringify(value, asPlain) ?? ''}`)
    .digest('base64url')
    .slice(0, digestLength)

const digestIn = (digests: string, index: number): string =>
  digests.slice(index * digestLength, (index + 1) * digestLength)

/** Skills with their inputs and outputs: playbooks that are valid with one set of plugins may not be with another. */
const declarations = ({ plugins: all }: Pick<Catalogue, 'plugins'>) =>
  all.map(({ name, skills }) => [
    name,
    skills.map((skill) => [
      skill.name,
      skill.effect,
      skill.effect === 'read' ? null : skill.destructive,
      skill.input,
      skill.output,
    ]),
  ])

const asPlain = (_key: string, value: unknown): unknown =>
  value instanceof Map ? [...value].toSorted(([a], [b]) => (a < b ? -1 : 1)) : value

interface ToldSettings {
  /** Version of Tocsin. */
  readonly program: string
  readonly settings: string | undefined
}

/** What a node has told of its settings. */
export const toldSettings = ({ program, report }: Pick<StoredNode, 'program' | 'report'>): ToldSettings => ({
  program,
  settings: report?.settings,
})

/** Names of the settings in which two nodes differ; none if they are of different versions, or one has told nothing yet. */
export function differingSettings(one: ToldSettings, other: ToldSettings): readonly string[] {
  const [ours, theirs] = [one.settings, other.settings]
  if (ours === undefined || theirs === undefined || one.program !== other.program) return []
  return names.filter((_name, index) => digestIn(ours, index) !== digestIn(theirs, index))
}

/** For each node, the names of the settings in which it differs from this one. */
export function settingsBeside(
  nodes: readonly StoredNode[],
  ownId: string,
): (other: StoredNode) => readonly string[] {
  const self = nodes.find(({ id }) => id === ownId)
  return (other) =>
    self === undefined || other.gone !== null
      ? []
      : differingSettings(toldSettings(self), toldSettings(other))
}

/** Whether all other nodes that run have this setting as here; false for one that has another version or has told nothing yet. */
export function othersHaveSame(
  name: keyof typeof sharedSettings,
  config: Config,
  nodes: readonly StoredNode[],
  ownId: string,
): boolean {
  const digest = digestOf(name, sharedSettings[name](config))
  return nodes.every(({ id, gone, program, report }) => {
    if (id === ownId || gone !== null) return true
    const index = program === packageJson.version ? names.indexOf(name) : -1
    return index >= 0 && digestIn(report?.settings ?? '', index) === digest
  })
}
