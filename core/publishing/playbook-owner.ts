import { ConflictError, ForbiddenError, NotFoundError } from '../errors/errors.ts'
import { haveSameOwner, isFor } from '../playbook/check/owner.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Publication } from '../ports/playbook-store.ts'

/** Codes of the organizations whose playbooks somebody may publish; `all`: of every organization, and shared ones. */
export type PublishScope = 'all' | readonly string[]

type Owned = Pick<Playbook, 'name' | 'organization'>

/** Whether somebody may change a playbook. */
export const isOwn = (scope: PublishScope, { organization }: Pick<Playbook, 'organization'>): boolean =>
  scope === 'all' || (organization !== undefined && scope.some((code) => isFor({ organization }, code)))

/**
 * @throws ConflictError `playbook_name_taken` for a playbook of another organization, whose owner is not told
 * @throws ForbiddenError `key_is_scoped` for a shared playbook
 */
export function requireMayChange(scope: PublishScope, live: Owned | undefined): void {
  if (live === undefined || isOwn(scope, live)) return
  if (live.organization !== undefined) throw nameTaken(live.name)
  throw new ForbiddenError(
    'key_is_scoped',
    `all organizations share the playbook '${live.name}', and you may only change those of ${list(scope)}`,
    { hint: 'save it under another name with `organization` at the top, or ask an administrator' },
  )
}

/**
 * @param live the version that is replaced; undefined: none
 * @throws ForbiddenError `key_is_scoped` if the new version would be a shared one, `playbook_moved` if it would belong to another
 * organization
 */
export function requireMayPublish(scope: PublishScope, live: Owned | undefined, next: Owned): void {
  if (scope === 'all') return
  if (next.organization === undefined)
    throw new ForbiddenError(
      'key_is_scoped',
      `without \`organization\`, all organizations would share the playbook '${next.name}'`,
      { hint: `add \`organization: ${scope[0] ?? '<code>'}\` at the top` },
    )
  if (isOwn(scope, next) && (live === undefined || haveSameOwner(live, next))) return
  throw new ForbiddenError(
    'playbook_moved',
    `the playbook '${next.name}' would belong to another organization`,
    { hint: 'keep its `organization`, or ask an administrator with access to all organizations' },
  )
}

export const nameTaken = (name: string): ConflictError =>
  new ConflictError('playbook_name_taken', `the name '${name}' is taken`, {
    hint: 'choose another name, such as one that begins with the code of your organization',
  })

const list = (scope: PublishScope): string => (scope === 'all' ? 'all' : scope.join(', ')) || 'none'

/** The names that somebody may use who may publish in these organizations. */
export const namesWithin = (known: KnownNames, scope: PublishScope): KnownNames =>
  scope === 'all'
    ? known
    : {
        ...known,
        connections: known.connections.filter(({ organization }) => isOwn(scope, { organization })),
        organizations: scope,
        otherOrganizations: true,
      }

/** Whether somebody who knows these names sees a playbook. */
export const isSeenWith = (known: KnownNames | undefined, { organization }: Owned): boolean =>
  organization === undefined ||
  known?.otherOrganizations !== true ||
  isOwn(known.organizations ?? [], { organization })

/** The hash of a live playbook, if the organization with this code may run it. Default: any organization. */
export const liveHash = (playbook: Playbook | undefined, organization?: string): string | undefined =>
  playbook?.shadow !== undefined || (playbook && organization !== undefined && !isFor(playbook, organization))
    ? undefined
    : playbook?.hash

/**
 * The versions of playbooks with the organizations that they belong to.
 *
 * @param uuidOf the uuid of the organization with a code
 * @throws NotFoundError `organization_not_found`
 */
export async function ownedBy<T extends { readonly playbook: Playbook }>(
  given: readonly T[],
  uuidOf: ((code: string) => Promise<string | undefined>) | undefined,
  publicationOf: (one: T) => Publication | undefined,
) {
  return await Promise.all(
    given.map(async (one) => {
      const { organization } = one.playbook
      const organizationUuid = organization === undefined ? null : await uuidOf?.(organization)
      if (organizationUuid === undefined)
        throw new NotFoundError('organization_not_found', `there is no organization '${organization}'`)
      return { playbook: one.playbook, organizationUuid, publication: publicationOf(one) }
    }),
  )
}
