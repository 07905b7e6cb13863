import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Case, CaseEdit } from '../../../core/domain/case.ts'
import type { CaseMoveStore, SeenCase, SplitRequest } from '../../../core/ports/case-move-store.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { editCase } from '../../../core/transitions/case.ts'
import {
  decidedAfterMerge,
  fieldsAfterSplit,
  mergedCase,
  mergedFields,
  mergedReason,
  mergeEntries,
  requireInCase,
  requireMergeable,
  requireNotMerged,
  requireSomeLeft,
  splitEntries,
  splitReason,
  splitTitle,
} from '../../../core/transitions/correlate/merge.ts'
import { combinedAssessment } from '../../../core/transitions/correlate/assessment.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { findAlertRow } from '../alerts/alert-rows.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { updateRow } from '../context/rows.ts'
import { toJson } from '../database/columns.ts'
import { moveWaits } from '../events/wake-waits.ts'
import { noteCaseEvents } from '../triggers/case-events.ts'
import { SqliteStore } from '../context/store-context.ts'
import { assessmentsOf, decidedIn } from './case-assessments.ts'
import { insertEntry } from './case-entries.ts'
import { caseByRow, insertCase, requireCaseRow, type CaseRow } from './case-rows.ts'
import { copyActions, countLeft, moveAlerts, moveCase, requireRoomToMove } from './moved-rows.ts'

export class SqliteCaseMoveStore extends SqliteStore implements CaseMoveStore {
  merge(
    organizationUuid: string,
    { id, revision }: SeenCase,
    sources: readonly SeenCase[],
    by: Actor,
  ): Promise<Case> {
    return this.commits.write(() => {
      const found = sources.map((source) => ({
        row: requireCaseRow(this.database, organizationUuid, source.id),
        seen: source.revision,
      }))
      const target = requireCaseRow(this.database, organizationUuid, id)
      const named = caseByRow(this.database, target.id)
      const open = [...new Map(found.map((each) => [each.row.id, each])).values()].filter(({ row }) =>
        requireMergeable(named, caseByRow(this.database, row.id)),
      )
      if (open.length > 0) requireRevision(target.revision, revision)
      for (const { row, seen } of open) {
        requireRevision(row.revision, seen)
        this.#mergeOne(requireCaseRow(this.database, organizationUuid, id), row, by)
      }
      return caseByRow(this.database, target.id)
    })
  }

  #mergeOne(target: CaseRow, source: CaseRow, by: Actor): void {
    const { database } = this
    const now = this.clock.now()
    const [to, from] = [caseByRow(database, target.id), caseByRow(database, source.id)]
    requireRoomToMove(database, source.id, from.id)
    const moved = moveCase(database, source.id, target.id, mergedReason(from, by))
    moveWaits(database, from, to)
    const decided = decidedIn(database, target.id)
    const fields = mergedFields(to, from, decided, assessmentsOf(database, target.id))
    this.#edit(target, fields, by, now)
    const before = { ...from, decided: decidedIn(database, source.id) }
    const after = decidedAfterMerge(decided, caseByRow(database, target.id), before)
    if (after.length > 0) updateRow(database, 'cases', target.id, { decided: toJson(after) })
    updateRow(database, 'cases', source.id, { ...mergedCase(source, by, now), mergedInto: target.id })
    const entries = mergeEntries(to, from, moved, by, now)
    insertEntry(database, target.id, entries.target)
    insertEntry(database, source.id, entries.source)
    // The merged case is closed only because it is empty: nobody decided about it.
    this.#noteEvents(target.id, to, by, now)
    this.#audit('case.merged', from, by, { into: to.id, ...moved })
  }

  split(
    organizationUuid: string,
    { id, revision }: SeenCase,
    { alerts, title }: SplitRequest,
    by: Actor,
  ): Promise<Case> {
    return this.commits.write(() => {
      const { database } = this
      const now = this.clock.now()
      const row = requireCaseRow(database, organizationUuid, id)
      const from = caseByRow(database, row.id)
      requireNotMerged(from)
      requireRevision(row.revision, revision)
      const rows = alerts.map((given) => this.#alertIn(organizationUuid, given, row.id, from.id))
      const organization = requireOrganization(database, organizationUuid)
      const opened = insertCase(database, organization, { title: splitTitle(from, title) }, by, now)
      const to = caseByRow(database, opened.row)
      const moved = moveAlerts(database, rows, {
        from: row.id,
        caseId: from.id,
        to: opened.row,
        reason: splitReason(from, by),
      })
      requireSomeLeft(countLeft(database, row.id), from.id)
      copyActions(database, row.id, opened.row, moved.runs)
      moveWaits(database, from, to, moved.runs)
      const entries = splitEntries(from, to, moved.alertIds, by, now)
      insertEntry(database, row.id, entries.from)
      insertEntry(database, opened.row, entries.to)
      const decided = decidedIn(database, row.id)
      this.#edit(row, fieldsAfterSplit(from, decided, assessmentsOf(database, row.id)), by, now)
      const said = combinedAssessment(assessmentsOf(database, opened.row))
      updateRow(database, 'cases', opened.row, { splitFrom: row.id, ...said })
      this.#noteEvents(row.id, from, by, now)
      this.#noteEvents(opened.row, to, by, now)
      this.#audit('case.split', from, by, { into: to.id, alerts: moved.alertIds.slice(0, 100) })
      return caseByRow(database, opened.row)
    })
  }

  #alertIn(organizationUuid: string, given: string, caseRow: number, caseId: string): number {
    const found = findAlertRow(this.database, given)
    const alert =
      found?.organizationUuid === organizationUuid
        ? this.database.one<{ id: number; caseRow: number | null }>(
            'SELECT id, case_id AS caseRow FROM alerts WHERE id = ?',
            found.id,
          )
        : undefined
    return requireInCase(alert, caseRow, { given, caseId }).id
  }

  /** A case that alerts joined or left has changed, even if its fields have not. */
  #edit(row: CaseRow, fields: CaseEdit, by: Actor, now: number): void {
    const { caseTargets: targets } = requireOrganization(this.database, row.organizationUuid)
    updateRow(this.database, 'cases', row.id, editCase(row, fields, { by, now, targets }))
  }

  #noteEvents(row: number, before: Case, by: Actor, now: number): void {
    noteCaseEvents(this.database, row, { before, after: () => caseByRow(this.database, row) }, by, now)
  }

  #audit(action: AuditAction, { id, title, organizationUuid }: Case, by: Actor, details: object): void {
    const subject = { kind: 'case', id, name: title } as const
    recordAudit(this.context, { action, by, organizationUuid, subject, details: { ...details } })
  }
}
