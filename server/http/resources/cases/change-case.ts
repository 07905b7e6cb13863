import { randomUUID } from 'node:crypto'
import { mentionsIn } from '../../../../core/case/mentions.ts'
import { editOf } from '../../../../core/transitions/case.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { patterns } from '../../request/patterns.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { withPerson } from './assigned.ts'
import { decisionFields } from './case-fields.ts'
import { caseView, caseEntrySchema } from './case-view.ts'
import { peopleOfOrganization } from '../access/people/people.ts'
import { requireCase } from './read-case.ts'

export const changeCase = defineRoute({
  method: 'PATCH',
  path: '/cases/{case}',
  access: 'cases:write',
  summary: 'Changes fields of a case, if the caller has read its current state.',
  answer: component('case'),
  headers: ifMatchHeader,
  body: {
    minProperties: 1,
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 500, ...patterns.line },
      summary: { type: 'string', maxLength: 10_000, description: 'Plain text.' },
      ...decisionFields,
    },
  },
  async handle({ params, body, headers, caller }, services) {
    const { stores, directory } = services
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const edit = await withPerson(services, organizationUuid, editOf(body), caller.actor)
    const changed = await editSeen(headers, (revision) =>
      stores.cases.edit(organizationUuid, id, edit, caller.actor, revision),
    )
    return { body: await caseView(changed, directory), headers: entityTag(changed) }
  },
})

export const addNote = defineRoute({
  method: 'POST',
  path: '/cases/{case}/notes',
  access: 'cases:write',
  summary: 'Adds a note to the timeline of a case.',
  status: 201,
  answer: caseEntrySchema,
  recall: {
    keeps: (entry) => entry,
    async answer(entry, { caller, params }, services) {
      const { id } = await requireCase(services, caller.scope, params['case'] ?? '')
      return { body: entry, location: `/cases/${id}/timeline` }
    },
  },
  body: {
    required: ['text'],
    properties: {
      text: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        ...patterns.text,
        description: 'Markdown. `@` and the name or e-mail address of a person mentions the person.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const { cases } = services.stores
    const people = body.text.includes('@') ? await peopleOfOrganization(services, organizationUuid) : []
    const mentions = mentionsIn(body.text, people)
    const key = `note/${randomUUID()}`
    const entry = await cases.comment(organizationUuid, id, body.text, caller.actor, key, mentions)
    return { body: entry, location: `/cases/${id}/timeline` }
  },
})
