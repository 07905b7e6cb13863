import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { apiCallOnce } from '../../api/call.ts'
import { mayHaveChanged } from '../../api/problem.ts'
import type { CaseChange } from '../../api/types.ts'
import { countOf, undoRequests, type BulkChoice, type BulkResult } from './bulk-changes.ts'
import { bulkPieces, type BulkPart, type BulkPieces, type PostBulk } from './bulk-pieces.ts'

/** A change of many cases that is under way or has ended. */
export interface BulkWork {
  /** E.g. `Closed`. */
  readonly done: string
  readonly total: number
  readonly results: readonly BulkResult[]
  readonly isRunning: boolean
  /** Why it stopped before the end. */
  readonly error: unknown
  /** Number of cases of the failed request, which may be changed. */
  readonly unknown: number
  readonly isUndo: boolean
}

/** Changes many cases, and undoes the last change. */
export function useBulk() {
  const queries = useQueryClient()
  const [work, setWork] = useState<BulkWork>()
  const stop = useRef<AbortController>(undefined)
  const pieces = useRef<BulkPieces>(undefined)
  const go = async (request: BulkPieces, started: BulkWork): Promise<void> => {
    const abort = new AbortController()
    stop.current = abort
    const before: BulkWork = { ...started, error: null, unknown: 0 }
    const results = [...started.results]
    const show = (more: Partial<BulkWork>): void => setWork({ ...before, results: [...results], ...more })
    show({ isRunning: true })
    let size = request.next()
    try {
      for (; size !== undefined && !abort.signal.aborted; size = request.next()) {
        // oxlint-disable-next-line no-await-in-loop -- one piece after the other: others get their turn
        results.push(...(await request.send()))
        show({ isRunning: true })
      }
      show({ isRunning: false })
    } catch (error) {
      show({ isRunning: false, error, unknown: mayHaveChanged(error) ? (size ?? 0) : 0 })
    }
    void queries.invalidateQueries({ queryKey: ['list', '/cases'] })
  }
  const start = (parts: readonly BulkPart[], done: string, isUndo: boolean): void => {
    const post: PostBulk = (body, key) => apiCallOnce('/cases/bulk', body, key, stop.current?.signal)
    const request = bulkPieces(parts, post)
    pieces.current = request
    const total = parts.reduce((sum, { choice }) => sum + countOf(choice), 0)
    void go(request, { done, total, results: [], isRunning: true, error: null, unknown: 0, isUndo })
  }
  return {
    work,
    change: (choice: BulkChoice, changes: CaseChange, done: string) =>
      start([{ choice, changes }], done, false),
    undo: () => {
      if (work === undefined) return
      const parts = undoRequests(work.results).map(({ cases, changes }) => ({ choice: { cases }, changes }))
      start(parts, 'Restored', true)
    },
    /** Continues after an error. */
    resume: () => {
      if (work?.isRunning === false && pieces.current !== undefined) void go(pieces.current, work)
    },
    stop: () => stop.current?.abort(),
    dismiss: () => setWork(undefined),
  }
}

export type Bulk = ReturnType<typeof useBulk>
