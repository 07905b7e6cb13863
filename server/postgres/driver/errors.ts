import { UnavailableError } from '../../../core/errors/errors.ts'

/**
 * - `lost`: the connection is of no use; another one may be.
 * - `conflict`: with another transaction; the same may succeed when repeated.
 * - `storage`: the server cannot do it now: disk, memory, time.
 * - `own`: of the statement, such as a violated constraint.
 */
export type FailureKind = 'lost' | 'conflict' | 'storage' | 'own'

/** An error of the server or of its connection. SQLSTATE, or a code of Node such as `ECONNRESET`. */
export interface PostgresError extends Error {
  readonly code?: string
  /** The function of the server that reports it. */
  readonly routine?: string
}

/** The connection ended, or gave no answer in time. */
export class ConnectionLost extends Error {
  readonly code: string | undefined

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.code = (cause as PostgresError | undefined)?.code
  }
}

/** An error that `pg` gives a statement: of the server, or else of the connection. */
export const asFailure = (error: unknown): Error =>
  error instanceof ConnectionLost || isSqlState(error)
    ? error
    : new ConnectionLost(error instanceof Error ? error.message : String(error), error)

/** SQLSTATEs of the server about this connection or its own end. Class 08 and codes of Node are added below. */
const lost = new Set([
  '57P01', // admin_shutdown, pg_terminate_backend
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '25006', // read_only_sql_transaction: the server has become a standby
  '26000', // invalid_sql_statement_name: a pooler gave the connection to somebody else
])

const conflicts = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available: lock_timeout
])

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ConnectionLost) return 'lost'
  const { code, routine } = error as PostgresError
  if (!isSqlState(error)) return 'own'
  if (lost.has(code ?? '') || code?.startsWith('08')) return 'lost'
  // A migration changed the columns of a prepared statement: a new connection prepares it again.
  if (code === '0A000' && routine === 'RevalidateCachedQuery') return 'lost'
  if (conflicts.has(code ?? '')) return 'conflict'
  // 53: resources, 57014: statement_timeout or cancelled, 58: files of the server, XX: damaged data.
  return /^(?:53|57|58|XX)/.test(code ?? '') ? 'storage' : 'own'
}

/** By a time limit, or by an operator. */
export const isCancelled = (error: unknown): boolean => (error as PostgresError).code === '57014'

/** True for errors that PostgreSQL reported. */
function isSqlState(error: unknown): error is PostgresError {
  return (
    error instanceof Error &&
    /^[0-9A-Z]{5}$/.test(String((error as PostgresError).code)) &&
    'severity' in error
  )
}

/** Stands for the code of an error of `pg` that has none. */
const noTls = 'server_without_tls'

/** Codes of Node for certificates that are not trusted. */
const isUntrusted = (code: string): boolean => /SELF_SIGNED|UNABLE_TO_|CERT_HAS_EXPIRED/.test(code)
const trustIt = 'Name the file of the certificate authority of PostgreSQL with sslrootcert in TOCSIN_STORE.'

/** Hints by SQLSTATE, by class, or by code of Node. */
const remedies: Readonly<Record<string, string>> = {
  '28P01': 'Check user and password in TOCSIN_STORE.',
  '28000': 'Allow the user in pg_hba.conf, or check user and TLS in TOCSIN_STORE.',
  '3D000': 'Create the database, or check its name in TOCSIN_STORE.',
  '42501': 'Make the user of TOCSIN_STORE the owner of the database and its tables.',
  '53100': 'Free space on the disk of PostgreSQL.',
  '53200': 'Give PostgreSQL more memory, or raise max_locks_per_transaction.',
  '53300': 'Raise max_connections of PostgreSQL, or run fewer nodes.',
  '25006': 'TOCSIN_STORE leads to a read-only replica: name the primary, or all servers separated by commas.',
  '57014': 'The statement took too long: check the load of PostgreSQL.',
  '55P03': 'Another transaction holds a lock: look for long transactions in pg_stat_activity.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use the host of the certificate in TOCSIN_STORE, or sslmode=verify-ca.',
  [noTls]: 'Turn on TLS in PostgreSQL, or add ?sslmode=disable to TOCSIN_STORE if the network is trusted.',
  ENOTFOUND: 'Check the host in TOCSIN_STORE.',
  ECONNREFUSED: 'Start PostgreSQL, or check host and port in TOCSIN_STORE.',
}
const tryLater = 'Check that PostgreSQL runs and can be reached, and its log.'

/** The error for callers while PostgreSQL cannot do what they ask for. */
export function postgresUnavailable(cause: unknown): UnavailableError {
  const code = codeOf(cause)
  return new UnavailableError('store_unavailable', `PostgreSQL is unavailable: ${messageOf(cause)}`, {
    retryAfterMs: 1000,
    hint: isUntrusted(code) ? trustIt : (remedies[code] ?? tryLater),
    details: { postgres_code: code },
    cause,
  })
}

/** The connection was lost during COMMIT, and nothing tells whether the write was stored. @param reason why */
export function outcomeUnknown(reason: UnavailableError): UnavailableError {
  return new UnavailableError(
    'store_unavailable',
    `the write may have been stored or not: ${reason.message}`,
    {
      retryAfterMs: 5000,
      ...(reason.hint !== undefined && { hint: reason.hint }),
      details: { outcome: 'unknown' },
      cause: reason,
    },
  )
}

/** What to tell writes that were to follow one that failed, and were not tried. */
export const withKnownOutcome = (error: UnavailableError): UnavailableError =>
  error.details?.['outcome'] === 'unknown' && error.cause instanceof UnavailableError ? error.cause : error

export function postgresBusy(message: string, hint: string, cause?: unknown): UnavailableError {
  return new UnavailableError('store_busy', message, { retryAfterMs: 1000, hint, cause })
}

export const postgresClosed = (): UnavailableError =>
  new UnavailableError('store_closed', 'the store is closed: the process is shutting down', {
    retryAfterMs: 5000,
  })

/** True for errors of an attempt to connect that a second attempt would give again: user, password, database, certificate. */
export function isPermanent(error: unknown): boolean {
  const code = codeOf(error)
  return (
    /^(?:28|3D)/.test(code) || code === noTls || code === 'ERR_TLS_CERT_ALTNAME_INVALID' || isUntrusted(code)
  )
}

function codeOf(error: unknown): string {
  const { code, message } = error as PostgresError
  return code ?? (message.includes('does not support SSL') ? noTls : 'unknown')
}

/** Several attempts to connect (IPv4 and IPv6) fail as one AggregateError without a message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
