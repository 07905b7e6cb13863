import type { Account } from '../../../../../core/access/account.ts'
import { peopleFor } from '../../../../../core/case/mentions.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { objectSchema, text } from '../../system/page.ts'
import { requireVisibleOrganization } from '../organizations/lookups.ts'

/** More have to be typed. */
const maxPeople = 500

const apiPersonSchema = objectSchema({
  account_id: { ...text, format: 'uuid' },
  name: text,
  email: text,
})

/** The people who may act on the cases of an organization, by name. */
export async function peopleOfOrganization(
  { stores }: Pick<Services, 'stores'>,
  organizationUuid: string,
): Promise<readonly Account[]> {
  const [accounts, custom] = await Promise.all([stores.accounts.list(), stores.roles.list()])
  return peopleFor(accounts, organizationUuid, custom)
}

const listPeople = defineRoute({
  method: 'GET',
  path: '/organizations/{organization}/people',
  access: 'cases:read',
  summary: `The people who may act on the cases of an organization, by name: at most ${maxPeople}.`,
  answer: objectSchema({ data: { type: 'array', items: apiPersonSchema } }),
  async handle({ params, caller }, services) {
    const { uuid } = await requireVisibleOrganization(caller.scope, params.organization, services)
    const people = (await peopleOfOrganization(services, uuid)).slice(0, maxPeople)
    return {
      body: { data: people.map((each) => ({ account_id: each.uuid, name: each.name, email: each.email })) },
    }
  },
})

export const peopleRoutes = [listPeople]
