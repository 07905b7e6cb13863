import type { Organization, Provider } from '../../../core/domain/organization.ts'
import { isFor } from '../../../core/playbook/check/owner.ts'
import type { Playbook } from '../../../core/playbook/language/playbook.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { RequestError } from '../request/request-error.ts'

/** Codes that an error message lists. */
const maxNamed = 200

/**
 * Caches organizations and providers by code, so that posting an alert does not list them. Both are never
 * deleted and keep their codes; a code that is not cached is looked up in the store, because another node may just have created it.
 */
export interface Directory {
  /** Ignores case. Throws RequestError `unknown_organization`, also for one outside the scope. */
  organization(
    scope: OrganizationScope,
    code: string,
    pointer: string,
  ): Promise<Pick<Organization, 'uuid' | 'code'>>
  /** As `organization`, with its name, limits and rules of now, which are not cached. */
  current(scope: OrganizationScope, code: string, pointer: string): Promise<Organization>
  /**
   * Limits a scope to one organization; without a code returns it unchanged. Throws RequestError
   * `unknown_organization`.
   */
  scopeWithin(scope: OrganizationScope, code: string | undefined): Promise<OrganizationScope>
  /** Ignores case. Throws RequestError `unknown_provider`. */
  provider(code: string, pointer: string): Promise<Provider>
  /** The playbooks that a scope sees: shared ones, and those of its organizations. */
  seen(scope: OrganizationScope, playbooks: readonly Playbook[]): Promise<readonly Playbook[]>
  /** Code of an existing organization. */
  organizationCode(uuid: string): Promise<string>
}

/** What a directory reads. */
export interface DirectoryStores extends Pick<Stores, 'forgetConfiguration'> {
  readonly organizations: Pick<Stores['organizations'], 'list'>
  readonly providers: Pick<Stores['providers'], 'list'>
}

export function createDirectory(stores: DirectoryStores): Directory {
  let organizations = new Map<string, Organization>()
  let codes = new Map<string, string>()
  let providers = new Map<string, Provider>()

  async function loadOrganizations(): Promise<void> {
    stores.forgetConfiguration()
    const all = await stores.organizations.list('all')
    organizations = new Map(all.map((organization) => [organization.code.toLowerCase(), organization]))
    codes = new Map(all.map((organization) => [organization.uuid, organization.code]))
  }

  async function loadProviders(): Promise<void> {
    providers = new Map(
      (await stores.providers.list()).map((provider) => [provider.code.toLowerCase(), provider]),
    )
  }

  return {
    async organization(scope, code, pointer) {
      const key = foldCode(code)
      if (!organizations.has(key)) await loadOrganizations()
      const found = organizations.get(key)
      if (found !== undefined && isInScope(scope, found.uuid)) return found
      const visible = [...organizations.values()].filter(({ uuid }) => isInScope(scope, uuid))
      throw unknown('organization', code, pointer, visible)
    },
    async current(scope, code, pointer) {
      const found = await this.organization(scope, code, pointer)
      const [organization] = await stores.organizations.list([found.uuid])
      return organization!
    },
    async scopeWithin(scope, code) {
      return code === undefined ? scope : [(await this.organization(scope, code, '/organization')).uuid]
    },
    async provider(code, pointer) {
      const key = foldCode(code)
      if (!providers.has(key)) await loadProviders()
      const found = providers.get(key)
      if (found !== undefined) return found
      throw unknown('provider', code, pointer, [...providers.values()])
    },
    async seen(scope, playbooks) {
      if (scope === 'all') return playbooks
      const codes = await Promise.all(scope.map((uuid) => this.organizationCode(uuid)))
      return playbooks.filter(
        (playbook) => playbook.organization === undefined || codes.some((code) => isFor(playbook, code)),
      )
    },
    async organizationCode(uuid) {
      if (!codes.has(uuid)) await loadOrganizations()
      return codes.get(uuid) ?? ''
    },
  }
}

/** Lower-cases ASCII only: the Kelvin sign would otherwise become a `k` and match a code. */
export const foldCode = (code: string): string => (/^[\x20-\x7e]*$/.test(code) ? code.toLowerCase() : '')

function unknown(
  kind: 'organization' | 'provider',
  code: string,
  pointer: string,
  known: readonly { readonly code: string }[],
): RequestError {
  const named = known.slice(0, maxNamed).map((one) => one.code)
  const rest = known.length - named.length
  const list = rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
  const message = `no ${kind} has the code '${code.slice(0, 64)}'`
  // Listed once, in the hint or the message: there can be many.
  return new RequestError(
    `unknown_${kind}`,
    known.length === 0
      ? `${message}; this API key has access to no ${kind}`
      : `${message}; valid values: ${list}`,
    {
      hint:
        known.length === 0
          ? `ask an administrator to create the ${kind}`
          : `use one of the valid values; GET ${kind}s lists them`,
      errors: [{ pointer, message }],
    },
  )
}

/** Looks up both, and reports the errors of both at once. */
export async function bothKnown<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  const [one, other] = await Promise.allSettled([first, second])
  if (one.status === 'fulfilled' && other.status === 'fulfilled') return [one.value, other.value]
  const reasons = [one, other].flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  const [reason, also] = reasons
  if (!(reason instanceof RequestError)) throw reason
  if (also === undefined) throw reason
  if (!(also instanceof RequestError)) throw also
  throw new RequestError(reason.code, `${reason.message}; ${also.message}`, {
    hint: 'use valid values; GET organizations and GET providers list them',
    errors: [...(reason.errors ?? []), ...(also.errors ?? [])],
  })
}
