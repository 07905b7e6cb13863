import { ConflictError, UnavailableError } from '../../../core/errors/errors.ts'
import type { AuditVerdict } from '../../../core/audit/audit-chain.ts'
import type { MigratedAudit } from './copy-all.ts'
import { failureKind, postgresUnavailable, type PostgresError } from '../driver/errors.ts'
import { isStorageFailure, storeUnavailable } from '../../sqlite/database/storage-errors.ts'

interface ServerError extends PostgresError {
  readonly table?: string
  readonly detail?: string
}

const goesOn = 'Then run the command again: it continues.'

/** An error of a database in the words of a migration; others unchanged. */
export function asMigrationError(error: unknown): unknown {
  if (isStorageFailure(error)) return continued(storeUnavailable(error))
  if (error instanceof UnavailableError && error.code === 'store_unavailable') return continued(error)
  const { code, table, detail, message } = error as ServerError
  if (code === '23001') return message.includes('next entry') ? auditGap(error) : notAppended(error)
  if (code === '23503' || code === '23505')
    return new ConflictError(
      'data_inconsistent',
      `the original has inconsistent rows in ${table}: ${detail ?? 'no details'}`,
      {
        hint: 'Run `tocsin doctor` on the original, which is unchanged.',
        cause: error,
      },
    )
  const isRefused = /^(?:28|3D|42501)/.test(code ?? '')
  if (!(error instanceof Error) || (!isRefused && failureKind(error) === 'own')) return error
  return continued(postgresUnavailable(error))
}

function continued(error: UnavailableError): UnavailableError {
  const hint = (error.hint ?? '').replaceAll('in TOCSIN_STORE', 'in the address')
  return new UnavailableError(error.code, error.message, {
    retryAfterMs: error.retryAfterMs,
    hint: `${hint.replaceAll('TOCSIN_STORE', 'the address')} ${goesOn}`,
    details: error.details,
    cause: error,
  })
}

/** The tables that only grow refuse other changes. */
const notAppended = (cause: unknown): ConflictError =>
  new ConflictError(
    'migration_of_other_data',
    'earlier entries of the audit log or of cases differ from the unfinished copy: the original was replaced',
    {
      hint: 'Start again with an empty database. If this repeats, run `tocsin audit verify` on the original.',
      cause,
    },
  )

const auditGap = (cause: unknown): ConflictError =>
  new ConflictError('audit_broken', 'entries of the audit log are missing in the original', {
    hint: 'Run `tocsin audit verify` on the original, which is unchanged.',
    cause,
  })

/**
 * The audit log of the copy, which has the same rows as the original: if it is broken, it was broken there.
 *
 * @throws ConflictError `audit_unguarded`
 */
export function migratedAudit({ entries, head, broken, unguarded = [] }: AuditVerdict): MigratedAudit {
  if (unguarded.length === 0) return { entries, hash: head?.hash ?? null, broken }
  throw new ConflictError(
    'audit_unguarded',
    `triggers of the audit log are missing: ${unguarded.join(', ')}`,
    {
      hint: 'Start again with an empty database.',
    },
  )
}
