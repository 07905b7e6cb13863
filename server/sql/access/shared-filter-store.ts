import { authorOf, type Actor } from '../../../core/domain/audit.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import {
  type NewSharedFilter,
  type SharedFilter,
  type SharedFilterStore,
  type SharedView,
} from '../../../core/ports/access/shared-filter-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { requireFilterRoom } from '../../../core/transitions/access.ts'
import { whereAll } from '../database/paging.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import { requireOrganization } from './organization-store.ts'

interface FilterRow extends NewSharedFilter {
  readonly uuid: string
  readonly organization: string
  readonly createdAt: number
  readonly authorKind: Actor['kind']
  readonly authorId: string
  readonly author: string
}

const select = `SELECT t.uuid, o.code AS organization, t.view, t.name, t.search, t.created_at AS "createdAt",
  t.author_kind AS "authorKind", t.author_id AS "authorId", t.author FROM shared_filters t
  JOIN organizations o ON o.id = t.organization_id`

const toFilter = ({ authorKind, authorId, author, ...row }: FilterRow): SharedFilter => ({
  ...row,
  createdBy: { kind: authorKind, id: authorId, name: author },
})

export class SqlSharedFilterStore extends SqlStore implements SharedFilterStore {
  list(scope: OrganizationScope, view: SharedView): Promise<readonly SharedFilter[]> {
    const conditions = [...scopeConditions(scope, 't.organization_id'), { sql: 't.view = ?', values: [view] }]
    return this.read(function* () {
      return (yield* this.database.all<FilterRow>(
        `${select} ${whereAll(conditions)} ORDER BY t.name, lower(o.code)`,
        ...conditions.flatMap(({ values }) => values),
      )).map(toFilter)
    })
  }

  save(organizationUuid: string, { view, name, search }: NewSharedFilter, by: Actor): Promise<SharedFilter> {
    return this.write(function* () {
      const { id } = yield* requireOrganization(this.database, organizationUuid)
      const { count } = yield* this.database.one<{ count: number }>(
        'SELECT count(*) AS count FROM shared_filters WHERE organization_id = ? AND view = ? AND name <> ?',
        id,
        view,
        name,
      )
      requireFilterRoom(count)
      const now = this.clock.now()
      yield* this.database.run(
        `INSERT INTO shared_filters (uuid, organization_id, view, name, search, created_at, author_kind, author_id, author)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, view, name) DO UPDATE SET search = excluded.search,
           created_at = excluded.created_at, author_kind = excluded.author_kind, author_id = excluded.author_id, author = excluded.author`,
        makeUuid(now),
        id,
        view,
        name,
        search,
        now,
        ...Object.values(authorOf(by)),
      )
      const where = 'WHERE t.organization_id = ? AND t.view = ? AND t.name = ?'
      return toFilter(yield* this.database.one<FilterRow>(`${select} ${where}`, id, view, name))
    })
  }

  remove(scope: OrganizationScope, uuid: string): Promise<void> {
    const conditions = [...scopeConditions(scope, 't.organization_id'), { sql: 't.uuid = ?', values: [uuid] }]
    return this.write(function* () {
      const removed = yield* this.database.run(
        `DELETE FROM shared_filters AS t ${whereAll(conditions)}`,
        ...conditions.flatMap(({ values }) => values),
      )
      if (removed === 0) throw new NotFoundError('filter_not_found', 'there is no such shared filter')
    })
  }
}
