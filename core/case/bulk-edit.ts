import type { Actor } from '../domain/audit.ts'
import type { ApiCaseChanges, Case, CaseEdit } from '../domain/case.ts'
import { UnavailableError } from '../errors/errors.ts'
import { TocsinError } from '../plugin/index.ts'
import type { CaseStore } from '../ports/case-store.ts'
import {
  apiChanges,
  caseDifference,
  storedCaseFields,
  requireClosing,
  withClosing,
} from '../transitions/case.ts'
import { requireNotMerged } from '../transitions/correlate/merge.ts'

/** A case of a bulk change, with what the requester knows about it. */
export interface BulkCase {
  /** As they named it. */
  readonly id: string
  /** Undefined: there is none in their organizations. */
  readonly found: Case | undefined
  /** Whether it is as the requester has seen it. */
  readonly isAsSeen: boolean
  /** What this request did to it before it was interrupted. */
  readonly done?: CaseUndo | undefined
}

/** A change that was made. */
interface CaseUndo {
  /** After the change. */
  readonly revision: number
  /** The earlier values of the changed fields. */
  readonly before: ApiCaseChanges
}

export type BulkOutcome =
  | ({ readonly outcome: 'changed'; readonly id: string } & CaseUndo)
  /** It has these values already. */
  | { readonly outcome: 'unchanged'; readonly id: string; readonly revision: number }
  | {
      readonly outcome: 'refused'
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string | undefined }
    }

/**
 * Makes the same change to one of many cases. A case that someone else changed meanwhile is refused, unless it has the wanted values
 * already: so a repeated request changes nothing twice. Throws only errors that are not about this case.
 */
export async function editOneOf(
  cases: Pick<CaseStore, 'edit'>,
  { id, found, isAsSeen, done }: BulkCase,
  edit: CaseEdit,
  by: Actor,
): Promise<BulkOutcome> {
  if (found === undefined) return refused('case_not_found', `there is no case '${id.slice(0, 64)}'`)
  if (done !== undefined) return { outcome: 'changed', id: found.id, ...done }
  try {
    requireNotMerged(found)
    requireClosing(found, edit)
    if (caseDifference(found, withClosing(found, edit)) === undefined)
      return { outcome: 'unchanged', id: found.id, revision: found.revision }
    if (!isAsSeen) return changedMeanwhile(found.id)
    const changed = await cases.edit(found.organizationUuid, found.id, edit, by, found.revision)
    const { id: changedId, revision } = changed
    return { outcome: 'changed', id: changedId, revision, before: valuesBefore(found, changed) }
  } catch (error) {
    if (!(error instanceof TocsinError) || error instanceof UnavailableError) throw error
    if (error.code === 'revision_changed') return changedMeanwhile(found.id)
    return refused(error.code, error.message, error.hint)
  }
}

/** The values that the edit will replace; undefined: it changes nothing. */
export function valuesToReplace(found: Case, edit: CaseEdit): ApiCaseChanges | undefined {
  const changes = caseDifference(found, withClosing(found, edit))
  return changes && valuesBefore(found, { ...found, ...(changes as Partial<Case>) })
}

/** The earlier values of the changed fields, which undo the change. */
const valuesBefore = (before: Case, after: Case): ApiCaseChanges =>
  apiChanges(
    Object.fromEntries(
      storedCaseFields
        .filter((field) => before[field] !== after[field])
        .map((field) => [field, before[field]]),
    ),
  )

const changedMeanwhile = (id: string): BulkOutcome =>
  refused('revision_changed', `someone else changed ${id} since you read it`, 'read it again')

const refused = (code: string, message: string, hint?: string): BulkOutcome => ({
  outcome: 'refused',
  error: { code, message, ...(hint !== undefined && { hint }) },
})
