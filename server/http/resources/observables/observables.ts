import { caseStatuses, observableKinds, severities, verdicts } from '../../../../core/plugin/index.ts'
import { relatingObservables } from '../../../../core/observable/related-cases.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireCase } from '../cases/read-case.ts'
import { observableParameter, readObservable } from './observable-parameter.ts'
import {
  objectSchema,
  pageOf,
  pageParameters,
  pageSchema,
  pageView,
  text,
  textOrNull,
  time,
} from '../system/page.ts'

const count = { type: 'integer', minimum: 0 } as const
const kind = { type: 'string', enum: observableKinds } as const

/** An observable in one organization, in answers of the API. */
export const apiSeenObservableSchema = objectSchema({
  kind,
  value: {
    ...text,
    description: 'In one spelling: lower case except for URLs, addresses in their shortest form.',
  },
  organization_code: text,
  first_seen_at: {
    ...time,
    description: 'Time of its first alert or run (epoch milliseconds); that may be deleted by now.',
  },
  last_seen_at: { ...time, description: 'Time of its newest alert or run (epoch milliseconds).' },
  alerts: count,
  cases: count,
  runs: { ...count, description: 'Runs that extracted it or looked it up.' },
})

/** A finding of a lookup. */
export const apiSeenFindingSchema = objectSchema({
  observable: objectSchema({ kind, value: text }),
  source: { ...text, description: 'The skill.' },
  organization_code: text,
  case_id: textOrNull,
  run_uuid: text,
  path: text,
  at: time,
  score: { type: ['number', 'null'], description: '0 to 100; null if the source gives none.' },
  level: textOrNull,
  summary: textOrNull,
  error: { anyOf: [{ type: 'null' }, objectSchema({ code: text, message: text })] },
})

/** A case that shares observables with another one. */
export const apiRelatedCaseSchema = objectSchema({
  case_id: text,
  title: text,
  status: { enum: caseStatuses },
  severity: { enum: severities },
  verdict: { enum: verdicts },
  created_at: time,
  shared: {
    type: 'array',
    description: 'Up to 5 observables that both cases have, the rarest first.',
    items: objectSchema({ kind, value: text }),
  },
  shared_total: { ...count, description: 'Number of observables that both cases have.' },
})

/** With more, lists are visibly incomplete. */
const maxUnindexed = 1_000
const observablePage = pageSchema(apiSeenObservableSchema)

const listObservables = defineRoute({
  method: 'GET',
  path: '/observables',
  access: 'alerts:read',
  summary:
    'Lists the observables of alerts and runs, newest first, each with when and how often it was seen.',
  answer: {
    ...observablePage,
    required: [...observablePage.required, 'is_behind'],
    properties: {
      ...observablePage.properties,
      is_behind: {
        type: 'boolean',
        description: `Whether more than ${maxUnindexed.toLocaleString('en')} alerts and runs are not indexed yet.`,
      },
    },
  },
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    observable: {
      ...observableParameter,
      description: 'Exactly this one, such as `ip:203.0.113.9`: a row for each organization.',
    },
    kind,
    q: { type: 'string', minLength: 1, maxLength: 500, description: 'Beginning of the value.' },
    sort: {
      type: 'string',
      enum: ['-first_seen_at', 'first_seen_at'],
      default: '-first_seen_at',
      description: 'In the order of indexing; newest first with `-`.',
    },
  },
  async handle({ query, caller }, { stores, directory }) {
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const exact = readObservable(query.observable)
    const filter = {
      kind: exact?.kind ?? query.kind,
      value: exact?.value,
      prefix: query.q && beginningOf(query.q),
    }
    const page = await stores.observables.list(scope, filter, pageOf(query))
    const view = await pageView(
      page,
      ({ firstAt, lastAt, organizationCode, organizationUuid: _, ...row }) => ({
        ...row,
        organization_code: organizationCode,
        first_seen_at: firstAt,
        last_seen_at: lastAt,
      }),
    )
    const unindexed = await stores.observables.countUnindexed()
    return { body: { ...(view as object), is_behind: unindexed > maxUnindexed } }
  },
})

/** In the spelling of the index: only URLs and CVE ids have capital letters. */
const beginningOf = (typed: string): string =>
  /^(https?|ftp):/i.test(typed) ? typed : /^cve-/i.test(typed) ? typed.toUpperCase() : typed.toLowerCase()

const listFindings = defineRoute({
  method: 'GET',
  path: '/observables/findings',
  access: 'alerts:read',
  summary: 'Lists the findings of lookups, of one observable or of all, newest first.',
  answer: pageSchema(apiSeenFindingSchema),
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    observable: observableParameter,
    sort: { type: 'string', enum: ['-at', 'at'], default: '-at', description: 'Newest first with `-`.' },
  },
  async handle({ query, caller }, { stores, directory }) {
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const observable = readObservable(query.observable)
    const page = await stores.observables.findings(scope, observable, pageOf(query))
    return {
      body: await pageView(
        page,
        async ({ observable: of, source, organizationUuid, caseId, runUuid, path, at, ...finding }) => ({
          observable: of,
          source,
          organization_code: await directory.organizationCode(organizationUuid),
          case_id: caseId,
          run_uuid: runUuid,
          path,
          at,
          score: finding.score,
          level: finding.level,
          summary: finding.summary,
          error: finding.error,
        }),
      ),
    }
  },
})

/** Related cases that are listed. */
const maxRelated = 20

const listRelatedCases = defineRoute({
  method: 'GET',
  path: '/cases/{case}/related',
  access: 'cases:read',
  summary:
    'Cases of the organization that share observables with this one: most in common first, at most 20.',
  answer: objectSchema({ data: { type: 'array', items: apiRelatedCaseSchema } }),
  async handle({ params, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const related = await services.stores.observables.related(
      organizationUuid,
      id,
      relatingObservables,
      maxRelated,
    )
    return {
      body: {
        data: related.map(({ caseId, createdAt, sharedTotal, ...found }) => ({
          case_id: caseId,
          title: found.title,
          status: found.status,
          severity: found.severity,
          verdict: found.verdict,
          created_at: createdAt,
          shared: found.shared,
          shared_total: sharedTotal,
        })),
      },
    }
  },
})

export const observableRoutes = [listObservables, listFindings, listRelatedCases]
