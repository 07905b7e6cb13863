import type { OrganizationStore } from '../../core/ports/access/organization-store.ts'
import { parseAllowList, type AllowList } from './allow-list.ts'

/** The operator's exceptions beyond the public internet, as entries of {@link parseAllowList}. */
export interface PrivateEgress {
  /** For every organization without its own list. */
  readonly everyone: readonly string[]
  /** Lists that replace `everyone`, by organization code in lower case. */
  readonly organizations: ReadonlyMap<string, readonly string[]>
}

/** The code of an organization; undefined if it does not exist. */
export type CodeOf = (organizationUuid: string) => Promise<string | undefined>

export const codeOf =
  (organizations: Pick<OrganizationStore, 'list'>): CodeOf =>
  async (organizationUuid) =>
    (await organizations.list('all')).find(({ uuid }) => uuid === organizationUuid)?.code

/** Codes in a list of the configuration without an organization; maybe misspelled. */
export async function unknownCodes(
  { organizations: lists }: PrivateEgress,
  organizations: Pick<OrganizationStore, 'list'>,
): Promise<readonly string[]> {
  if (lists.size === 0) return []
  const known = new Set((await organizations.list('all')).map(({ code }) => code.toLowerCase()))
  return [...lists.keys()].filter((code) => !known.has(code))
}

export const unknownCodeWarning = (
  variable: string,
  code: string,
): { readonly message: string; readonly hint: string } => ({
  message: `${variable} has a list for the unknown organization '${code}'`,
  hint: 'correct the code, or create the organization',
})

/**
 * Finds the allow list of an organization. Lists are parsed once.
 *
 * @throws Error naming the invalid entry
 */
export function createAllowLists(
  { everyone, organizations }: PrivateEgress,
  codeOf: CodeOf,
): (organizationUuid: string | undefined) => Promise<AllowList> {
  const common = parseAllowList(everyone)
  const own = new Map([...organizations].map(([code, entries]) => [code, parseAllowList(entries)]))
  const nothing = parseAllowList([])
  // Codes never change.
  const codes = new Map<string, string>()
  return async (organizationUuid) => {
    if (own.size === 0 || organizationUuid === undefined) return common
    const code = codes.get(organizationUuid) ?? (await codeOf(organizationUuid))?.toLowerCase()
    // Without an organization, only the default list applies.
    if (code === undefined) return nothing
    codes.set(organizationUuid, code)
    return own.get(code) ?? common
  }
}
