import {
  assignedTo,
  ownAssigneeId,
  theRequester,
  type NamedAssignee,
} from '../../../../core/case/assignee.ts'
import type { Actor } from '../../../../core/domain/audit.ts'
import type { CaseEdit } from '../../../../core/domain/case.ts'
import { patterns } from '../../request/patterns.ts'
import type { Services } from '../../routing/route.ts'
import { peopleOfOrganization } from '../access/people/people.ts'

/** Fields of a request that name an assignee. */
export const personFields = {
  name: { type: ['string', 'null'], minLength: 1, maxLength: 200, ...patterns.line },
  id: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 100,
    description: 'Instead of the name: uuid of an account that may act on the case. Null: not assigned.',
  },
} as const

/** Finds whom a request assigns; undefined: it does not name an assignee. Throws ValidationError `person_unknown`. */
export async function resolveAssignee(
  services: Pick<Services, 'stores'>,
  organizationUuid: string,
  named: NamedAssignee,
  by: Actor,
) {
  const isSomebody = typeof named.name === 'string' || typeof named.id === 'string'
  const people = isSomebody ? await peopleOfOrganization(services, organizationUuid) : []
  return assignedTo(named, people, by)
}

/** The edit with the person whom it assigns. Throws ValidationError `person_unknown`. */
export async function withPerson(
  services: Pick<Services, 'stores'>,
  organizationUuid: string,
  edit: CaseEdit,
  by: Actor,
): Promise<CaseEdit> {
  const { assignee: name, assigneeId: id, ...others } = edit
  const assigned = await resolveAssignee(services, organizationUuid, { name, id }, by)
  return assigned === undefined ? others : { ...others, assignee: assigned.name, assigneeId: assigned.id }
}

/** A filter by assignee or owner: `me` is the requester, and an empty text means not assigned. */
export function personFilter(name: string | undefined, by: Actor) {
  if (name === '') return { name: null, id: undefined }
  const own = name === theRequester ? ownAssigneeId(by) : null
  return own === null ? { name, id: undefined } : { name: undefined, id: own }
}
