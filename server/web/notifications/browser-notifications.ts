import type { ApiNotification } from '../api/types.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { linkOf } from './link-of.ts'

/** Those that this page shows, by id. */
const shown = new Map<string, Notification>()

/** Time (epoch milliseconds) of the newest one that a page of this browser has shown. */
const storageKey = 'tocsin-notified'
const openedAt = Date.now()

/**
 * Shows new notifications by the browser if the page is hidden, each once for all pages of the browser, and closes those that were read
 * or settled.
 */
export async function showInBrowser(
  unread: readonly ApiNotification[],
  navigate: (path: string) => void,
): Promise<void> {
  const open = new Set(unread.map(({ notification_id: id }) => id))
  for (const [id, notification] of shown) {
    if (open.has(id)) continue
    notification.close()
    shown.delete(id)
  }
  if (document.visibilityState === 'visible') return
  // One page of the browser at a time decides what is new.
  await navigator.locks.request(storageKey, () => {
    const since = Math.max(openedAt, Number(localStorage.getItem(storageKey)))
    const fresh = unread.filter(({ at, is_for_browser: isWanted }) => isWanted && at > since)
    if (fresh.length === 0) return
    localStorage.setItem(storageKey, String(Math.max(...fresh.map(({ at }) => at))))
    for (const each of fresh) show(each, navigate)
  })
}

function show(told: ApiNotification, navigate: (path: string) => void): void {
  const notification = new Notification('Tocsin', {
    body: showInvisible(told.text),
    tag: told.notification_id,
    icon: document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '',
  })
  shown.set(told.notification_id, notification)
  notification.addEventListener('click', () => {
    window.focus()
    notification.close()
    navigate(linkOf(told))
  })
}
