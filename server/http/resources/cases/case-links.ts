import { caseLinkKinds } from '../../../../core/domain/case.ts'
import { defineRoute } from '../../routing/route.ts'
import { apiCaseLinkSchema } from '../../schemas/case-work.ts'
import { objectSchema, text } from '../system/page.ts'
import { requireCase } from './read-case.ts'

export const linkCases = defineRoute({
  method: 'POST',
  path: '/cases/{case}/links',
  access: 'cases:write',
  summary: 'Links a case with another one of its organization; the link is shown in both.',
  answer: apiCaseLinkSchema,
  body: {
    required: ['case_id', 'kind'],
    properties: {
      case_id: { type: 'string', maxLength: 100, description: 'The other case.' },
      kind: { type: 'string', enum: caseLinkKinds },
    },
  },
  async handle({ params, body, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const link = await services.stores.caseWork.link(
      organizationUuid,
      id,
      body.case_id,
      body.kind,
      caller.actor,
    )
    return { body: link }
  },
})

export const unlinkCases = defineRoute({
  method: 'DELETE',
  path: '/cases/{case}/links/{other}',
  access: 'cases:write',
  summary: 'Removes the link between two cases, from either of them.',
  answer: objectSchema({ case_id: text, unlinked: text }),
  async handle({ params, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    await services.stores.caseWork.unlink(organizationUuid, id, params.other, caller.actor)
    return { body: { case_id: id, unlinked: params.other } }
  },
})
