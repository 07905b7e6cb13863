interface AlertCase {
  /** Time of the evaluation. */
  readonly at: string
  /** Series in the notation of `promtool test rules`, one value per minute: for each alert once with, and once without it. */
  readonly fires: Readonly<Record<string, string>>
  readonly quiet: Readonly<Record<string, string>>
}

const always = (value: number) => `${value}x120`
/** Zero for ten minutes, then increases by this much per minute. */
const growing = (step: number) => `0x10 0+${step}x110`

/** A histogram with all its new observations at once above the bound. */
const slow = (metric: string, bounds: readonly number[], above: number) =>
  Object.fromEntries(
    [...bounds.map(String), '+Inf'].map((le) => [
      `${metric}_bucket{job="tocsin", instance="a", le="${le}"}`,
      Number(le.replace('+Inf', 'Infinity')) > above ? '0+60x120' : always(0),
    ]),
  )
const lag = (above: number) => slow('tocsin_event_loop_lag_seconds', [0.1, 1, 5], above)
const commits = (above: number) => slow('tocsin_store_commit_duration_seconds', [0.1, 0.25, 1], above)

const labels = 'job="tocsin", instance="a"'
const gauge = (metric: string, at: string, fires: number, quiet: number): AlertCase => ({
  at,
  fires: { [`${metric}{${labels}}`]: always(fires) },
  quiet: { [`${metric}{${labels}}`]: always(quiet) },
})
const containments = (state: string, other: string, at = '6m'): AlertCase => {
  const count = (of: string) => `tocsin_containments{${labels}, state="${of}"}`
  return {
    at,
    fires: { [count(state)]: always(1) },
    quiet: { [count(state)]: always(0), [count(other)]: always(1) },
  }
}
const failed = `tocsin_runs_failed_total{${labels}, playbook="look"}`
const refused = (status: number) => `tocsin_alerts_refused_total{${labels}, status="${status}"}`
const queued = `tocsin_oldest_queued_run_age_seconds{${labels}}`
const paused = `tocsin_engine_paused{${labels}}`
const sent = (status: string) =>
  `tocsin_outbound_requests_total{${labels}, plugin="http", status="${status}"}`
const lost = `tocsin_skill_threads_lost_total{${labels}}`
const started = `process_start_time_seconds{${labels}}`
const live = `tocsin_nodes_live{${labels}}`
const files = (open: number) => ({
  [`process_open_fds{${labels}}`]: always(open),
  [`process_max_fds{${labels}}`]: always(1000),
})

export const alertCases: Readonly<Record<string, AlertCase>> = {
  TocsinDown: gauge('up', '3m', 0, 1),
  TocsinRestarting: {
    at: '15m',
    fires: { [started]: '1 1 2 2 3 3 4x20' },
    quiet: { [started]: '1x5 2x5 3x20' },
  },
  TocsinRunsSuspected: gauge('tocsin_runs_suspected', '2m', 1, 0),
  TocsinActionsHeld: gauge('tocsin_destructive_uses_held', '6m', 1, 0),
  TocsinStepsUnknown: gauge('tocsin_steps_unknown', '6m', 1, 0),
  TocsinContainmentsOverdue: containments('overdue', 'failed'),
  TocsinContainmentUndoFailed: containments('failed', 'active'),
  TocsinContainmentUndoWaits: containments('undoing', 'active', '61m'),
  TocsinContainmentChecksFail: gauge('tocsin_containment_checks_failing', '61m', 1, 0),
  TocsinPlaybookFolderRefused: gauge('tocsin_playbook_folder_refused', '16m', 1, 0),
  TocsinCasesOverdue: gauge('tocsin_cases_overdue', '6m', 1, 0),
  TocsinSignInNeeded: gauge('tocsin_connections_sign_in_needed', '6m', 1, 0),
  TocsinKeysEndSoon: gauge('tocsin_api_keys_ending_soon', '61m', 1, 0),
  TocsinPaused: gauge('tocsin_engine_paused', '61m', 1, 0),
  TocsinDiskAlmostFull: gauge('tocsin_disk_free_bytes', '6m', 9e8, 2e9),
  TocsinNodeGone: {
    at: '20m',
    fires: { [live]: '2x10 1x20' },
    quiet: { [live]: '1x10 2x20' },
  },
  TocsinLeaseOver: gauge('tocsin_node_lease_seconds', '2m', 0, 4),
  TocsinPlaybookBroke: {
    at: '20m',
    fires: { [failed]: growing(1) },
    // Failed before, and again: on the same node, and on another one.
    quiet: { [failed]: '0 1x4 1x9 2x30', [failed.replace('"a"', '"b"')]: growing(1) },
  },
  TocsinAlertsRefused: {
    at: '20m',
    fires: { [refused(503)]: growing(1) },
    quiet: { [refused(400)]: growing(1), [refused(503)]: always(0) },
  },
  TocsinStorm: gauge('tocsin_organizations_in_storm', '6m', 1, 0),
  TocsinRunsWaitTooLong: {
    at: '6m',
    fires: { [queued]: always(301), [paused]: always(0) },
    quiet: { [queued]: always(301), [paused]: always(1) },
  },
  TocsinEventLoopSlow: { at: '15m', fires: lag(1), quiet: lag(0.1) },
  TocsinCommitsSlow: { at: '15m', fires: commits(0.25), quiet: commits(0.1) },
  TocsinSystemUnreachable: {
    at: '30m',
    fires: { [sent('error')]: growing(1) },
    quiet: { [sent('error')]: always(0), [sent('5xx')]: growing(1) },
  },
  TocsinSkillThreadsLost: { at: '12m', fires: { [lost]: '0x10 1x20' }, quiet: { [lost]: always(3) } },
  TocsinAuditExportBehind: gauge('tocsin_audit_export_lag', '11m', 1, 0),
  TocsinFilesRunOut: { at: '6m', fires: files(900), quiet: files(700) },
}
