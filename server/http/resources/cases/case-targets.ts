import type { CaseTargets } from '../../../../core/domain/case.ts'
import type { Organization } from '../../../../core/domain/organization.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { severities, type JsonSchema, type Severity } from '../../../../core/plugin/index.ts'
import { editSeen, entityTag, ifMatchHeader } from '../../request/if-match.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireVisibleOrganization } from '../access/organizations/lookups.ts'
import { objectSchema, text } from '../system/page.ts'

const minuteMs = 60_000
/** A year. */
const maxMinutes = 525_600

const minutesOrNull = { type: ['integer', 'null'], minimum: 1, maximum: maxMinutes } as const
const respond = {
  ...minutesOrNull,
  description: 'Minutes from the opening of a case until a person first acts on it; null: no target.',
} as const
const resolve = {
  ...minutesOrNull,
  description: 'Minutes from the opening of a case until it is closed; null: no target.',
} as const

/** Answer of the routes. */
export const apiCaseTargetsSchema = objectSchema({
  organization_code: text,
  revision: {
    type: 'integer',
    minimum: 1,
    description: 'Revision of the organization; part of the `ETag` for `If-Match`.',
  },
  targets: {
    type: 'array',
    description: 'All severities.',
    items: objectSchema({
      severity: { enum: severities },
      respond_minutes: respond,
      resolve_minutes: resolve,
    }),
  },
})

const target = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { respond_minutes: respond, resolve_minutes: resolve },
} as const

/** One property for each severity. */
const body = {
  properties: {
    critical: target,
    high: target,
    medium: target,
    low: target,
    informational: target,
  } satisfies Readonly<Record<Severity, JsonSchema>>,
} as const

const inMinutes = (ms: number | undefined): number | null => (ms === undefined ? null : ms / minuteMs)

const view = ({ code, revision, caseTargets = {} }: Organization) => ({
  organization_code: code,
  revision,
  targets: severities.toReversed().map((severity) => ({
    severity,
    respond_minutes: inMinutes(caseTargets[severity]?.respondMs),
    resolve_minutes: inMinutes(caseTargets[severity]?.resolveMs),
  })),
})

interface GivenTarget {
  readonly respond_minutes?: number | null | undefined
  readonly resolve_minutes?: number | null | undefined
}

/** Throws ValidationError `value_invalid` if a case would have to be closed before its response is due. */
function targetsOf(given: Readonly<Partial<Record<Severity, GivenTarget | null | undefined>>>): CaseTargets {
  const targets = severities.flatMap((severity) => {
    const { respond_minutes: respondIn = null, resolve_minutes: resolveIn = null } = given[severity] ?? {}
    if (respondIn === null && resolveIn === null) return []
    if (respondIn !== null && resolveIn !== null && respondIn > resolveIn) {
      const message = 'is longer than resolve_minutes'
      const pointer = `/${severity}/respond_minutes`
      throw new ValidationError('value_invalid', `${severity}: respond_minutes ${message}`, [
        { pointer, message },
      ])
    }
    const times = {
      ...(respondIn !== null && { respondMs: respondIn * minuteMs }),
      ...(resolveIn !== null && { resolveMs: resolveIn * minuteMs }),
    }
    return [[severity, times] as const]
  })
  return Object.fromEntries(targets)
}

const getTargets = defineRoute({
  method: 'GET',
  path: '/organizations/{organization}/case-targets',
  access: 'cases:read',
  summary: 'The targets of response times (SLA) of an organization, by severity.',
  answer: apiCaseTargetsSchema,
  async handle({ params, caller }, services) {
    const found = await requireVisibleOrganization(caller.scope, params.organization, services)
    return { body: view(found), headers: entityTag(found) }
  },
})

const setTargets = defineRoute({
  method: 'PUT',
  path: '/organizations/{organization}/case-targets',
  access: 'organizations:write',
  summary:
    'Sets the targets of response times of an organization. An omitted or null severity has none. Open cases keep theirs until their severity changes.',
  answer: apiCaseTargetsSchema,
  headers: ifMatchHeader,
  body,
  async handle({ params, body: given, headers, caller }, { stores }) {
    const { uuid } = await requireVisibleOrganization(caller.scope, params.organization, { stores })
    const targets = targetsOf(given)
    const changed = await editSeen(headers, (revision) =>
      stores.organizations.target(uuid, targets, revision, caller.actor),
    )
    return { body: view(changed), headers: entityTag(changed) }
  },
})

export const caseTargetRoutes = [getTargets, setTargets]
