import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { apiGet } from '../api/call.ts'
import type { ApiNotifications } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { createStore } from '../parts/hooks.ts'
import { useSession } from '../session/session.ts'

const unread = createStore(0)

/** `(3) ` before the title of the browser tab; empty without unread notifications. */
export function useTitleMark(): string {
  const count = unread.use()
  return count === 0 ? '' : `(${countText(count)}) `
}

export const countText = (count: number): string => (count > 99 ? '99+' : String(count))

/** Whether the browser may show notifications. */
export const isAllowed = (): boolean => 'Notification' in window && Notification.permission === 'granted'

/** The newest unread notifications of the person; undefined until they are loaded, and for API keys, which have none. */
export function useUnread(): ApiNotifications | undefined {
  const { account_uuid: account } = useSession()
  const poll = usePollMs()
  const { data } = useQuery({
    queryKey: ['notifications', 'unread'],
    queryFn: ({ signal }) =>
      apiGet<ApiNotifications>('/notifications', { unread: 'true', limit: 20 }, signal),
    enabled: account !== null,
    refetchInterval: poll(30_000),
    // A hidden page has no stream of changes.
    refetchIntervalInBackground: isAllowed(),
  })
  const count = data?.unread ?? 0
  useEffect(() => {
    unread.set(count)
  }, [count])
  return data
}
