import {
  editOneOf,
  valuesToReplace,
  type BulkCase,
  type BulkOutcome,
} from '../../../../core/case/bulk-edit.ts'
import type { Actor } from '../../../../core/domain/audit.ts'
import type { ApiCaseChanges, CaseEdit } from '../../../../core/domain/case.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import type { Caller } from '../../caller/caller.ts'
import { editOf } from '../../../../core/transitions/case.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { epochMs, objectSchema, text, textOrNull } from '../system/page.ts'
import { withPerson } from './assigned.ts'
import { caseFilterOf, caseFilters, decisionFields, type FilterValues } from './case-fields.ts'

/** Cases of one request, so that it is a bounded piece of work. */
const maxCases = 200
/** Changes that are committed together. */
const together = 50

const result = objectSchema({
  case_id: text,
  outcome: {
    enum: ['changed', 'unchanged', 'refused'],
    description: '`unchanged`: it had these values already.',
  },
  revision: { type: ['integer', 'null'], description: 'After the change; null if it was refused.' },
  before: {
    type: ['object', 'null'],
    description:
      'For `changed`: the earlier values of the changed fields. Sending them as `changes` undoes it.',
  },
  error: {
    type: ['object', 'null'],
    description:
      'Why it was refused: `code`, `message`, `hint`; `revision_changed`: someone else changed it meanwhile.',
  },
})

export const changeManyCases = defineRoute({
  method: 'POST',
  path: '/cases/bulk',
  once: true,
  access: 'cases:write',
  summary: `Makes the same change to up to ${maxCases} cases: named ones, or the next ones of a filter, oldest first.`,
  answer: objectSchema({
    data: { type: 'array', items: result },
    next_cursor: {
      ...textOrNull,
      description: 'For a filter: `cursor` of the next request; null: there are no more.',
    },
  }),
  body: {
    required: ['changes'],
    properties: {
      cases: {
        type: 'array',
        minItems: 1,
        maxItems: maxCases,
        items: objectSchema({
          case_id: { type: 'string', maxLength: 100 },
          revision: {
            type: 'integer',
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'That you read; if it is another one, the case is refused.',
          },
        }),
      },
      filter: {
        type: 'object',
        additionalProperties: false,
        properties: caseFilters,
        description: 'As in GET cases. Cases that were opened after `unchanged_since` do not match.',
      },
      unchanged_since: {
        ...epochMs,
        description:
          'Required with `filter`: cases that changed after this time are refused (epoch milliseconds).',
      },
      cursor: {
        type: 'string',
        minLength: 1,
        maxLength: 2_048,
        description: 'For a filter: `next_cursor` of the previous request.',
      },
      changes: { type: 'object', additionalProperties: false, minProperties: 1, properties: decisionFields },
    },
  },
  recall: {
    keeps: (written) => written,
    // Under the id of the first request, so that another repeat finds the changes of all attempts.
    async answer(kept, { caller }, services) {
      const begun = kept as BegunChange
      const cases = await begunCases(begun, caller, services)
      const actor = { ...caller.actor, requestId: begun.request_id ?? caller.actor.requestId }
      const editIn = editsByOrganization(editOf(begun.changes), actor, services)
      return { body: await changeCases({ ...begun, cases }, editIn, actor, services) }
    },
  },
  async handle({ body, caller }, services) {
    const { changes } = body
    const { actor } = caller
    const { cases, nextCursor: next_cursor } = await chosenCases(body, caller, services)
    const editIn = editsByOrganization(editOf(changes), actor, services)
    const begun: BegunChange = {
      request_id: actor.requestId,
      changes,
      cases: await Promise.all(cases.map((each) => begunCase(each, editIn))),
      next_cursor,
    }
    await services.stores.requests.begin(begun)
    return { body: await changeCases({ cases, next_cursor }, editIn, actor, services) }
  },
})

/** What a request has to do, so that it can go on after a crash. */
interface BegunChange {
  /** Absent if an earlier version began the request. */
  readonly request_id?: string | null
  readonly changes: ApiCaseChanges
  readonly cases: readonly SeenCase[]
  readonly next_cursor: string | null
}

interface SeenCase {
  readonly case_id: string
  /** Null: the requester has not seen the present state. */
  readonly revision: number | null
  /** The values that the change replaces; absent: it replaces none. */
  readonly before?: ApiCaseChanges
}

type EditIn = ReturnType<typeof editsByOrganization>

async function begunCase({ id, found, isAsSeen }: BulkCase, editIn: EditIn): Promise<SeenCase> {
  if (found === undefined || !isAsSeen) return { case_id: id, revision: null }
  const before = valuesToReplace(found, await editIn(found.organizationUuid))
  return { case_id: id, revision: found.revision, ...(before && { before }) }
}

/** The cases of an interrupted request, with what it has done to them. */
async function begunCases(
  { request_id: requestId, cases }: BegunChange,
  caller: Caller,
  services: Services,
): Promise<readonly BulkCase[]> {
  const now = await readSeen(cases, caller, services)
  if (typeof requestId !== 'string') return now
  const others = now.flatMap(({ found, isAsSeen }) => (isAsSeen || found === undefined ? [] : [found.id]))
  const changed = await services.stores.cases.changedBy(requestId, others)
  return now.map((each, index) => {
    const { revision = null, before } = cases[index] ?? {}
    if (revision === null || before === undefined || !changed.has(each.found?.id ?? '')) return each
    return { ...each, done: { revision: revision + 1, before } }
  })
}

async function changeCases(
  { cases, next_cursor }: { readonly cases: readonly BulkCase[]; readonly next_cursor: string | null },
  editIn: EditIn,
  actor: Actor,
  services: Services,
) {
  const data: unknown[] = []
  for (let at = 0; at < cases.length; at += together) {
    const chunk = cases.slice(at, at + together)
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other, so that others get their turn
    const outcomes = await Promise.all(
      chunk.map(async (each) =>
        editOneOf(services.stores.cases, each, await editIn(each.found?.organizationUuid), actor),
      ),
    )
    data.push(...outcomes.map((outcome, index) => resultView(chunk[index]?.id ?? '', outcome)))
  }
  return { data, next_cursor }
}

const readSeen = (
  cases: readonly SeenCase[],
  { scope }: Caller,
  { stores }: Services,
): Promise<readonly BulkCase[]> =>
  Promise.all(
    cases.map(async ({ case_id: id, revision }): Promise<BulkCase> => {
      const found = await stores.cases.find(scope, id)
      return { id, found, isAsSeen: found?.revision === revision }
    }),
  )

/** Names mean people of the organization of the case. Throws ValidationError `person_unknown`. */
function editsByOrganization(edit: CaseEdit, by: Actor, services: Services) {
  const known = new Map<string, Promise<CaseEdit>>()
  return (organizationUuid: string | undefined): Promise<CaseEdit> => {
    if (organizationUuid === undefined) return Promise.resolve(edit)
    const found = known.get(organizationUuid) ?? withPerson(services, organizationUuid, edit, by)
    known.set(organizationUuid, found)
    return found
  }
}

interface Chosen {
  readonly cases?: readonly { readonly case_id: string; readonly revision: number }[] | undefined
  readonly filter?: FilterValues | undefined
  readonly unchanged_since?: number | undefined
  readonly cursor?: string | undefined
}

/** Throws ValidationError `value_invalid` if the request names neither or both. */
async function chosenCases(given: Chosen, caller: Caller, services: Services) {
  const { scope } = caller
  const { cases: named, filter, unchanged_since: since, cursor } = given
  if ((named === undefined) === (filter === undefined))
    throw invalid('', 'either `cases` or `filter` is required')
  if (named !== undefined) {
    const seen = [...new Map(named.map((each) => [each.case_id.toLowerCase(), each])).values()]
    const found = await readSeen(seen, caller, services)
    return { cases: found, nextCursor: null }
  }
  if (since === undefined) throw invalid('/unchanged_since', 'is required with `filter`')
  const wanted = await caseFilterOf(filter ?? {}, caller, services, '/filter/organization')
  const createdBefore = Math.min(wanted.createdBefore ?? Infinity, since + 1)
  const page = await services.stores.cases.list(
    scope,
    { ...wanted, createdBefore },
    { limit: maxCases, sort: 'created_at', ...(cursor !== undefined && { cursor }) },
  )
  const cases = page.data.map((found): BulkCase => ({
    id: found.id,
    found,
    isAsSeen: found.modifiedAt <= since,
  }))
  return { cases, nextCursor: page.nextCursor }
}

const invalid = (pointer: string, message: string) =>
  new ValidationError('value_invalid', message, [{ pointer, message }])

const resultView = (id: string, result: BulkOutcome) => ({
  case_id: result.outcome === 'refused' ? id : result.id,
  outcome: result.outcome,
  revision: result.outcome === 'refused' ? null : result.revision,
  before: result.outcome === 'changed' ? result.before : null,
  error: result.outcome === 'refused' ? result.error : null,
})
