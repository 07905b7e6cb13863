import { errorStatuses } from '../http/routing/status-table.ts'
import type { Exposition, Labels } from './exposition.ts'

/** Label values that are known from the start. */
export interface KnownLabels {
  readonly plugins: readonly string[]
  readonly skills: readonly string[]
}

const callBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const lagBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Methods of the routes; others are free text of clients. */
export const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

const outcomes = ['completed', 'failed', 'cancelled']
const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx', 'error']
const successes = ['200', '201', '204', '304']

const pairs = (
  [first, firsts]: readonly [string, Iterable<string>],
  [second, seconds]: readonly [string, readonly string[]],
): readonly Labels[] =>
  [...firsts].flatMap((one) => seconds.map((other) => ({ [first]: one, [second]: other })))

const each = (name: string, values: readonly string[]): readonly Labels[] =>
  values.map((value) => ({ [name]: value }))

/** Counters and histograms of events. */
export function describeEvents(exposition: Exposition, { plugins, skills }: KnownLabels) {
  const refusals = errorStatuses.map(String)
  return {
    ...describeAlerts(exposition, refusals),
    requests: exposition.counter(
      'tocsin_http_requests_total',
      'Answered requests, by method and status.',
      pairs(['method', [...methods, 'other']], ['status', [...successes, ...refusals]]),
    ),
    requestDurations: exposition.histogram(
      'tocsin_http_request_duration_seconds',
      'Duration from the request head until the answer is ready, by method, route and status class.',
      requestBounds,
    ),
    runsEnded: exposition.counter(
      'tocsin_runs_ended_total',
      'Ended runs, by outcome.',
      each('outcome', outcomes),
    ),
    calls: exposition.histogram(
      'tocsin_skill_call_duration_seconds',
      'Skill calls, counting each attempt, by skill and outcome.',
      callBounds,
      pairs(['skill', skills], ['outcome', ['completed', 'failed']]),
    ),
    sent: exposition.counter(
      'tocsin_outbound_requests_total',
      'Requests to other systems, by plugin and status class; `error` if there was no answer.',
      pairs(['plugin', plugins], ['status', statusClasses]),
    ),
    threadsLost: exposition.counter(
      'tocsin_skill_threads_lost_total',
      'Threads of skills that crashed, ran out of memory or were stopped because they hung.',
      [{}],
    ),
    ...describeProcessEvents(exposition),
  }
}

const describeAlerts = (exposition: Exposition, refusals: readonly string[]) => ({
  received: exposition.counter(
    'tocsin_alerts_received_total',
    'Alerts answered with 201 after they were stored, and new alerts of webhooks.',
    [{}],
  ),
  refused: exposition.counter(
    'tocsin_alerts_refused_total',
    'Alerts that were refused, by status of the answer.',
    each('status', refusals),
  ),
  grouped: exposition.counter('tocsin_alerts_grouped_total', 'Repeats that joined a case without a run.', [
    {},
  ]),
  correlated: exposition.counter(
    'tocsin_alerts_correlated_total',
    'Alerts that joined the case of earlier alerts by a correlation rule, with a run of their own.',
    [{}],
  ),
})

const describeProcessEvents = (exposition: Exposition) => ({
  commits: exposition.histogram(
    'tocsin_store_commit_duration_seconds',
    'Commits of the store, including the wait for the disk.',
    commitBounds,
    [{}],
  ),
  writes: exposition.counter('tocsin_store_writes_total', 'Writes; concurrent writes share a commit.', [{}]),
  lag: exposition.histogram(
    'tocsin_event_loop_lag_seconds',
    'Delay of a due timer in the process.',
    lagBounds,
    [{}],
  ),
})
