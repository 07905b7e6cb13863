import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { apiCall } from '../../api/call.ts'
import type { CaseChange } from '../../api/types.ts'
import { countOf, piecesOf, undoRequests, type BulkChoice, type BulkResult } from './bulk-changes.ts'

/** A change of many cases that is under way or has ended. */
export interface BulkWork {
  /** E.g. `Closed`. */
  readonly done: string
  readonly total: number
  readonly results: readonly BulkResult[]
  readonly isRunning: boolean
  /** Why it stopped before the end. */
  readonly error: unknown
  readonly isUndo: boolean
}

/** Changes many cases, and undoes the last change. */
export function useBulk() {
  const queries = useQueryClient()
  const [work, setWork] = useState<BulkWork>()
  const stop = useRef<AbortController>(undefined)
  const run = async (
    parts: readonly { readonly choice: BulkChoice; readonly changes: CaseChange }[],
    done: string,
    isUndo: boolean,
  ): Promise<void> => {
    const abort = new AbortController()
    stop.current = abort
    const total = parts.reduce((sum, { choice }) => sum + countOf(choice), 0)
    const shown: BulkWork = { done, total, results: [], isRunning: true, error: null, isUndo }
    setWork(shown)
    const results: BulkResult[] = []
    let error: unknown = null
    try {
      for (const { choice, changes } of parts) {
        const before = results.slice()
        const onPiece = (some: readonly BulkResult[]): void => {
          results.splice(before.length, results.length, ...some)
          setWork({ ...shown, results: [...results] })
        }
        // oxlint-disable-next-line no-await-in-loop -- one piece after the other
        await changeAll(choice, changes, { onPiece, signal: abort.signal })
      }
    } catch (caught) {
      error = caught
    }
    setWork({ ...shown, results, isRunning: false, error })
    void queries.invalidateQueries({ queryKey: ['list', '/cases'] })
  }
  return {
    work,
    change: (choice: BulkChoice, changes: CaseChange, done: string) =>
      void run([{ choice, changes }], done, false),
    undo: () => {
      if (work === undefined) return
      const parts = undoRequests(work.results).map(({ cases, changes }) => ({ choice: { cases }, changes }))
      void run(parts, 'Restored', true)
    },
    stop: () => stop.current?.abort(),
    dismiss: () => setWork(undefined),
  }
}

export type Bulk = ReturnType<typeof useBulk>

interface BulkAnswer {
  readonly data: readonly BulkResult[]
  readonly next_cursor: string | null
}

interface Progress {
  /** Called with all results so far after each piece. */
  readonly onPiece: (results: readonly BulkResult[]) => void
  /** No further piece is sent. */
  readonly signal: AbortSignal
}

/** Makes the same change to all chosen cases, piece by piece. Throws ApiError; `onPiece` has told what happened before. */
async function changeAll(
  choice: BulkChoice,
  changes: CaseChange,
  { onPiece, signal }: Progress,
): Promise<readonly BulkResult[]> {
  const results: BulkResult[] = []
  const send = async (part: object): Promise<string | null> => {
    const { data, next_cursor: next } = await sendPiece({ ...part, changes })
    results.push(...data)
    onPiece([...results])
    return next
  }
  if ('cases' in choice) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other: others get their turn
    for (const cases of piecesOf(choice.cases)) if (!signal.aborted) await send({ cases })
    return results
  }
  const { filter, since } = choice
  let cursor: string | null | undefined
  while (cursor !== null && !signal.aborted) {
    const place: object = cursor === undefined ? {} : { cursor }
    // oxlint-disable-next-line no-await-in-loop -- each answer has the cursor of the next request
    cursor = await send({ filter, unchanged_since: since, ...place })
  }
  return results
}

const sendPiece = (body: object): Promise<BulkAnswer> =>
  apiCall<BulkAnswer>('POST', '/cases/bulk', {
    body,
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
