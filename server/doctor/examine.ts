import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isUsableAdmin } from '../../core/domain/api-key.ts'
import { ValidationError } from '../../core/errors/errors.ts'
import { leftOutSkills } from '../../core/investigation/find-lookups.ts'
import { knownNames } from '../../core/investigation/known-names.ts'
import type { KnownNames } from '../../core/playbook/scope/context.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { systemClock } from '../clock.ts'
import { readConfig, type Config, type Environment } from '../config/config.ts'
import { codeOf, unknownCodes, unknownCodeWarning } from '../egress/allow-lists.ts'
import { createEgress } from '../egress/egress.ts'
import { openStores } from '../store/open-stores.ts'
import { checkAuditExport } from './check-audit-export.ts'
import { checkConnections } from './check-connections.ts'
import { checkDataDir, checkDiskSpace } from './check-data-dir.ts'
import { checkDatabase } from './check-database.ts'
import { checkMasterKey } from './check-master-key.ts'
import { checkPlaybooks } from './check-playbooks.ts'
import { checkPort } from './check-port.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

export interface ExamineOptions {
  /** Whether other systems are asked about their connections. */
  readonly online: boolean
}

/** Looks at everything that an installation depends on, beside a running server or without one. Changes no data. */
export async function examine(env: Environment, { online }: ExamineOptions): Promise<readonly Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    return configurationProblems(error)
  }
  const settings = config.warnings.map(({ message, hint }) => warning('configuration', message, hint))
  const findings = [
    ...(settings.length === 0 ? [ok('configuration', 'every variable is usable')] : settings),
    checkDataDir(config.dataDir),
    await checkDiskSpace(config.dataDir),
    checkMasterKey(config),
    ...checkDatabase(config.dataDir, systemClock.now()),
    await checkPort(config),
  ]
  const isUsable = findings.every(({ check, status }) => check !== 'database' || status === 'ok')
  return [...findings, ...(await withPlugins(config, isUsable && !isBroken(findings), online))]
}

/** Opening the stores would close a data directory that is open to others: that is the start's to do. */
const isBroken = (findings: readonly Finding[]): boolean =>
  findings.some(({ check, status }) => status !== 'ok' && ['data directory', 'master key'].includes(check))

function configurationProblems(error: unknown): readonly Finding[] {
  if (!(error instanceof ValidationError)) throw error
  return error.errors.map(({ pointer, message }) =>
    problem(
      'configuration',
      `${pointer.slice(1)} ${message}`,
      'docs/configuration.md describes every variable',
    ),
  )
}

async function withPlugins(config: Config, canOpen: boolean, online: boolean): Promise<readonly Finding[]> {
  let catalogue: Catalogue
  try {
    catalogue = await discoverPlugins({ pluginsDir: config.pluginsDir, packages: config.plugins })
  } catch (error) {
    return [problemOf('plugins', error, 'correct TOCSIN_PLUGINS, or what it names')]
  }
  const { playbooksDir, playbooksDirNamed } = config
  const hasStores = canOpen && existsSync(join(config.dataDir, 'tocsin.db'))
  return [
    ok('plugins', `${catalogue.plugins.length} installed`),
    ...leftOutSkills(catalogue).map(({ skill, reason }) =>
      warning(
        `skill ${skill}`,
        `generated investigations leave it out: ${reason}`,
        'correct the plugin; its contract test (describePlugin) says the same',
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

/** Of connections and providers; a server that has never run to its end of the start has none. */
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
  const egress = createEgress({
    allowPrivate: config.allowPrivateEgress,
    codeOf: codeOf(stores.organizations),
  })
  try {
    const unknown = await unknownCodes(config.allowPrivateEgress, stores.organizations)
    const isManaged = (await stores.keys.list()).some((key) => isUsableAdmin(key, systemClock.now()))
    return [
      isManaged
        ? ok('administrator', 'there is a usable key for all organizations')
        : warning(
            'administrator',
            'no key of an administrator for all organizations is usable',
            'run: tocsin keys create <name> --role admin',
          ),
      ...unknown.map(unknownCodeWarning).map(({ message, hint }) => warning('configuration', message, hint)),
      ...(await checkAuditExport(config, stores, systemClock.now())),
      ...(online ? await checkConnections({ stores, catalogue, egress }) : []),
    ]
  } finally {
    egress.close()
    await stores.close()
  }
}
