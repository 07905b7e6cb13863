import { statSync } from 'node:fs'
import { NotFoundError } from '../../core/errors/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import { peopleRoles } from '../../core/access/permissions.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { unknownCodes, unknownCodeWarning } from '../egress/allow-lists.ts'
import { sharedAreas, sharedAreaWarning } from '../secrets/sources/secret-sources.ts'
import type { ConfigWarning } from './config-warnings.ts'
import type { Config } from './config.ts'

/** Warnings about the configuration for the existing organizations. */
export async function organizationWarnings(
  { allowPrivateEgress, secrets, oidc }: Pick<Config, 'allowPrivateEgress' | 'secrets' | 'oidc'>,
  { organizations, roles }: Pick<Stores, 'organizations' | 'roles'>,
): Promise<readonly ConfigWarning[]> {
  const egress = await unknownCodes(allowPrivateEgress, organizations)
  const variables = secrets.variables && (await unknownCodes(secrets.variables, organizations))
  const all = await organizations.list('all')
  const known = new Set(all.map(({ code }) => code.toLowerCase()))
  const mapped = new Set(oidc?.roles.flatMap(({ organizationCodes = [] }) => organizationCodes))
  const custom = new Set((await roles.list()).map(({ name }) => name.toLowerCase()))
  const isKnown = (role: string) =>
    peopleRoles.some((known) => known === role) || custom.has(role.toLowerCase())
  const unknownRoles = new Set(oidc?.roles.map(({ role }) => role).filter((role) => !isKnown(role)))
  const unmapped = [...mapped].filter((code) => !known.has(code.toLowerCase()))
  return [
    ...egress.map((code) => unknownCodeWarning('TOCSIN_ALLOW_PRIVATE_EGRESS', code)),
    ...(variables ?? []).map((code) => unknownCodeWarning('TOCSIN_SECRET_VARIABLES', code)),
    ...[...unknownRoles].map((role) => ({
      message: `TOCSIN_OIDC_ROLES gives the unknown role '${role}'`,
      hint: `correct it, or create the role; ${peopleRoles.join(', ')} are built in`,
    })),
    ...unmapped.map((code) => unknownCodeWarning('TOCSIN_OIDC_ROLES', code)),
    ...(all.length > 1 ? sharedAreas(secrets).map(sharedAreaWarning) : []),
  ]
}

/** Logs the warnings about the configuration. Throws NotFoundError `playbooks_dir_missing`. */
export function checkConfig(config: Config, log: Log): void {
  warn(log, config.warnings)
  requirePlaybooksDir(config, log)
}

export function warn(log: Log, warnings: readonly ConfigWarning[]): void {
  for (const { message, hint } of warnings) log.warn({}, `${message}: ${hint}`)
}

/**
 * A playbooks folder that was set explicitly must exist: otherwise other playbooks than intended would
 * investigate every alert. Without the default folder the server starts with a warning.
 *
 * @throws NotFoundError `playbooks_dir_missing`
 */
function requirePlaybooksDir(
  { playbooksDir, playbooksDirNamed }: Pick<Config, 'playbooksDir' | 'playbooksDirNamed'>,
  log: Log,
): void {
  const found = statSync(playbooksDir, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  const what = found === undefined ? 'does not exist' : 'is not a folder'
  if (playbooksDirNamed || found !== undefined) {
    throw new NotFoundError('playbooks_dir_missing', `the playbooks folder ${playbooksDir} ${what}`, {
      hint: 'set TOCSIN_PLAYBOOKS_DIR to the folder of your playbooks, create that folder, or leave the variable unset for ./playbooks',
    })
  }
  log.warn(
    { folder: playbooksDir },
    'the playbooks folder does not exist: alerts are investigated by generated playbooks',
  )
}
