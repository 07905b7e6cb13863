import { caseEvents } from '../domain/case.ts'
import { actorKinds } from '../domain/audit.ts'
import { runEvents, triggerKinds, type TriggerKind } from '../domain/run.ts'
import {
  caseStatuses,
  closingReasons,
  observableKinds,
  severities,
  verdicts,
  type JsonSchema,
} from '../plugin/index.ts'

/** Bounds of `on.entity`. */
export const entityBounds = {
  times: [1, 1_000],
  withinMs: 86_400_000,
  maxWithinMs: 30 * 86_400_000,
} as const

/** Longest wait of `on.question`. */
export const maxQuestionWaitMs = 30 * 86_400_000

/** Ids of alerts in a trigger: the newest. */
export const maxTriggerAlerts = 100

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { type: 'string', format: 'date-time' } as const

const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  required = Object.keys(properties),
): JsonSchema => ({ type: 'object', additionalProperties: false, required, properties })

const caseFields = {
  title: text,
  summary: text,
  status: { enum: caseStatuses },
  severity: { enum: severities },
  verdict: { enum: verdicts },
  assignee: textOrNull,
  closing_reason: { enum: [...closingReasons, null] },
  resolution: text,
}

/** The schema of the `case` of expressions that see its current state. */
export const schemaOfCase = (): JsonSchema => objectOf({ id: text, ...caseFields })

const runFields = () => objectOf({ id: text, playbook: text, alert_id: textOrNull, case_id: textOrNull })

/** The fields of each kind of trigger besides the common ones. */
const fieldsOf = (
  body: JsonSchema | undefined,
): Readonly<Record<TriggerKind, Readonly<Record<string, JsonSchema>>>> => ({
  case: {
    events: { type: 'array', items: { enum: caseEvents } },
    actor: objectOf({ kind: { enum: actorKinds }, name: text }),
    case: schemaOfCase(),
    before: { anyOf: [objectOf(caseFields), { type: 'null' }] },
  },
  entity: {
    entity: objectOf({ kind: { enum: observableKinds }, value: text }),
    count: { type: 'integer' },
    first_seen: time,
    alerts: { type: 'array', items: text },
    alert: objectOf({
      id: text,
      type: textOrNull,
      provider: text,
      title: textOrNull,
      severity: { enum: [...severities, null] },
    }),
  },
  webhook: { body: body ?? {} },
  question: {
    question: objectOf({
      kind: text,
      is_approval: { type: 'boolean' },
      skill: textOrNull,
      step_id: textOrNull,
      asked_at: time,
      expires_at: time,
    }),
    run: runFields(),
    waited_seconds: { type: 'integer' },
  },
  run: {
    events: { type: 'array', items: { enum: runEvents } },
    run: runFields(),
    step: { anyOf: [objectOf({ path: text, skill: text }), { type: 'null' }] },
    error: objectOf({ code: text, message: text }),
  },
})

const common = { at: time, chain: { type: 'array', items: text } } as const

/** The schema of the `trigger` of one kind. */
export function schemaOfTrigger(kind: TriggerKind, body?: JsonSchema): JsonSchema {
  return objectOf({ kind: { const: kind }, ...common, ...fieldsOf(body)[kind] })
}

/** The schema of a change of a case, without the fields that only a trigger has. */
export const schemaOfChange = (): JsonSchema => objectOf({ at: time, ...fieldsOf(undefined).case })

/** The `kind` of a run that no event started. */
const otherKinds = ['alert', 'call', 'other'] as const

/**
 * The schema of `trigger` in the runs of a playbook.
 *
 * @param isOnly whether nothing else starts the playbook; otherwise the fields are optional
 */
export function schemaOfTriggers(
  kinds: readonly TriggerKind[],
  isOnly: boolean,
  body?: JsonSchema,
): JsonSchema {
  const [first, ...others] = kinds
  if (first !== undefined && others.length === 0 && isOnly) return schemaOfTrigger(first, body)
  const perKind = kinds.map((kind) => fieldsOf(body)[kind])
  const names = [...new Set(perKind.flatMap((fields) => Object.keys(fields)))]
  const fields = names.map((name) => [name, eitherOf(perKind.flatMap((fields) => fields[name] ?? []))])
  const shared = names.filter((name) => perKind.every((fields) => fields[name] !== undefined))
  const kind = { enum: isOnly ? kinds : [...kinds, ...otherKinds] }
  return objectOf(
    { kind, ...common, ...(Object.fromEntries(fields) as Record<string, JsonSchema>) },
    isOnly ? ['kind', 'at', 'chain', ...shared] : ['kind'],
  )
}

/** A field that several kinds have, each with its schema. */
function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? different[0]! : { anyOf: different }
}

export const isTriggerKind = (name: string): name is TriggerKind =>
  (triggerKinds as readonly string[]).includes(name)
