import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCallTagged, type Tagged } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import type { ApiCase, CaseChange, ApiCaseDetail } from '../api/types.ts'
import { showInvisible } from '../parts/outside-text.ts'

export interface CaseChanging {
  readonly change: (body: CaseChange) => void
  /** Saves edits of fields with these original values, or reports a conflict. */
  readonly changeFrom: (began: CaseChange, body: CaseChange) => void
  readonly isPending: boolean
  /** Why the last change failed; undefined for a conflict. */
  readonly error: unknown
  /** The change that conflicts with one of someone else. */
  readonly conflict: CaseChange | undefined
  /** Discards the conflicting change. */
  readonly giveIn: () => void
}

interface ChangeOptions {
  /** Path in the API. */
  readonly path: string
  readonly found: ApiCaseDetail
  /** Of the last read. */
  readonly etag: string | null
  /** The case may have changed. */
  readonly onSettled: () => void
  /** `sent`: the saved change. More may have been typed since. */
  readonly onSaved: (saved: Tagged<ApiCase>, sent: CaseChange) => void
  /** The change was discarded. */
  readonly onGivenIn: (left: CaseChange) => void
}

/** Changes a case without overwriting unseen changes of others. */
export function useCaseChange({
  path,
  found,
  etag,
  onSettled,
  onSaved,
  onGivenIn,
}: ChangeOptions): CaseChanging {
  const [conflict, setConflict] = useState<CaseChange>()
  const change = useMutation({
    mutationFn: (body: CaseChange) =>
      apiCallTagged<ApiCase>('PATCH', path, { body, headers: { 'if-match': etag ?? '*' } }),
    onSuccess(saved, sent) {
      setConflict(undefined)
      onSaved(saved, sent)
    },
    onError: (error, body) => setConflict(isRevisionConflict(error) ? body : undefined),
    onSettled,
  })
  return {
    change: change.mutate,
    changeFrom(began, body) {
      const names = Object.keys(body) as (keyof CaseChange)[]
      if (names.some((name) => found[name] !== began[name] && found[name] !== body[name])) setConflict(body)
      else change.mutate(body)
    },
    isPending: change.isPending,
    error: change.isError && !isRevisionConflict(change.error) ? change.error : undefined,
    conflict,
    giveIn() {
      if (conflict !== undefined) onGivenIn(conflict)
      setConflict(undefined)
    },
  }
}

const isRevisionConflict = (error: unknown): boolean => apiProblem(error).status === 412

/** An edited field with its original value. */
export interface EditedField {
  readonly from: string | null
  readonly value: string
}

/** The field after a keystroke. The original value stays. */
export const editField = (
  before: EditedField | undefined,
  now: string | null,
  value: string,
): EditedField => ({
  from: before === undefined ? now : before.from,
  value,
})

/**
 * The field after a save: unedited if it has the saved value, else based on it.
 *
 * @param saved undefined if the field was not saved
 */
export function fieldAfterSave(
  typed: EditedField | undefined,
  saved: string | null | undefined,
): EditedField | undefined {
  if (typed === undefined || saved === undefined) return typed
  return typed.value.trim() === (saved ?? '') ? undefined : { from: saved, value: typed.value }
}

/** Empty if the value did not change. */
export const editedText = (touched: EditedField | undefined): string =>
  touched === undefined || touched.value === (touched.from ?? '') ? '' : touched.value || '(empty)'

/** Reports a change by someone else; undefined if there is none. */
export function conflictText(touched: EditedField | undefined, now: string | null): string | undefined {
  if (touched === undefined || touched.from === now || touched.value === (now ?? '')) return undefined
  return `Someone else changed this to ${quotedValue(now)}`
}

/** A value in quotes, shortened. */
export function quotedValue(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '') return 'empty'
  const text = value.replaceAll('_', ' ')
  return `“${showInvisible(text.length > 200 ? `${text.slice(0, 200)} …` : text)}”`
}
