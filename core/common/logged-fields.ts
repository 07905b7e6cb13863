/**
 * The fields that may be logged. Everything else is dropped and its name is listed under `dropped`, so that nothing slips
 * into the log by being passed along: no headers, no bodies, no query strings. `fields` holds what a skill logs, as text.
 */
// prettier-ignore
export const loggedFields = [
  'action', 'actor', 'actor_kind', 'address', 'alert', 'alerts', 'attempt', 'case', 'code', 'connection', 'count', 'delay_ms', 'destination', 'duration_ms', 'error', 'fields', 'folder', 'hash', 'host', 'key_id',
  'kind', 'method', 'object', 'organization', 'path', 'playbook', 'plugin', 'port', 'provider', 'reason', 'request_id', 'run', 'runs', 'sequence', 'signal',
  'skill', 'stack', 'status', 'step', 'url', 'version',
] as const
