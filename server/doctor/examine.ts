import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { endsSoon } from '../../core/access/key-expiry.ts'
import { isUsableAdmin, type ApiKey } from '../../core/domain/api-key.ts'
import { ValidationError } from '../../core/errors/errors.ts'
import { omittedSkills } from '../../core/investigation/find-lookups.ts'
import { knownNames } from '../../core/investigation/known-names.ts'
import type { KnownNames } from '../../core/playbook/scope/context.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { systemClock } from '../clock.ts'
import { readConfig, type Config, type Environment } from '../config/config.ts'
import { organizationWarnings } from '../config/start-warnings.ts'
import { codeOf } from '../egress/allow-lists.ts'
import { createEgress } from '../egress/egress.ts'
import { openSecretSources, withMasterKey } from '../secrets/open-secret-sources.ts'
import { openStores } from '../store/open-stores.ts'
import { checkConnections } from './check-connections.ts'
import { checkDataDir, checkDiskSpace, checkMasterKey } from './check-data-dir.ts'
import { checkDatabase } from './check-database.ts'
import { clientSecretOf } from '../identity/client-secret.ts'
import { createOidcClient } from '../identity/oidc-client.ts'
import { checkSharedSettings, checkSharedDatabase } from './check-shared-database.ts'
import { checkPorts } from './check-port.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'
import type { AuditRecord } from '../../core/domain/audit.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { createTraffic } from '../../core/skill/http/traffic.ts'
import { createStoredTokens, withSignIns } from '../../core/skill/sign-in/stored-tokens.ts'
import { createSecretResolver } from '../../core/skill/connection/secret-resolver.ts'
import { readFile } from 'node:fs/promises'
import { findPlaybookFiles } from '../../core/playbook/read/find-files.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'

export interface ExamineOptions {
  /** Whether to test connections. */
  readonly online: boolean
}

/** Checks everything that an installation depends on, with or without a running server. Changes no data. */
export async function examine(env: Environment, { online }: ExamineOptions): Promise<readonly Finding[]> {
  let config: Config
  try {
    config = await withMasterKey(readConfig(env))
  } catch (error) {
    return configurationProblems(error)
  }
  const settings = config.warnings.map(({ message, hint }) => warning('configuration', message, hint))
  const dataDir = checkDataDir(config.dataDir)
  const findings = [
    ...(settings.length === 0 ? [ok('configuration', 'every variable is valid')] : settings),
    dataDir,
    await checkDiskSpace(config.dataDir, config.store === undefined),
    ...(config.store === undefined
      ? [checkMasterKey(config), ...checkDatabase(config.dataDir, systemClock.now())]
      : await checkSharedDatabase(config, () => systemClock.now())),
    ...(await checkPorts(config)),
    ...(online ? await checkSingleSignOn(config) : []),
  ]
  const isUsable = findings.every(({ check, status }) => check !== 'database' || status === 'ok')
  const hasTables =
    config.store === undefined
      ? existsSync(join(config.dataDir, 'tocsin.db'))
      : findings.some(({ check }) => check === 'audit log')
  const canOpen = hasTables && isUsable && !isBroken(findings)
  return [...findings, ...(await withPlugins(config, canOpen, online))]
}

/**
 * Opening the stores would restrict the permissions of an exposed data directory; leave that to the server.
 */
const isBroken = (findings: readonly Finding[]): boolean =>
  findings.some(({ check, status }) => status !== 'ok' && ['data directory', 'master key'].includes(check))

function configurationProblems(error: unknown): readonly Finding[] {
  if (!(error instanceof ValidationError)) throw error
  return error.errors.map(({ pointer, message }) =>
    problem(
      'configuration',
      `${pointer.slice(1)} ${message}`,
      'see docs/configuration.md for every variable',
    ),
  )
}

async function withPlugins(config: Config, hasStores: boolean, online: boolean): Promise<readonly Finding[]> {
  let catalogue: Catalogue
  try {
    catalogue = await discoverPlugins({ pluginsDir: config.pluginsDir, packages: config.plugins })
  } catch (error) {
    return [problemOf('plugins', error, 'correct TOCSIN_PLUGINS, or the plugin that it names')]
  }
  const { playbooksDir, playbooksDirNamed } = config
  return [
    ok('plugins', `${catalogue.plugins.length} installed`),
    ...omittedSkills(catalogue).map(({ skill, reason }) =>
      warning(
        `skill ${skill}`,
        `generated investigations do not use it: ${reason}`,
        'correct the plugin; its contract test (describePlugin) reports the same',
      ),
    ),
    await checkPlaybooks(
      playbooksDir,
      playbooksDirNamed,
      catalogue,
      hasStores ? await namesIn(config) : undefined,
    ),
    ...(hasStores ? await withStores(config, catalogue, online) : []),
  ]
}

/** The names of connections and providers; none before the first complete start. */
async function namesIn(config: Config): Promise<KnownNames | undefined> {
  const stores = await openStores(config, 'shared')
  try {
    const known = await knownNames(stores, 'all')
    return known.providers.length === 0 ? undefined : known
  } finally {
    await stores.close()
  }
}

async function withStores(
  config: Config,
  catalogue: Catalogue,
  online: boolean,
): Promise<readonly Finding[]> {
  const stores = await openStores(config, 'shared')
  const sources = openSecretSources({ config, codeOf: codeOf(stores.organizations) })
  const egress = createEgress({
    allowPrivate: config.allowPrivateEgress,
    codeOf: codeOf(stores.organizations),
  })
  const secrets = withSignIns(
    createSecretResolver(sources),
    createStoredTokens({
      store: stores.signIns,
      catalogue,
      isRenewing: false,
      egress,
      clock: systemClock,
      traffic: createTraffic(systemClock),
    }),
  )
  try {
    const odd = await organizationWarnings(config, stores)
    const keys = await stores.keys.list()
    const now = systemClock.now()
    const isManaged = keys.some((key) => isUsableAdmin(key, now))
    return [
      isManaged
        ? ok('administrator', 'an admin key for all organizations is usable')
        : warning(
            'administrator',
            'no admin key for all organizations is usable',
            'run: tocsin keys create <name> --role admin',
          ),
      ...checkKeys(keys, now),
      ...odd.map(({ message, hint }) => warning('configuration', message, hint)),
      ...(await checkAuditExport(config, stores, systemClock.now())),
      ...(config.store === undefined ? [] : await checkSharedSettings(config, catalogue, stores.nodes, now)),
      ...(online ? await checkConnections({ stores, catalogue, egress, secrets }) : []),
    ]
  } finally {
    sources.close()
    egress.close()
    await stores.close()
  }
}

/** The keys that end soon, one finding for each. */
const checkKeys = (keys: readonly ApiKey[], now: number): readonly Finding[] =>
  keys
    .filter((key) => endsSoon(key, now))
    .map(({ id, name, role, expiresAt }) =>
      warning(
        `key ${id}`,
        `the ${role} key '${name}' ends on ${new Date(expiresAt ?? now).toISOString().slice(0, 10)}`,
        `renew it: tocsin keys rotate ${id} --expires <day>; or revoke it if nobody needs it`,
      ),
    )

/** Entries that wait longer mean a problem. */
const lateMs = 60_000

/** How many entries each destination of the audit log still lacks, and since when. */
async function checkAuditExport(
  { auditExport }: Pick<Config, 'auditExport'>,
  stores: Pick<Stores, 'audit'>,
  now: number,
): Promise<readonly Finding[]> {
  const [head, cursors] = await Promise.all([stores.audit.head(), stores.audit.exportCursors()])
  return Promise.all(
    auditExport.targets.map(async ({ name }) => {
      const check = `audit export ${name}`
      const cursor = cursors.find(({ destination }) => destination === name)
      if (cursor === undefined)
        return warning(
          check,
          'not started',
          'start the server with these settings; it starts with the first entry',
        )
      const lag = (head?.sequence ?? 0) - cursor.sequence
      const [oldest] = await stores.audit.after(cursor.sequence, 1)
      const since = oldest === undefined ? now : (JSON.parse(oldest.entry) as AuditRecord).at
      const behind = `${lag} ${lag === 1 ? 'entry' : 'entries'} not exported`
      if (oldest === undefined || now - since < lateMs)
        return ok(check, lag === 0 ? `all entries exported, up to ${cursor.sequence}` : behind)
      return warning(
        check,
        `${behind}, the oldest from ${new Date(since).toISOString()}`,
        "check that the server runs and that the destination accepts entries; see the server's log for the reason it does not",
      )
    }),
  )
}

/** Whether every file of the playbooks folder can go live. */
async function checkPlaybooks(
  folder: string,
  isNamed: boolean,
  catalogue: Catalogue,
  known?: KnownNames,
): Promise<Finding> {
  const check = 'playbooks'
  if (!existsSync(folder)) {
    const says = `the folder ${folder} does not exist`
    const hint = 'create it, or set TOCSIN_PLAYBOOKS_DIR to the folder of your playbooks'
    return isNamed ? problem(check, says, hint) : warning(check, says, hint)
  }
  try {
    const paths = await findPlaybookFiles(folder)
    const files = await Promise.all(paths.map(async (file) => ({ file, source: await readFile(file) })))
    const bad = parseTogether(files, { catalogue, known }).filter(({ playbook }) => playbook === undefined)
    if (bad.length === 0) return ok(check, `${files.length} in ${folder}, all valid`)
    const first = bad.flatMap(({ problems }) => problems).find(({ severity }) => severity === 'error')
    const where = first === undefined ? '' : `: ${first.file}:${first.line} ${first.message}`
    const says = `${bad.length} of ${files.length} in ${folder} cannot go live${where}`
    const isOfServer = first !== undefined && ['E304', 'E322', 'E323'].includes(first.code)
    const hint = isOfServer ? 'create it, or correct the playbook' : `run: tocsin validate '${folder}'`
    return warning(check, says, hint)
  } catch (error) {
    return problemOf(check, error, 'make the files readable for the user who runs Tocsin')
  }
}

/** Whether the identity provider answers, names itself as configured, and can end sessions. Nobody signs in. */
async function checkSingleSignOn(
  config: Pick<Config, 'oidc' | 'secrets' | 'allowPrivateEgress'>,
): Promise<readonly Finding[]> {
  const { oidc: settings } = config
  if (settings === undefined) return []
  const check = 'single sign-on'
  const egress = createEgress({ allowPrivate: config.allowPrivateEgress })
  const readSecret = clientSecretOf(config, () => {})
  try {
    const client = createOidcClient({ settings, egress, clock: systemClock, readSecret })
    const { issuer, hasBackChannelLogout } = await client.check()
    const ends = hasBackChannelLogout
      ? 'can end sessions over the back channel'
      : 'has no back-channel logout'
    const found = ok(check, `${issuer} answers and ${ends}; the client secret is tested at the first sign-in`)
    if (settings.roles.length > 0) return [found]
    const says = 'TOCSIN_OIDC_ROLES is not set: only invited people can sign in'
    return [found, warning(check, says, 'set it, or invite people (docs/single-sign-on.md)')]
  } catch (error) {
    return [problemOf(check, error, 'check the TOCSIN_OIDC_… variables (docs/single-sign-on.md)')]
  } finally {
    egress.close()
  }
}
