import type { Organization, Provider } from '../../../core/domain/organization.ts'
import type { Scope } from '../../../core/ports/common.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { RequestError } from '../request/request-error.ts'

/** Codes named in an answer, at most. */
const maxNamed = 200

/**
 * Organizations and providers by code, so that posting an alert does not list them each time. Both are only ever added and
 * their codes never change; what is not found here is looked up in the store before it counts as unknown.
 */
export interface Directory {
  /** Ignoring case. Throws RequestError `unknown_organization`, also for one outside the scope. */
  organization(scope: Scope, code: string, pointer: string): Promise<Organization>
  /** What of a scope a filter by an organization leaves; without a code all of it. Throws RequestError `unknown_organization`. */
  scopeWithin(scope: Scope, code: string | undefined): Promise<Scope>
  /** Ignoring case. Throws RequestError `unknown_provider`. */
  provider(code: string, pointer: string): Promise<Provider>
  /** Code of an organization that something stored belongs to. */
  organizationCode(uuid: string): Promise<string>
}

export function createDirectory(stores: Pick<Stores, 'organizations' | 'providers'>): Directory {
  let organizations = new Map<string, Organization>()
  let codes = new Map<string, string>()
  let providers = new Map<string, Provider>()

  async function loadOrganizations(): Promise<void> {
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
    async organizationCode(uuid) {
      if (!codes.has(uuid)) await loadOrganizations()
      return codes.get(uuid) ?? ''
    },
  }
}

/** Codes are ASCII: letters beyond it have lower case too (the Kelvin sign is a `k`), and would be taken for a code. */
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
  // The valid values stand in one place: there can be many.
  return new RequestError(
    `unknown_${kind}`,
    known.length === 0 ? `${message}; this API key sees no ${kind}` : `${message}; valid values: ${list}`,
    {
      hint:
        known.length === 0
          ? `have an administrator create the ${kind}`
          : `use one of the valid values; GET ${kind}s lists them`,
      errors: [{ pointer, message }],
    },
  )
}

/** Both, or everything that is wrong with them in one error. */
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
