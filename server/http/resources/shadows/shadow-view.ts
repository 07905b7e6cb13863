import type { Directory } from '../../caller/directory.ts'
import { decisionOfAnalysts } from '../../../../core/shadow/report.ts'
import { shadowOutcomes, type ShadowResult } from '../../../../core/shadow/shadow-result.ts'
import { arrayOf, changesSchema, decisionSchema, nullableOf, sideSchema } from '../playbooks/backtest-view.ts'
import { objectSchema, text, textOrNull, time, timeOrNull } from '../system/page.ts'

const count = { type: 'integer', minimum: 0 } as const

const agreementSchema = (description: string) => ({
  ...objectSchema({
    alerts: { ...count, description: 'Alerts about which both decided.' },
    same: { ...count, description: 'Alerts with the same verdict.' },
  }),
  description,
})

const matrixSchema = (description: string) => ({
  ...arrayOf(objectSchema({ verdict: text, shadow: text, alerts: count })),
  description,
})

/** Answer of `GET playbooks/{playbook}/shadow`. */
export const shadowReportSchema = objectSchema({
  playbook: text,
  hash: { ...text, description: 'The current version of the shadow. Only its results count.' },
  beside: { ...textOrNull, description: 'The live playbook beside which it runs; null: it runs alone.' },
  beside_hash: { ...textOrNull, description: 'The live version of that playbook.' },
  created_after: time,
  created_before: time,
  alerts: { ...count, description: 'Alerts whose investigation ended in this time: the three below.' },
  agrees: {
    ...count,
    description: 'Alerts with the same decision: verdict, severity, actions, questions, status.',
  },
  differs: count,
  unjudged: count,
  waiting: { ...count, description: 'Alerts that are not judged yet, of any time.' },
  other_versions: { ...count, description: 'Alerts that were judged with earlier versions of the shadow.' },
  truncated: { type: 'boolean', description: 'Only the newest 5,000 alerts were counted.' },
  agreement: objectSchema({
    shadow_live: agreementSchema('Of the shadow with the live runs.'),
    shadow_analysts: agreementSchema('Of the shadow with the analysts, by the cases as they are now.'),
    live_analysts: agreementSchema('Of the live runs with the analysts.'),
  }),
  verdicts: objectSchema({
    live: matrixSchema('Number of alerts by verdict of the live run (`verdict`) and of the shadow.'),
    analysts: matrixSchema('Number of alerts by verdict of the analysts (`verdict`) and of the shadow.'),
  }),
  actions: {
    ...arrayOf(objectSchema({ skill: text, both: count, only_live: count, only_shadow: count })),
    description: 'Calls of skills that write, of all alerts: by both, or only one of them.',
  },
  changes: { ...arrayOf(objectSchema({ kind: text, alerts: count })), description: 'Differences by kind.' },
  reasons: {
    ...arrayOf(objectSchema({ code: text, message: text, alerts: count })),
    description: 'Why alerts could not be judged.',
  },
})

const summaryFields = objectSchema({ status: text, verdict: textOrNull, severity: textOrNull })

const shadowRowFields = {
  alert_id: text,
  run_uuid: { ...text, description: 'The run that investigated the alert.' },
  organization_code: text,
  live_playbook: text,
  live_hash: text,
  shadow_hash: { ...textOrNull, description: 'The judged version of the shadow; null: not judged yet.' },
  ended_at: { ...time, description: 'When the run ended.' },
  judged_at: timeOrNull,
  outcome: { enum: [...shadowOutcomes, null], description: 'null: not judged yet.' },
  live: nullableOf(summaryFields),
  shadow: nullableOf(summaryFields),
  analysts: {
    ...nullableOf(objectSchema({ verdict: textOrNull, severity: textOrNull })),
    description: 'What the analysts decided; null: they have not.',
  },
  case_id: textOrNull,
  actions: arrayOf(objectSchema({ skill: text, by: { enum: ['both', 'live', 'shadow'] }, calls: count })),
  changes: changesSchema,
  reason: {
    ...nullableOf(objectSchema({ code: text, message: text })),
    description: 'Why the alert could not be judged.',
  },
} as const

/** A row of `GET playbooks/{playbook}/shadow/alerts`. */
export const shadowRowSchema = objectSchema(shadowRowFields)

/** Answer of `GET playbooks/{playbook}/shadow/alerts/{alert}`. */
export const shadowAlertSchema = objectSchema({
  ...shadowRowFields,
  assumed: { ...arrayOf(text), description: 'Replies to the shadow that were not recorded.' },
  live_decision: nullableOf(decisionSchema),
  shadow_decision: nullableOf(decisionSchema),
  before: { ...nullableOf(sideSchema), description: 'The live run; null: its steps were deleted.' },
  after: { ...nullableOf(sideSchema), description: 'The steps of the shadow.' },
})

export async function shadowRowView(result: ShadowResult, directory: Pick<Directory, 'organizationCode'>) {
  const { summary, case: ofAlert, livePlaybook } = result
  return {
    alert_id: result.alertId,
    run_uuid: result.runUuid,
    organization_code: await directory.organizationCode(result.organizationUuid),
    live_playbook: livePlaybook.name,
    live_hash: livePlaybook.hash,
    shadow_hash: result.playbookHash,
    ended_at: result.queuedAt,
    judged_at: result.judgedAt,
    outcome: result.outcome,
    live: summary?.live ?? null,
    shadow: summary?.shadow ?? null,
    analysts: (ofAlert && decisionOfAnalysts(ofAlert)) ?? null,
    case_id: ofAlert?.id ?? null,
    actions: summary?.actions ?? [],
    changes: summary?.changes ?? [],
    reason: summary?.reason ?? null,
  }
}
