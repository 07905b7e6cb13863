import { mergeBounds } from '../../../../core/transitions/correlate/merge.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { caseView } from './case-view.ts'
import { requireCase } from './read-case.ts'

const caseId = { type: 'string', minLength: 1, maxLength: 100 } as const

export const mergeCases = defineRoute({
  method: 'POST',
  path: '/cases/{case}/merge',
  access: 'cases:write',
  summary:
    'Moves the alerts, runs and files of other cases into this one and closes those, if the caller has read their current state.',
  status: 200,
  answer: component('case'),
  headers: ifMatchHeader,
  body: {
    required: ['cases'],
    properties: {
      cases: {
        type: 'array',
        minItems: 1,
        maxItems: mergeBounds.cases,
        description: 'The cases to merge into this one.',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['case_id', 'revision'],
          properties: {
            case_id: caseId,
            revision: {
              type: 'integer',
              minimum: 1,
              maximum: 2_147_483_647,
              description: 'The `revision` that you read.',
            },
          },
        },
      },
    },
  },
  async handle({ params, body, headers, caller }, services) {
    const { stores, directory } = services
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const sources = body.cases.map((each) => ({ id: each.case_id, revision: each.revision }))
    const merged = await editSeen(headers, (revision) =>
      stores.caseMoves.merge(organizationUuid, { id, revision }, sources, caller.actor),
    )
    return { body: await caseView(merged, directory), headers: entityTag(merged) }
  },
})

export const splitCase = defineRoute({
  method: 'POST',
  path: '/cases/{case}/split',
  access: 'cases:write',
  summary:
    'Moves alerts of a case, with their runs, to a new case, if the caller has read its current state.',
  status: 201,
  answer: component('case'),
  headers: ifMatchHeader,
  recall: {
    keeps: (opened) => (opened as { readonly id: string }).id,
    async answer(kept, { caller }, services) {
      const opened = await requireCase(services, caller.scope, String(kept))
      return {
        body: await caseView(opened, services.directory),
        location: `/cases/${opened.id}`,
        headers: entityTag(opened),
      }
    },
  },
  body: {
    required: ['alerts'],
    properties: {
      alerts: {
        type: 'array',
        minItems: 1,
        maxItems: mergeBounds.alertsOfSplit,
        items: { type: 'string', minLength: 1, maxLength: 100 },
        description: 'Ids or uuids of alerts of the case; repeats of an alert go with it.',
      },
      title: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        ...patterns.line,
        description: 'Title of the new case. Default: the title of this one, with its id.',
      },
    },
  },
  async handle({ params, body, headers, caller }, services) {
    const { stores, directory } = services
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const opened = await editSeen(headers, (revision) =>
      stores.caseMoves.split(organizationUuid, { id, revision }, body, caller.actor),
    )
    return {
      body: await caseView(opened, directory),
      location: `/cases/${opened.id}`,
      headers: entityTag(opened),
    }
  },
})
