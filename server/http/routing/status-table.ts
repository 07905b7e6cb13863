/**
 * The HTTP status of every error. Errors of the server have a code of `requestErrors`; errors of core and
 * plugins map by class. `test/http/status-table.test.ts` keeps both complete.
 */

interface StatusAndTitle {
  readonly status: number
  readonly title: string
}

export const requestErrors = {
  body_missing: { status: 400, title: 'The request has no body' },
  body_not_utf8: { status: 400, title: 'The body is not UTF-8' },
  body_not_well_formed: { status: 400, title: 'The body contains invalid Unicode' },
  body_interrupted: { status: 400, title: 'The body is incomplete' },
  json_duplicate_name: { status: 400, title: 'A field appears twice in the body' },
  request_malformed: { status: 400, title: 'The request is not valid HTTP' },
  unknown_organization: { status: 400, title: 'Organization not found' },
  unknown_provider: { status: 400, title: 'Provider not found' },
  unknown_plugin: { status: 400, title: 'Plugin not found' },
  connection_name_ambiguous: { status: 400, title: 'Several organizations have a connection with this name' },
  state_ambiguous: { status: 400, title: 'Several organizations have a state with this name' },
  person_missing: { status: 400, title: 'The e-mail address or the name is missing' },
  passkey_invalid: { status: 400, title: 'The answer of the passkey is invalid' },
  credentials_ambiguous: { status: 400, title: 'The request contains more than one API key' },
  key_missing: { status: 401, title: 'The request contains no API key' },
  session_invalid: { status: 401, title: 'The session has ended' },
  key_invalid: { status: 401, title: 'The API key is invalid' },
  sign_in_refused: { status: 401, title: 'The e-mail address or the password is wrong' },
  code_needed: { status: 401, title: 'A one-time code is needed' },
  code_wrong: { status: 401, title: 'The code is wrong or was used before' },
  passkey_refused: { status: 401, title: 'The passkey was refused' },
  passkey_copied: { status: 401, title: 'The passkey was refused, because a copy of it may exist' },
  webhook_refused: { status: 401, title: 'The call was refused' },
  role_insufficient: { status: 403, title: 'The role of the API key does not have access' },
  key_is_scoped: { status: 403, title: 'The API key is limited to some organizations' },
  permission_exceeded: { status: 403, title: 'This would give more than you have' },
  account_needed: { status: 403, title: 'Only a person who signed in can do this' },
  sign_in_not_recent: { status: 403, title: 'This needs a recent sign-in' },
  cross_site_request: { status: 403, title: 'The request comes from another website' },
  path_not_found: { status: 404, title: 'Path not found' },
  organization_not_found: { status: 404, title: 'Organization not found' },
  provider_not_found: { status: 404, title: 'Provider not found' },
  connection_not_found: { status: 404, title: 'Connection not found' },
  manifest_not_found: { status: 404, title: 'The plugin of the connection has no manifest' },
  sign_in_not_found: { status: 404, title: 'Nobody has signed in to the connection' },
  account_not_found: { status: 404, title: 'Account not found' },
  key_not_found: { status: 404, title: 'API key not found' },
  role_not_found: { status: 404, title: 'Role not found' },
  invitation_not_found: { status: 404, title: 'The link is unknown, used or expired' },
  session_not_found: { status: 404, title: 'The request has no session' },
  draft_not_found: { status: 404, title: 'The playbook has no draft' },
  playbook_not_found: { status: 404, title: 'Playbook not found' },
  alert_not_found: { status: 404, title: 'Alert not found' },
  file_not_found: { status: 404, title: 'File not found' },
  case_not_found: { status: 404, title: 'Case not found' },
  checkpoint_not_found: { status: 404, title: 'Checkpoint not found' },
  containment_not_found: { status: 404, title: 'Containment not found' },
  run_not_found: { status: 404, title: 'Run not found' },
  alert_deleted: { status: 410, title: 'Alert deleted by retention policy' },
  request_interrupted: { status: 409, title: 'The request was carried out, but its response was lost' },
  sign_in_unknown: {
    status: 409,
    title: 'The sign-in has expired, is complete, or began in another session',
  },
  sign_on_unknown: {
    status: 409,
    title: 'The sign-in has expired, is complete, or began in another browser',
  },
  passkey_unknown_challenge: {
    status: 409,
    title: 'The request to the passkey has expired, was answered, or began elsewhere',
  },
  passkeys_off: { status: 409, title: 'Passkeys do not work at this address' },
  local_sign_in_off: { status: 403, title: 'Only single sign-on is allowed' },
  single_sign_on_off: { status: 404, title: 'Single sign-on is not configured' },
  logout_token_invalid: { status: 400, title: 'The logout token is invalid' },
  sign_in_elsewhere: { status: 409, title: 'The sign-in would end at another address' },
  playbook_invalid: { status: 422, title: 'The playbook has errors' },
  playbook_not_manual: { status: 409, title: 'The playbook cannot be started manually' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  precondition_failed: { status: 412, title: 'Modified since you read it' },
  precondition_required: { status: 428, title: 'The request needs an If-Match header' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  request_timeout: { status: 408, title: 'The request arrived too slowly' },
  body_too_large: { status: 413, title: 'The body is too large' },
  content_type_unsupported: { status: 415, title: 'The body must be JSON' },
  content_encoding_unsupported: { status: 415, title: 'The body must not be compressed' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  too_many_event_streams: { status: 429, title: 'Too many event streams' },
  expectation_failed: { status: 417, title: 'The expectation is not supported' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  not_ready: { status: 503, title: 'The server is not ready' },
  bodies_full: { status: 503, title: 'The server is too busy for more request bodies' },
  dry_runs_full: { status: 503, title: 'The server is too busy for more dry runs or tests' },
  calculations_full: { status: 503, title: 'The server is too busy to check or explain more playbooks' },
  event_streams_full: { status: 503, title: 'The server is too busy for more event streams' },
  investigations_full: { status: 503, title: 'The server is too busy for more investigations' },
  intake_full: { status: 503, title: 'The server is too busy for more alerts' },
} as const satisfies Readonly<Record<string, StatusAndTitle>>

export type RequestErrorCode = keyof typeof requestErrors

/** Errors of core and plugins, by class name. */
export const errorClasses = {
  ValidationError: { status: 400, title: 'The request is invalid' },
  ForbiddenError: { status: 403, title: 'Not allowed' },
  NotFoundError: { status: 404, title: 'Not found' },
  ConflictError: { status: 409, title: 'Conflict with the current state' },
  CancelledError: { status: 409, title: 'Cancelled' },
  ConnectionError: { status: 502, title: 'The connection failed' },
  SkillError: { status: 502, title: 'The other system refused the request' },
  RetryableError: { status: 503, title: 'The other system is temporarily unavailable' },
  UnavailableError: { status: 503, title: 'The server is temporarily unavailable' },
  TimeoutError: { status: 504, title: 'The request timed out' },
} as const satisfies Readonly<Record<string, StatusAndTitle>>

/** Codes of core whose status does not follow from their class. */
export const coreCodes = {
  json_invalid: { status: 400, title: 'The body is not valid JSON' },
  json_too_deep: { status: 400, title: 'The body is nested too deeply' },
  file_too_large: { status: 413, title: 'The file is too large' },
  dry_run_too_large: { status: 422, title: 'The dry run or test is too large' },
} as const satisfies Readonly<Record<string, StatusAndTitle>>

/** For unexpected errors, which are not shown. */
export const internalError = { status: 500, title: 'Internal server error' } as const

/** Every status of an error. */
export const errorStatuses: readonly number[] = [
  ...new Set(
    [requestErrors, errorClasses, coreCodes, { internalError }].flatMap((table) =>
      Object.values<StatusAndTitle>(table).map(({ status }) => status),
    ),
  ),
].toSorted((a, b) => a - b)
