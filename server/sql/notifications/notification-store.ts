import type { Work } from '../database/work.ts'
import {
  notificationBounds,
  type Notification,
  type NotificationArea,
  type NotificationChoice,
  type NotificationReader,
} from '../../../core/notification/notification.ts'
import { overdueNotification } from '../../../core/notification/notifications-of.ts'
import type { ListPage, ListRequest } from '../../../core/ports/common.ts'
import type { NotificationStore, ReadNotifications } from '../../../core/ports/derived/notification-store.ts'
import { caseByRow } from '../cases/case-rows.ts'
import { theServer } from '../../../core/domain/audit.ts'
import { noteCaseEvent } from '../triggers/case-events.ts'
import { pick } from '../context/rows.ts'
import { SqlStore } from '../context/store-context.ts'
import { fromJson, toJson, type SqlValue } from '../database/columns.ts'
import { listPage, whereAll, type Condition } from '../database/paging.ts'
import { noteNotifications, assignedPerson } from './note-notifications.ts'

interface NotificationRow extends Pick<
  Notification,
  'uuid' | 'organizationUuid' | 'kind' | 'questionKind' | 'count' | 'at' | 'lastAt'
> {
  readonly id: number
  readonly subjectKind: Notification['subject']['kind']
  readonly subjectId: string
  readonly facts: string
  readonly isSettled: 0 | 1
}

/** A question is settled when it no longer waits, and several when none of their kind waits. */
const settled = `(t.question_kind IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM checkpoints c WHERE c.kind = t.question_kind AND c.state = 'waiting' AND c.organization_id = t.organization_id
    AND (t.count > 1 OR c.public_id = t.subject_id)))`

const selectNotification = `
  SELECT t.id, t.uuid, o.uuid AS "organizationUuid", t.kind, t.subject_kind AS "subjectKind", t.subject_id AS "subjectId",
    t.question_kind AS "questionKind", t.facts, t.count, t.at, t.last_at AS "lastAt", ${settled} AS "isSettled"
  FROM notifications t CROSS JOIN organizations o ON o.id = t.organization_id`

/** For an account, which is bound twice, and a time until which all are read. */
const read = `(t.at <= max(?, coalesce((SELECT read_until FROM notification_people WHERE account_uuid = ?), 0))
  OR EXISTS (SELECT 1 FROM notification_reads r WHERE r.notification_id = t.id AND r.account_uuid = ? AND r.at >= t.at))`

const isRead = ({ account, since }: NotificationReader): Condition => ({
  sql: read,
  values: [since, account, account],
})

/** Cases that missed a target by a time of which nobody was told. */
const overdue = 'listed = 1 AND due_rank < 9007199254740991 AND overdue_told < due_rank AND due_rank <= ?'

/** Rows that a tick of the clock tells at a time. */
const toldAtOnce = 100

export class SqlNotificationStore extends SqlStore implements NotificationStore {
  list(
    reader: NotificationReader,
    page: ListRequest,
    { isUnread = false }: { readonly isUnread?: boolean | undefined } = {},
  ): Promise<ListPage<Notification>> {
    return this.read(() =>
      listPage<NotificationRow, Notification>(this.database, {
        name: 'notifications',
        table: 'notifications t',
        select: selectNotification,
        conditions: [...visibleTo(reader), ...(isUnread ? unread(reader) : [])],
        page,
        order: { descending: page.oldestFirst !== true, by: { column: 't.at', valueOf: ({ at }) => at } },
        readItem: (row) => this.#toNotification(row, isUnread, reader),
      }),
    )
  }

  *#toNotification(row: NotificationRow, isUnread: boolean, reader: NotificationReader): Work<Notification> {
    return toNotification(row, !isUnread && (yield* this.#hasRead(reader, row.id)))
  }

  countUnread(reader: NotificationReader): Promise<number> {
    const conditions = [...visibleTo(reader), ...unread(reader)]
    return this.read(function* () {
      return (yield* this.database.one<{ count: number }>(
        `SELECT count(*) AS count FROM (SELECT 1 FROM notifications t ${whereAll(conditions)} LIMIT ?) AS counted`,
        ...conditions.flatMap(({ values }) => values),
        notificationBounds.counted,
      )).count
    })
  }

  markRead(reader: NotificationReader, given: ReadNotifications): Promise<void> {
    return this.write(function* () {
      if ('until' in given) yield* this.#readUntil(reader.account, Math.min(given.until, this.clock.now()))
      else
        yield* this.#markRead(reader, [
          { sql: 't.uuid IN (SELECT value FROM json_each(?))', values: [toJson(given.uuids)] },
        ])
    })
  }

  choices(account: string): Promise<readonly NotificationChoice[]> {
    return this.read(function* () {
      const found = yield* this.database.get<{ choices: string }>(
        'SELECT choices FROM notification_people WHERE account_uuid = ?',
        account,
      )
      return found === undefined ? [] : fromJson<readonly NotificationChoice[]>(found.choices)
    })
  }

  choose(
    account: string,
    choices: readonly NotificationChoice[],
    { before, after }: { readonly before: NotificationReader; readonly after: NotificationReader },
  ): Promise<void> {
    return this.write(function* () {
      yield* this.database.run(
        `INSERT INTO notification_people (account_uuid, choices) VALUES (?, ?)
         ON CONFLICT (account_uuid) DO UPDATE SET choices = excluded.choices`,
        account,
        toJson(choices),
      )
      const [seen] = visibleTo(before)
      yield* this.#markRead(after, seen === undefined ? [] : [{ ...seen, sql: `NOT ${seen.sql}` }])
    })
  }

  async tellDue(): Promise<boolean> {
    const now = this.clock.now()
    if (!(await this.read(() => this.#isDue(now)))) return false
    return await this.write(function* () {
      const escalated = yield* this.#tellWaiting(now)
      const overdue = yield* this.#tellOverdue(now)
      return escalated === toldAtOnce || overdue === toldAtOnce
    })
  }

  /** A look without a write, as mostly nothing is due. */
  *#isDue(now: number): Work<boolean> {
    const escalated = 'SELECT 1 FROM notifications WHERE told = 0 AND at <= ? LIMIT 1'
    if ((yield* this.database.get(escalated, now)) !== undefined) return true
    return (yield* this.database.get(`SELECT 1 FROM cases WHERE ${overdue} LIMIT 1`, now)) !== undefined
  }

  *#hasRead(reader: NotificationReader, id: number): Work<boolean> {
    const { sql, values } = isRead(reader)
    return (
      (yield* this.database.get(`SELECT 1 FROM notifications t WHERE ${sql} AND t.id = ?`, ...values, id)) !==
      undefined
    )
  }

  *#readUntil(account: string, until: number): Work<void> {
    yield* this.database.run(
      `INSERT INTO notification_people (account_uuid, read_until) VALUES (?, ?)
       ON CONFLICT (account_uuid) DO UPDATE SET read_until = max(notification_people.read_until, excluded.read_until)`,
      account,
      until,
    )
  }

  *#markRead(reader: NotificationReader, which: readonly Condition[]): Work<void> {
    const conditions = [...which, ...visibleTo(reader)]
    yield* this.database.run(
      `INSERT INTO notification_reads (notification_id, account_uuid, at)
         SELECT t.id, ?, t.at FROM notifications t ${whereAll(conditions)}
         ON CONFLICT (notification_id, account_uuid) DO UPDATE SET at = excluded.at`,
      reader.account,
      ...conditions.flatMap(({ values }) => values),
    )
  }

  /** Those that were stored for later: told now, or forgotten if nobody has to act any more. */
  *#tellWaiting(now: number): Work<number> {
    const due = yield* this.database.all<{ id: number; isSettled: 0 | 1 }>(
      `SELECT t.id, ${settled} AS "isSettled" FROM notifications t WHERE t.told = 0 AND t.at <= ? ORDER BY t.at LIMIT ?`,
      now,
      toldAtOnce,
    )
    for (const { id, isSettled } of due) {
      if (isSettled === 1) yield* this.database.run('DELETE FROM notifications WHERE id = ?', id)
      else yield* this.database.run('UPDATE notifications SET told = 1 WHERE id = ?', id)
    }
    return due.length
  }

  *#tellOverdue(now: number): Work<number> {
    const due = yield* this.database.all<{ id: number; organization: number; dueAt: number }>(
      `SELECT id, organization_id AS organization, due_rank AS "dueAt" FROM cases
       WHERE ${overdue} ORDER BY due_rank LIMIT ?`,
      now,
      toldAtOnce,
    )
    for (const { id, organization, dueAt } of due) {
      const of = yield* caseByRow(this.database, id)
      const assignee =
        of.assignee === null ? undefined : yield* assignedPerson(this.database, of.assignee, of.assigneeId)
      const told = overdueNotification(of, dueAt, assignee, now)
      yield* noteNotifications(this.database, organization, [told], now)
      yield* noteCaseEvent(this.database, id, { event: 'overdue', of }, theServer, now)
      yield* this.database.run('UPDATE cases SET overdue_told = ? WHERE id = ?', dueAt, id)
    }
    return due.length
  }
}

const unread = (reader: NotificationReader): readonly Condition[] => {
  const { sql, values } = isRead(reader)
  return [
    { sql: `NOT ${sql}`, values },
    { sql: `NOT ${settled}`, values: [] },
  ]
}

/** One condition. */
function visibleTo({ account, areas }: NotificationReader): readonly [Condition] {
  const parts = areas.map((area) => inArea(area, account))
  const any = parts.length === 0 ? 'FALSE' : parts.map(({ sql }) => sql).join(' OR ')
  return [
    {
      sql: `(t.told = 1 AND coalesce(t.caused_by, '') <> ? AND (${any}))`,
      values: [account, ...parts.flatMap(({ values }) => values)],
    },
  ]
}

const listed = 'IN (SELECT value FROM json_each(?))'

function inArea(
  { organizations, toAll, toMe, published, identities }: NotificationArea,
  account: string,
): Condition {
  const uuids = 'only' in organizations ? organizations.only : organizations.except
  const place = `t.organization_id ${'only' in organizations ? '' : 'NOT'} IN (SELECT id FROM organizations WHERE uuid ${listed})`
  const forAll = `t.account_uuid IS NULL AND t.kind ${listed}
    AND (t.among IS NULL OR EXISTS (SELECT 1 FROM json_each(t.among) a WHERE a.value ${listed}))`
  const values: readonly SqlValue[] = [
    toJson(uuids),
    toJson(toAll),
    toJson(identities),
    account,
    toJson(toMe),
  ]
  const mine = `t.account_uuid IS NOT DISTINCT FROM ? AND t.kind ${listed}`
  return {
    sql: `(${place} AND (${forAll} OR ${mine} ${published ? 'OR t.publisher_uuid IS NOT DISTINCT FROM ?' : ''}))`,
    values: published ? [...values, account] : values,
  }
}

const toNotification = (row: NotificationRow, hasRead: boolean): Notification => ({
  ...pick(row, ['uuid', 'organizationUuid', 'kind', 'questionKind', 'count', 'at', 'lastAt']),
  subject: { kind: row.subjectKind, id: row.subjectId },
  facts: fromJson<Notification['facts']>(row.facts),
  isRead: hasRead,
  isSettled: row.isSettled === 1,
})
