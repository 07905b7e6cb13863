import { Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Session } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { followChanges } from './follow-changes.ts'
import './live-mark.css'
import { useLiveState } from './live-state.ts'

const texts = {
  connecting: undefined,
  live: ['Live', 'Changes appear immediately'],
  reconnecting: ['Reconnecting', 'Changes appear after a few seconds'],
} as const

/** Follows what changes as long as it is shown, and says whether it does. */
export function LiveMark() {
  const queries = useQueryClient()
  const state = useLiveState()
  // While the session is over, nothing is asked that would only be refused.
  const isOver = useQuery<Session | null>({ queryKey: ['session'], enabled: false }).data === null
  // Keys that only post alerts see nothing that could change.
  const isTold = useMay('reader', 'analyst', 'admin') && !isOver
  useEffect(() => (isTold ? followChanges(queries) : undefined), [isTold, queries])
  const [text, meaning] = texts[state] ?? []
  return (
    <Text component="span" role="status" size="xs" className="live-mark" data-state={state} title={meaning}>
      {text}
    </Text>
  )
}
