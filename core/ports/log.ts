/**
 * The fields that may be logged. All others are dropped and their names listed under `dropped`, so that
 * headers, bodies and query strings never reach the log by accident. `fields` holds the fields of a skill's
 * own log lines, as text.
 */
// prettier-ignore
export const loggedFields = [
  'action', 'actor', 'actor_kind', 'address', 'alert', 'alerts', 'attempt', 'case', 'code', 'connection', 'count', 'delay_ms', 'destination', 'duration_ms', 'error', 'fields', 'folder', 'hash', 'host', 'key_id',
  'kind', 'method', 'object', 'organization', 'path', 'playbook', 'plugin', 'port', 'provider', 'reason', 'request_id', 'run', 'runs', 'sequence', 'signal',
  'skill', 'stack', 'status', 'step', 'url', 'version',
] as const

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** Fields with these names are written; the log drops others. */
export type LogFields = Readonly<Partial<Record<(typeof loggedFields)[number], unknown>>>
