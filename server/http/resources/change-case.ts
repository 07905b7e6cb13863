import { randomUUID } from 'node:crypto'
import { ConflictError } from '../../../core/errors/errors.ts'
import { caseStatuses, severities, verdicts } from '../../../core/plugin/index.ts'
import { idempotencyKey, idempotencyKeyReused } from '../idempotency-key.ts'
import { RequestError } from '../request-error.ts'
import { component, defineRoute, operators } from '../route.ts'
import { caseView, entityTag } from './case-view.ts'
import { caseEntrySchema } from './case-schemas.ts'
import { requireCase } from './read-case.ts'

export const changeCase = defineRoute({
  method: 'PATCH',
  path: '/cases/{case}',
  access: operators,
  summary: 'Changes fields of a case, as long as it is what the caller has seen.',
  status: 200,
  answer: component('case'),
  headers: {
    type: 'object',
    properties: {
      'if-match': {
        type: 'string',
        description: 'Needed: the `ETag` of the case as it was read, or `*` to change it whatever it is now.',
      },
    },
  },
  body: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 500 },
      summary: { type: 'string', maxLength: 10_000, description: 'Plain text.' },
      status: { type: 'string', enum: caseStatuses },
      severity: { type: 'string', enum: severities },
      verdict: { type: 'string', enum: verdicts },
      assignee: { type: ['string', 'null'], minLength: 1, maxLength: 200, description: 'Null: nobody.' },
    },
  },
  async handle({ params, body, headers, caller }, services) {
    const { stores, directory } = services
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const revision = seenRevision(headers['if-match'])
    const changed = await stores.cases
      .edit(organizationUuid, id, body, caller.actor.name, revision)
      .catch((error: unknown) => {
        if (error instanceof ConflictError && error.code === 'case_changed') throw preconditionFailed(error)
        throw error
      })
    return { body: await caseView(changed, directory), headers: entityTag(changed) }
  },
})

/** No revision: no tag of ours, which is none of the case's either. */
const noRevision = 0

/** Undefined: whichever it is. Throws RequestError `precondition_required`. */
function seenRevision(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) {
    throw new RequestError('precondition_required', 'The header If-Match is missing.', {
      hint: 'send the ETag that the case was read with, so that nothing is overwritten that somebody else has changed since; or `*`',
    })
  }
  if (ifMatch.trim() === '*') return undefined
  const [, revision] = /^"([1-9][0-9]{0,14})"$/.exec(ifMatch.trim()) ?? []
  return revision === undefined ? noRevision : Number(revision)
}

const preconditionFailed = ({ message, hint }: ConflictError): RequestError =>
  new RequestError('precondition_failed', `${message}.`, hint === undefined ? {} : { hint })

export const addNote = defineRoute({
  method: 'POST',
  path: '/cases/{case}/notes',
  access: operators,
  summary: 'Adds a note to the timeline of a case.',
  status: 201,
  answer: caseEntrySchema,
  headers: {
    type: 'object',
    properties: {
      'idempotency-key': {
        ...idempotencyKey,
        description:
          'Chosen by the sender, e.g. a uuid: repeating a request with the same key answers with the note of the first one and ' +
          '`Idempotency-Replayed: true`.',
      },
    },
  },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['text'],
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 10_000, description: 'Plain text.' },
    },
  },
  async handle({ params, body, headers, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const key = `note/${caller.keyUuid}/${headers['idempotency-key']?.toString() ?? randomUUID()}`
    const { entry, replayed } = await services.stores.cases
      .comment(organizationUuid, id, body.text, caller.actor.name, key)
      .catch((error: unknown) => {
        if (error instanceof ConflictError && error.code === 'idempotency_key_reused')
          throw idempotencyKeyReused('note')
        throw error
      })
    return { body: entry, ...(replayed && { headers: { 'idempotency-replayed': 'true' } }) }
  },
})
