import type { Containment } from '../../../core/destructive/containment.ts'
import { isInScope } from '../../../core/common/scope.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type { ContainmentFilter, ContainmentStore } from '../../../core/ports/runs/containment-store.ts'
import { ofCase } from '../cases/case-rows.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqliteStore } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { filterBy, listPage } from '../database/paging.ts'
import { selectContainment, toContainment, type ContainmentRow } from './containment-rows.ts'

export class SqliteContainmentStore extends SqliteStore implements ContainmentStore {
  list(
    scope: OrganizationScope,
    page: ListRequest,
    { states, caseId }: ContainmentFilter,
  ): Promise<ListPage<Containment>> {
    return this.database.read(() =>
      listPage<ContainmentRow, Containment>(this.database, {
        name: 'containments',
        table: 'containments t',
        select: selectContainment,
        conditions: [
          ...scopeConditions(scope, 't.organization_id'),
          ...filterBy('t.state IN (SELECT value FROM json_each(?))', states && toJson(states)),
          ...(caseId === undefined ? [] : [ofCase('t.case_id', caseId)]),
        ],
        page,
        toItem: toContainment,
      }),
    )
  }

  find(scope: OrganizationScope, id: string): Promise<Containment | undefined> {
    return this.database.read(() => {
      const row = this.database.get<ContainmentRow>(`${selectContainment} WHERE t.uuid = ?`, id)
      return row && isInScope(scope, row.organizationUuid) ? toContainment(row) : undefined
    })
  }

  undoInput(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return this.database.read(() => {
      const row = this.database.get<{ input: string | null }>(
        `SELECT ${opened(undoInput.name, undoInput.place)} AS input FROM containments WHERE uuid = ?`,
        id,
      )
      return fromJson<Readonly<Record<string, unknown>>>(row?.input ?? null) ?? undefined
    })
  }
}

const { undoInput } = sealedColumns
