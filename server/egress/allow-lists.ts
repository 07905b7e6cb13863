import type { OrganizationStore } from '../../core/ports/access/organization-store.ts'
import { parseAllowList, type AllowList } from './allow-list.ts'

/** What the operator allows beyond the public internet, as entries of {@link parseAllowList}. */
export interface PrivateEgress {
  /** For every organization without a list of its own. */
  readonly everyone: readonly string[]
  /** Lists that stand in place of `everyone`, by the code of the organization in lower case. */
  readonly organizations: ReadonlyMap<string, readonly string[]>
}

/** The code of an organization; undefined where there is no such organization. */
export type CodeOf = (organizationUuid: string) => Promise<string | undefined>

/** Looks codes up among the organizations of a store. */
export const codeOf =
  (organizations: Pick<OrganizationStore, 'list'>): CodeOf =>
  async (organizationUuid) =>
    (await organizations.list('all')).find(({ uuid }) => uuid === organizationUuid)?.code

/** Codes that have a list of their own, and no organization: maybe misspelt. */
export async function unknownCodes(
  { organizations: lists }: PrivateEgress,
  organizations: Pick<OrganizationStore, 'list'>,
): Promise<readonly string[]> {
  if (lists.size === 0) return []
  const known = new Set((await organizations.list('all')).map(({ code }) => code.toLowerCase()))
  return [...lists.keys()].filter((code) => !known.has(code))
}

/** What is said of such a code. */
export const unknownCodeWarning = (code: string): { readonly message: string; readonly hint: string } => ({
  message: `TOCSIN_ALLOW_PRIVATE_EGRESS has a list for the organization '${code}', which does not exist`,
  hint: 'correct the code, or create the organization',
})

/**
 * Finds the allow list of an organization. Lists are parsed once.
 *
 * @throws Error that names the entry that cannot be read
 */
export function createAllowLists(
  { everyone, organizations }: PrivateEgress,
  codeOf: CodeOf,
): (organizationUuid: string | undefined) => Promise<AllowList> {
  const common = parseAllowList(everyone)
  const own = new Map([...organizations].map(([code, entries]) => [code, parseAllowList(entries)]))
  const nothing = parseAllowList([])
  // An organization keeps its code.
  const codes = new Map<string, string>()
  return async (organizationUuid) => {
    if (own.size === 0 || organizationUuid === undefined) return common
    const code = codes.get(organizationUuid) ?? (await codeOf(organizationUuid))?.toLowerCase()
    // Nobody says which list it would be.
    if (code === undefined) return nothing
    codes.set(organizationUuid, code)
    return own.get(code) ?? common
  }
}
