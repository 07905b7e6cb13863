import type { Containment } from '../../../core/destructive/containment.ts'
import { isInScope } from '../../../core/common/scope.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type {
  ContainmentFilter,
  ContainmentStore,
  UndoInput,
} from '../../../core/ports/runs/containment-store.ts'
import { ofCase } from '../cases/case-rows.ts'
import { opened, sealedColumns, sealedPrefix } from '../context/sealed-values.ts'
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

  undoInput(id: string): Promise<UndoInput | undefined> {
    return this.database.read(() => {
      const row = this.database.get<{ input: string | null; isSensitive: 0 | 1 }>(
        `SELECT ${opened(undoInput.name, undoInput.place)} AS input, substr(undo_input, 1, ${sealedPrefix.length}) = ? AS isSensitive
         FROM containments WHERE uuid = ?`,
        sealedPrefix,
        id,
      )
      const input = fromJson<UndoInput['input']>(row?.input ?? null)
      return row === undefined || input === null ? undefined : { input, isSensitive: row.isSensitive === 1 }
    })
  }
}

const { undoInput } = sealedColumns
