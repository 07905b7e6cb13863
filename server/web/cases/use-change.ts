import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { callTagged, type Tagged } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import type { Case, CaseChange, CaseDetail } from '../api/types.ts'

export interface CaseChanging {
  readonly change: (body: CaseChange) => void
  /** The same for what was typed, where the fields stood so when that began: what is otherwise now is not overwritten. */
  readonly changeFrom: (began: CaseChange, body: CaseChange) => void
  readonly isPending: boolean
  /** Why the last change was refused, unless somebody else was faster. */
  readonly error: unknown
  /** What was asked for and not done, because the case was changed since it was read. */
  readonly overtaken: CaseChange | undefined
  /** Leaves the case as the other one made it. */
  readonly giveIn: () => void
}

interface ChangeOptions {
  /** Of the case, in the API. */
  readonly path: string
  /** As it was read last. */
  readonly found: CaseDetail
  /** Of the case as it was read. */
  readonly etag: string | null
  /** The case may be another now. */
  readonly onSettled: () => void
  /** `sent`: what was asked for; more may have been typed since. */
  readonly onSaved: (saved: Tagged<Case>, sent: CaseChange) => void
  /** What was asked for is not wanted any more. */
  readonly onGivenIn: (left: CaseChange) => void
}

/** Changes a case as it was read: where somebody else changed it since, nothing is overwritten unseen. */
export function useChange({ path, found, etag, onSettled, onSaved, onGivenIn }: ChangeOptions): CaseChanging {
  const [overtaken, setOvertaken] = useState<CaseChange>()
  const change = useMutation({
    mutationFn: (body: CaseChange) =>
      callTagged<Case>('PATCH', path, { body, headers: { 'if-match': etag ?? '*' } }),
    onSuccess(saved, sent) {
      setOvertaken(undefined)
      onSaved(saved, sent)
    },
    onError: (error, body) => setOvertaken(isOvertaken(error) ? body : undefined),
    onSettled,
  })
  return {
    change: change.mutate,
    changeFrom(began, body) {
      const names = Object.keys(body) as (keyof CaseChange)[]
      if (names.some((name) => found[name] !== began[name] && found[name] !== body[name])) setOvertaken(body)
      else change.mutate(body)
    },
    isPending: change.isPending,
    error: change.isError && !isOvertaken(change.error) ? change.error : undefined,
    overtaken,
    giveIn() {
      if (overtaken !== undefined) onGivenIn(overtaken)
      setOvertaken(undefined)
    },
  }
}

const isOvertaken = (error: unknown): boolean => problemOf(error).status === 412
