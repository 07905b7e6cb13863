import type { Backtest } from './backtests.ts'
import { decisionChangeKinds, type DecisionChange, type DecisionChangeKind } from './changes.ts'
import type { JudgedAlert } from './judge-alert.ts'

/** A backtest as JSON, in the API and the command line. */
export type BacktestView = ReturnType<typeof backtestView>
export type BacktestRow = NonNullable<BacktestView['rows']>[number]
export type BacktestGroup = BacktestView['groups'][number]

/** @param withRows whether to list the alerts */
export function backtestView({ request, judged, ...backtest }: Backtest, withRows: boolean) {
  const { base, candidate, organization, since, limit, policy } = request
  const changed = judged.filter(({ result }) => result === 'changed')
  const unjudged = judged.filter(({ result }) => result === 'unjudged')
  const groups = groupsOf(changed)
  return {
    backtest_id: backtest.id,
    playbook: base.playbook.name,
    base_hash: base.playbook.hash,
    edited_hash: candidate.playbook.hash,
    organization_code: organization.code,
    created_after: since,
    limit,
    new_input: policy,
    started_by: backtest.by.name,
    status: backtest.status,
    started_at: backtest.startedAt,
    ended_at: backtest.endedAt,
    total: backtest.total,
    done: judged.length,
    remaining_ms: backtest.remainingMs,
    same: judged.length - changed.length - unjudged.length,
    changed: changed.length,
    unjudged: unjudged.length,
    changes: changeCounts(changed),
    groups: groups.map(({ changes, alerts }) => ({ changes, alerts: alerts.length })),
    reasons: reasonsOf(unjudged),
    rows: withRows ? judged.map((each) => rowView(each, groups)) : null,
  }
}

interface Group {
  readonly key: string
  readonly changes: readonly DecisionChange[]
  readonly alerts: readonly JudgedAlert[]
}

/**
 * Alerts by what changed, the largest group first. A difference in steps alone makes a group; together with
 * another change it does not.
 */
function groupsOf(changed: readonly JudgedAlert[]): readonly Group[] {
  return Array.from(Map.groupBy(changed, groupKey), ([key, alerts]) => ({
    key,
    changes: changesForGroup(alerts[0]!),
    alerts,
  })).toSorted((a, b) => b.alerts.length - a.alerts.length)
}

const groupKey = (judged: JudgedAlert): string =>
  changesForGroup(judged)
    .map(({ text }) => text)
    .join('\n')

function changesForGroup({ changes }: JudgedAlert): readonly DecisionChange[] {
  const own = changes.filter(({ kind }) => kind !== 'path')
  return own.length === 0 ? changes : own
}

function changeCounts(changed: readonly JudgedAlert[]): Readonly<Record<DecisionChangeKind, number>> {
  const count = (kind: DecisionChangeKind) =>
    changed.filter(({ changes }) => changes.some((each) => each.kind === kind)).length
  return Object.fromEntries(decisionChangeKinds.map((kind) => [kind, count(kind)])) as Record<
    DecisionChangeKind,
    number
  >
}

/** Why alerts could not be judged, with an example of the message. */
const reasonsOf = (unjudged: readonly JudgedAlert[]) =>
  Array.from(
    Map.groupBy(unjudged, ({ reason }) => reason?.code ?? ''),
    ([code, alerts]) => ({ code, message: alerts[0]!.reason?.message ?? '', alerts: alerts.length }),
  ).toSorted((a, b) => b.alerts - a.alerts)

function rowView(judged: JudgedAlert, groups: readonly Group[]) {
  const { alertId, runUuid, at, result, changes, reason, isOtherVersion, assumed, before, after } = judged
  const group = result === 'changed' ? groups.findIndex(({ key }) => key === groupKey(judged)) : -1
  return {
    alert_id: alertId,
    run_uuid: runUuid,
    created_at: at,
    result,
    changes,
    group: group < 0 ? null : group,
    reason: reason === undefined ? null : { code: reason.code, message: reason.message },
    other_version: isOtherVersion,
    assumed,
    before: before ?? null,
    after: after ?? null,
  }
}
