/**
 * Which HTTP status an error becomes. Errors raised in this folder carry a code of `requestErrors`; errors of core and of
 * plugins are mapped by their class. `test/http/status-table.test.ts` holds both lists complete.
 */

interface StatusAndTitle {
  readonly status: number
  readonly title: string
}

/** Errors about the request itself. */
export const requestErrors = {
  body_missing: { status: 400, title: 'The request has no body' },
  body_not_utf8: { status: 400, title: 'The body is not UTF-8' },
  body_not_well_formed: { status: 400, title: 'The body holds text that is not Unicode' },
  body_interrupted: { status: 400, title: 'The body did not arrive whole' },
  json_duplicate_name: { status: 400, title: 'A field stands in the body twice' },
  request_malformed: { status: 400, title: 'The request is not valid HTTP' },
  unknown_organization: { status: 400, title: 'There is no such organization' },
  unknown_provider: { status: 400, title: 'There is no such provider' },
  unknown_plugin: { status: 400, title: 'There is no such plugin' },
  connection_name_ambiguous: { status: 400, title: 'Several organizations have a connection of this name' },
  credentials_ambiguous: { status: 400, title: 'The request carries more than one API key' },
  key_missing: { status: 401, title: 'The request carries no API key' },
  session_invalid: { status: 401, title: 'The session is over' },
  key_invalid: { status: 401, title: 'The API key is not valid' },
  webhook_refused: { status: 401, title: 'The call is not accepted' },
  role_insufficient: { status: 403, title: 'The API key may not do this' },
  key_is_scoped: { status: 403, title: 'The API key is limited to some organizations' },
  cross_site_request: { status: 403, title: 'The request comes from another web site' },
  path_not_found: { status: 404, title: 'There is nothing at this path' },
  organization_not_found: { status: 404, title: 'There is no such organization' },
  provider_not_found: { status: 404, title: 'There is no such provider' },
  connection_not_found: { status: 404, title: 'There is no such connection' },
  manifest_not_found: { status: 404, title: 'The plugin of the connection has no manifest' },
  key_not_found: { status: 404, title: 'There is no such API key' },
  session_not_found: { status: 404, title: 'There is no session' },
  playbook_not_found: { status: 404, title: 'There is no such playbook' },
  alert_not_found: { status: 404, title: 'There is no such alert' },
  case_not_found: { status: 404, title: 'There is no such case' },
  checkpoint_not_found: { status: 404, title: 'There is no such checkpoint' },
  run_not_found: { status: 404, title: 'There is no such run' },
  alert_deleted: { status: 410, title: 'The alert is kept no longer' },
  request_interrupted: { status: 409, title: 'The request was carried out, and its answer is lost' },
  playbook_invalid: { status: 422, title: 'The playbook has errors' },
  playbook_not_manual: { status: 409, title: 'The playbook is not started by hand' },
  method_not_allowed: { status: 405, title: 'The path does not know this method' },
  precondition_failed: { status: 412, title: 'What is to be changed is not as it was seen' },
  precondition_required: { status: 428, title: 'The request has to say what it is about to change' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  body_too_large: { status: 413, title: 'The body is too large' },
  content_type_unsupported: { status: 415, title: 'The body must be JSON' },
  content_encoding_unsupported: { status: 415, title: 'The body must not be encoded' },
  too_many_requests: { status: 429, title: 'There are too many requests' },
  too_many_event_streams: { status: 429, title: 'There are too many streams of events' },
  expectation_failed: { status: 417, title: 'The server does not do what is expected of it' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  not_ready: { status: 503, title: 'The server cannot take work now' },
  bodies_full: { status: 503, title: 'The server cannot take more bodies now' },
  dry_runs_full: { status: 503, title: 'The server cannot make more dry runs or run more tests now' },
  calculations_full: { status: 503, title: 'The server cannot check or explain more playbooks now' },
  event_streams_full: { status: 503, title: 'The server cannot have more streams of events now' },
  investigations_full: { status: 503, title: 'The server cannot take more investigations now' },
} as const satisfies Readonly<Record<string, StatusAndTitle>>

export type RequestErrorCode = keyof typeof requestErrors

/** Errors of core and of plugins, by the name of their class. */
export const errorClasses = {
  ValidationError: { status: 400, title: 'The request does not fit' },
  ForbiddenError: { status: 403, title: 'This is not allowed' },
  NotFoundError: { status: 404, title: 'There is no such thing' },
  ConflictError: { status: 409, title: 'This conflicts with what is there' },
  CancelledError: { status: 409, title: 'The work was cancelled' },
  ConnectionError: { status: 502, title: 'The connection does not work' },
  SkillError: { status: 502, title: 'The other system said no' },
  RetryableError: { status: 503, title: 'The other system cannot answer now' },
  UnavailableError: { status: 503, title: 'The server cannot take the work now' },
  TimeoutError: { status: 504, title: 'It took too long' },
} as const satisfies Readonly<Record<string, StatusAndTitle>>

/** Codes that core raises with the base class. */
export const coreCodes = {
  json_invalid: { status: 400, title: 'The body is not valid JSON' },
  json_too_deep: { status: 400, title: 'The body is nested too deep' },
  dry_run_too_large: { status: 422, title: 'The dry run or the tests come to too much' },
} as const satisfies Readonly<Record<string, StatusAndTitle>>

/** What nobody foresaw. Nothing about it is shown. */
export const internalError = { status: 500, title: 'Something went wrong inside the server' } as const

/** Every status that an error can become. */
export const errorStatuses: readonly number[] = [
  ...new Set(
    [requestErrors, errorClasses, coreCodes, { internalError }].flatMap((table) =>
      Object.values<StatusAndTitle>(table).map(({ status }) => status),
    ),
  ),
].toSorted((a, b) => a - b)
