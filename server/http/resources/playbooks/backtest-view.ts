import { decisionChangeKinds } from '../../../../core/backtest/changes.ts'
import { newInputPolicies } from '../../../../core/backtest/replay-notes.ts'
import type { ComparedRuns } from '../../../../core/backtest/judge-alert.ts'
import { sideView } from '../../../../core/backtest/side-view.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import type { JsonSchema } from '../../../../core/plugin/index.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../system/page.ts'

const anything: JsonSchema = {}
const count = { type: 'integer', minimum: 0 } as const
export const arrayOf = <const Items extends JsonSchema>(items: Items) => ({ type: 'array', items }) as const
export const nullableOf = <const Schema extends JsonSchema>(schema: Schema) =>
  ({ anyOf: [{ type: 'null' }, schema] }) as const

export const changesSchema = arrayOf(
  objectSchema({ kind: { enum: decisionChangeKinds }, text: { ...text, description: 'For people.' } }),
)

const reasonSchema = objectSchema({ code: text, message: text })

export const decisionSchema = objectSchema({
  status: { ...text, description: '`completed`, `failed`, `cancelled` or `not_started`.' },
  reason: textOrNull,
  verdict: { ...textOrNull, description: 'As the run set it; null: it did not.' },
  severity: textOrNull,
  questions: arrayOf(objectSchema({ path: text, via: text, input: anything, state: text })),
  actions: arrayOf(
    objectSchema({ path: text, skill: text, connection: textOrNull, input: anything, state: text }),
  ),
  path: { ...arrayOf(text), description: 'The steps that ran.' },
  output: anything,
})

const rowSchema = objectSchema({
  alert_id: text,
  run_uuid: { ...text, description: 'The recorded run.' },
  created_at: { ...time, description: 'When the recorded run was queued.' },
  result: { enum: ['same', 'changed', 'unjudged'] },
  changes: changesSchema,
  group: { type: ['integer', 'null'], description: 'Index in `groups`.' },
  reason: { ...nullableOf(reasonSchema), description: 'Why the alert could not be judged.' },
  other_version: {
    type: 'boolean',
    description:
      'The recorded run used another version than the live one. `before` is then a replay of the live version with its replies.',
  },
  assumed: { ...arrayOf(text), description: 'Replies to the edited version that were not recorded.' },
  before: nullableOf(decisionSchema),
  after: nullableOf(decisionSchema),
})

export const backtestSchema = objectSchema({
  backtest_id: text,
  playbook: text,
  base_hash: { ...text, description: 'The version to compare with: the live one.' },
  edited_hash: text,
  organization_code: text,
  created_after: time,
  limit: count,
  new_input: { enum: newInputPolicies },
  started_by: text,
  status: { enum: ['running', 'completed', 'cancelled', 'failed'] },
  started_at: time,
  ended_at: timeOrNull,
  total: { ...count, description: 'Number of alerts.' },
  done: count,
  remaining_ms: { type: ['integer', 'null'], description: 'An estimate; null: not known yet.' },
  same: count,
  changed: count,
  unjudged: count,
  changes: {
    ...objectSchema(Object.fromEntries(decisionChangeKinds.map((kind) => [kind, count]))),
    description: 'Number of alerts by kind of change.',
  },
  groups: {
    ...arrayOf(objectSchema({ changes: changesSchema, alerts: count })),
    description: 'Changed alerts by what changed, the largest group first.',
  },
  reasons: arrayOf(objectSchema({ code: text, message: text, alerts: count })),
  rows: {
    ...nullableOf(arrayOf(rowSchema)),
    description: 'Alerts so far, newest first; null with `rows=false`.',
  },
})

const stepSchema = objectSchema({
  path: text,
  kind: text,
  state: text,
  started_at: time,
  ended_at: timeOrNull,
  input: anything,
  output: anything,
  error: { type: ['object', 'null'] },
})

export const sideSchema = objectSchema({
  status: text,
  not_started: textOrNull,
  output: anything,
  error: { type: ['object', 'null'] },
  steps: arrayOf(stepSchema),
})

export const comparedRunsSchema = objectSchema({
  alert_id: text,
  result: { enum: ['same', 'changed', 'unjudged'] },
  changes: changesSchema,
  reason: nullableOf(reasonSchema),
  before: nullableOf(sideSchema),
  after: nullableOf(sideSchema),
})

/** Both runs of an alert without sensitive values. */
export function comparedRunsView(
  { judged, before, after }: ComparedRuns,
  versions: { readonly base: Playbook; readonly candidate: Playbook },
  catalogue: Catalogue,
) {
  const { alertId, result, changes, reason } = judged
  return {
    alert_id: alertId,
    result,
    changes,
    reason: reason ?? null,
    before: before === undefined ? null : sideView(before, versions.base, catalogue),
    after: after === undefined ? null : sideView(after, versions.candidate, catalogue),
  }
}
