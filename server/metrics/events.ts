import { errorStatuses } from '../http/routing/status-table.ts'
import type { Exposition, Labels } from './exposition.ts'

/** Values of labels that are known from the start. */
export interface KnownLabels {
  readonly plugins: readonly string[]
  readonly skills: readonly string[]
}

const callBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const lagBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Methods of the table of routes; others are anybody's words. */
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

/** Each name with each value. */
const pairs = (
  [first, firsts]: readonly [string, Iterable<string>],
  [second, seconds]: readonly [string, readonly string[]],
): readonly Labels[] =>
  [...firsts].flatMap((one) => seconds.map((other) => ({ [first]: one, [second]: other })))

const each = (name: string, values: readonly string[]): readonly Labels[] =>
  values.map((value) => ({ [name]: value }))

/** What is counted and measured as it happens. */
export function describeEvents(exposition: Exposition, { plugins, skills }: KnownLabels) {
  const refusals = errorStatuses.map(String)
  return {
    ...describeAlerts(exposition, refusals),
    requests: exposition.counter(
      'tocsin_http_requests_total',
      'Requests answered, by method and status.',
      pairs(['method', [...methods, 'other']], ['status', [...successes, ...refusals]]),
    ),
    requestDurations: exposition.histogram(
      'tocsin_http_request_duration_seconds',
      'Requests, from their head until their answer is ready to be sent, by method, route and class of the status.',
      requestBounds,
    ),
    runsEnded: exposition.counter(
      'tocsin_runs_ended_total',
      'Runs that ended, by outcome.',
      each('outcome', outcomes),
    ),
    calls: exposition.histogram(
      'tocsin_skill_call_duration_seconds',
      'Calls of skills, each try by itself, by skill and outcome.',
      callBounds,
      pairs(['skill', skills], ['outcome', ['completed', 'failed']]),
    ),
    sent: exposition.counter(
      'tocsin_outbound_requests_total',
      'Requests to other systems, by plugin and class of the status; error where none came.',
      pairs(['plugin', plugins], ['status', statusClasses]),
    ),
    ...describeProcessEvents(exposition),
  }
}

const describeAlerts = (exposition: Exposition, refusals: readonly string[]) => ({
  received: exposition.counter(
    'tocsin_alerts_received_total',
    'Alerts answered with 201: they are on disk.',
    [{}],
  ),
  refused: exposition.counter(
    'tocsin_alerts_refused_total',
    'Alerts that were not taken in, by status of the answer.',
    each('status', refusals),
  ),
  grouped: exposition.counter(
    'tocsin_alerts_grouped_total',
    'Alerts that joined a case as repeats, without a run.',
    [{}],
  ),
})

const describeProcessEvents = (exposition: Exposition) => ({
  commits: exposition.histogram(
    'tocsin_store_commit_duration_seconds',
    'Commits of the store, with their wait for the disk.',
    commitBounds,
    [{}],
  ),
  writes: exposition.counter(
    'tocsin_store_writes_total',
    'Writes; those of one turn of the event loop share a commit.',
    [{}],
  ),
  lag: exposition.histogram(
    'tocsin_event_loop_lag_seconds',
    'How much later than due a timer of the process fires.',
    lagBounds,
    [{}],
  ),
})
