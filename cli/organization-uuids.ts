import { NotFoundError } from '../core/errors/errors.ts'
import type { Stores } from '../core/ports/stores.ts'
import { printable } from './output/printable.ts'

/** Uuids of organizations by their codes; null for all. Throws NotFoundError `organization_not_found`. */
export async function uuidsOf(
  stores: Stores,
  codes: readonly string[] | undefined,
): Promise<string[] | null> {
  if (codes === undefined) return null
  const known = await stores.organizations.list('all')
  return codes.map((code) => {
    const organization = known.find((one) => one.code.toLowerCase() === code.toLowerCase())
    if (organization !== undefined) return organization.uuid
    throw new NotFoundError('organization_not_found', `no organization has the code '${printable(code)}'`, {
      hint: `organizations: ${known.map((one) => one.code).join(', ')}`,
    })
  })
}
