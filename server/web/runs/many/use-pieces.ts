import { useCallback, useEffect, useRef, useState } from 'react'
import type { NextPiece } from './pieces.ts'

/** A request in pieces that is under way, was stopped, or has ended. */
export interface PieceWork<Item> {
  readonly items: readonly Item[]
  /** About how many are missing; 0: it is complete. */
  readonly left: number
  readonly isRunning: boolean
  /** Why it stopped; null if it did not fail. */
  readonly error: unknown
}

const nothing = { items: [], left: 0, isRunning: false, error: null } as const

/** Sends one piece after the other until the last one, an error or `stop`; ends with the component. */
export function usePieces<Item>() {
  const [work, setWork] = useState<PieceWork<Item>>()
  /** Number of the newest request: answers to earlier ones are ignored. */
  const turn = useRef(0)
  const isStopped = useRef(false)
  const request = useRef<NextPiece<Item>>(undefined)
  const send = useCallback(async (next: NextPiece<Item>, before: PieceWork<Item>) => {
    const own = ++turn.current
    isStopped.current = false
    let state: PieceWork<Item> = { ...before, isRunning: true, error: null }
    while (state.isRunning && own === turn.current) {
      setWork(state)
      try {
        // oxlint-disable-next-line no-await-in-loop -- one piece after the other: others get their turn
        const { items, left } = await next()
        const goesOn = left > 0 && items.length > 0 && !isStopped.current
        state = { items: [...state.items, ...items], left, isRunning: goesOn, error: null }
      } catch (error) {
        state = { ...state, isRunning: false, error }
      }
    }
    if (own === turn.current) setWork(state)
  }, [])
  useEffect(
    () => () => {
      turn.current++
    },
    [],
  )
  return {
    work,
    start: useCallback(
      (next: NextPiece<Item>) => {
        request.current = next
        void send(next, nothing)
      },
      [send],
    ),
    /** After the piece that is under way. */
    stop: () => {
      isStopped.current = true
    },
    /** Continues after `stop` or an error. */
    resume: () => {
      if (request.current !== undefined && work !== undefined && !work.isRunning)
        void send(request.current, work)
    },
  }
}
