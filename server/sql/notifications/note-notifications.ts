import { eachInTurn, type Work } from '../database/work.ts'
import { notificationBounds, type NewNotification } from '../../../core/notification/notification.ts'
import { personNamed } from '../../../core/notification/notifications-of.ts'
import { deleteExpired, expiringTables, insertNewRow } from '../context/rows.ts'
import { makeUuid } from '../context/uuid.ts'
import { toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'

/** Inside of the write of what they tell: stores notifications of an organization (its row). */
export function* noteNotifications(
  database: Database,
  organization: number,
  notifications: readonly NewNotification[],
  now: number,
): Work<void> {
  for (const each of notifications) {
    if (yield* joinEarlier(database, organization, each, now)) continue
    const row = yield* insertNewRow(database, 'notifications', {
      uuid: makeUuid(now),
      organizationId: organization,
      event: each.event,
      kind: each.kind,
      accountUuid: each.account,
      among: each.among === null ? null : toJson(each.among),
      publisherUuid: each.publisher,
      causedBy: each.causedBy,
      subjectKind: each.subject.kind,
      subjectId: each.subject.id,
      questionKind: each.questionKind,
      facts: toJson(each.facts),
      at: each.at,
      lastAt: each.at,
      told: each.at <= now ? 1 : 0,
    })
    // The write of another run has stored it meanwhile.
    if (row === undefined) yield* joinEarlier(database, organization, each, now)
  }
}

/** False: it has not happened before. */
function* joinEarlier(
  database: Database,
  organization: number,
  { event, facts, subject, at, publisher, isNewEachTime }: NewNotification,
  now: number,
): Work<boolean> {
  const changed =
    'count = count + 1, last_at = ?, facts = ?, subject_id = ?, publisher_uuid = ? WHERE organization_id = ? AND event = ?'
  const values = [at, toJson(facts), subject.id, publisher, organization, event]
  const joined = isNewEachTime
    ? yield* database.run(
        `UPDATE notifications SET at = ?, told = ?, ${changed}`,
        at,
        at <= now ? 1 : 0,
        ...values,
      )
    : yield* database.run(`UPDATE notifications SET ${changed}`, ...values)
  return joined > 0
}

interface PersonRow {
  readonly uuid: string
  readonly name: string
  readonly email: string
}

/** The active account that a name or an e-mail address means. */
export function* personByName(database: Database, text: string): Work<PersonRow | undefined> {
  return personNamed(
    yield* database.all<PersonRow>(
      'SELECT uuid, name, email FROM accounts WHERE disabled_at IS NULL AND joined_at IS NOT NULL ORDER BY id',
    ),
    text,
  )
}

/** The active account that has a case or a task; `id` is null if it was assigned to a text. */
export function* assignedPerson(
  database: Database,
  name: string,
  id: string | null,
): Work<PersonRow | undefined> {
  return id === null
    ? yield* personByName(database, name)
    : yield* database.get<PersonRow>(
        'SELECT uuid, name, email FROM accounts WHERE uuid = ? AND disabled_at IS NULL AND joined_at IS NOT NULL',
        id,
      )
}

/** Inside of a write: deletes old notifications, and the oldest of an organization with too many. Gives the larger number. */
export function* clearNotifications(database: Database, now: number, limit: number): Work<number> {
  const { keepMs, perOrganization } = notificationBounds
  const old = yield* deleteExpired(database, expiringTables.notifications, now - keepMs, limit)
  const surplus = yield* eachInTurn(
    yield* database.all<{ id: number }>('SELECT id FROM organizations'),
    ({ id }) =>
      database.run(
        `DELETE FROM notifications WHERE id IN
           (SELECT id FROM notifications WHERE organization_id = ? ORDER BY at DESC LIMIT ? OFFSET ?)`,
        id,
        limit,
        perOrganization,
      ),
  )
  return Math.max(old, ...surplus)
}
