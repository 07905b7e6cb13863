import type { Notification, NotificationChoice, NotificationReader } from '../../notification/notification.ts'
import type { ListPage, ListRequest } from '../common.ts'

/** Which notifications a person has read: these, or all up to a time (epoch milliseconds). */
export type ReadNotifications = { readonly uuids: readonly string[] } | { readonly until: number }

/** Notifications are stored by the writes that they tell of. A reader sees those of its areas. */
export interface NotificationStore {
  /**
   * Newest news first, unless asked otherwise.
   *
   * @param isUnread only those that are unread and not settled. Default: all
   */
  list(
    reader: NotificationReader,
    page: ListRequest,
    filter?: { readonly isUnread?: boolean | undefined },
  ): Promise<ListPage<Notification>>
  /** Number of unread ones that are not settled, at most `notificationBounds.counted`. */
  countUnread(reader: NotificationReader): Promise<number>
  /** Unknown ones are ignored. A notification that happens again later is unread again if its kind says so. */
  markRead(reader: NotificationReader, read: ReadNotifications): Promise<void>
  /** What the person chose. */
  choices(account: string): Promise<readonly NotificationChoice[]>
  /** Replaces the choices. What the person sees because of them is read. */
  choose(
    account: string,
    choices: readonly NotificationChoice[],
    readers: { readonly before: NotificationReader; readonly after: NotificationReader },
  ): Promise<void>
  /** Tells what has become due: escalations of unanswered approvals, and missed targets of cases. True: more may be left. */
  tellDue(): Promise<boolean>
}
