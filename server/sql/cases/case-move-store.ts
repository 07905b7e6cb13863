import { eachInTurn, type Work } from '../database/work.ts'
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
import { SqlStore } from '../context/store-context.ts'
import { assessmentsOf, decidedIn } from './case-assessments.ts'
import { insertEntry } from './case-entries.ts'
import { caseByRow, insertCase, requireCaseRow, type CaseRow } from './case-rows.ts'
import { copyActions, countLeft, moveAlerts, moveCase, requireRoomToMove } from './moved-rows.ts'

export class SqlCaseMoveStore extends SqlStore implements CaseMoveStore {
  merge(
    organizationUuid: string,
    { id, revision }: SeenCase,
    sources: readonly SeenCase[],
    by: Actor,
  ): Promise<Case> {
    return this.write(function* () {
      const found: { readonly row: CaseRow; readonly seen: SeenCase['revision'] }[] = []
      for (const { id, revision } of sources)
        found.push({ row: yield* requireCaseRow(this.database, organizationUuid, id), seen: revision })
      const target = yield* requireCaseRow(this.database, organizationUuid, id)
      const named = yield* caseByRow(this.database, target.id)
      const open: typeof found = []
      for (const each of new Map(found.map((each) => [each.row.id, each])).values())
        if (requireMergeable(named, yield* caseByRow(this.database, each.row.id))) open.push(each)
      if (open.length > 0) requireRevision(target.revision, revision)
      for (const { row, seen } of open) {
        requireRevision(row.revision, seen)
        yield* this.#mergeOne(yield* requireCaseRow(this.database, organizationUuid, id), row, by)
      }
      return yield* caseByRow(this.database, target.id)
    })
  }

  *#mergeOne(target: CaseRow, source: CaseRow, by: Actor): Work<void> {
    const { database } = this
    const now = this.clock.now()
    const [to, from] = [yield* caseByRow(database, target.id), yield* caseByRow(database, source.id)]
    yield* requireRoomToMove(database, source.id, from.id)
    const moved = yield* moveCase(database, source.id, target.id, mergedReason(from, by))
    yield* moveWaits(database, from, to)
    const decided = yield* decidedIn(database, target.id)
    const fields = mergedFields(to, from, decided, yield* assessmentsOf(database, target.id))
    yield* this.#edit(target, fields, by, now)
    const before = { ...from, decided: yield* decidedIn(database, source.id) }
    const after = decidedAfterMerge(decided, yield* caseByRow(database, target.id), before)
    if (after.length > 0) yield* updateRow(database, 'cases', target.id, { decided: toJson(after) })
    yield* updateRow(database, 'cases', source.id, { ...mergedCase(source, by, now), mergedInto: target.id })
    const entries = mergeEntries(to, from, moved, by, now)
    yield* insertEntry(database, target.id, entries.target)
    yield* insertEntry(database, source.id, entries.source)
    // The merged case is closed only because it is empty: nobody decided about it.
    yield* this.#noteEvents(target.id, to, by, now)
    yield* this.#audit('case.merged', from, by, { into: to.id, ...moved })
  }

  split(
    organizationUuid: string,
    { id, revision }: SeenCase,
    { alerts, title }: SplitRequest,
    by: Actor,
  ): Promise<Case> {
    return this.write(function* () {
      const { database } = this
      const now = this.clock.now()
      const row = yield* requireCaseRow(database, organizationUuid, id)
      const from = yield* caseByRow(database, row.id)
      requireNotMerged(from)
      requireRevision(row.revision, revision)
      const rows = yield* eachInTurn(alerts, (given) =>
        this.#alertIn(organizationUuid, given, row.id, from.id),
      )
      const organization = yield* requireOrganization(database, organizationUuid)
      const opened = yield* insertCase(database, organization, { title: splitTitle(from, title) }, by, now)
      const to = yield* caseByRow(database, opened.row)
      const moved = yield* moveAlerts(database, rows, {
        from: row.id,
        caseId: from.id,
        to: opened.row,
        reason: splitReason(from, by),
      })
      requireSomeLeft(yield* countLeft(database, row.id), from.id)
      yield* copyActions(database, row.id, opened.row, moved.runs)
      yield* moveWaits(database, from, to, moved.runs)
      const entries = splitEntries(from, to, moved.alertIds, by, now)
      yield* insertEntry(database, row.id, entries.from)
      yield* insertEntry(database, opened.row, entries.to)
      const decided = yield* decidedIn(database, row.id)
      yield* this.#edit(row, fieldsAfterSplit(from, decided, yield* assessmentsOf(database, row.id)), by, now)
      const said = combinedAssessment(yield* assessmentsOf(database, opened.row))
      yield* updateRow(database, 'cases', opened.row, { splitFrom: row.id, ...said })
      yield* this.#noteEvents(row.id, from, by, now)
      yield* this.#noteEvents(opened.row, to, by, now)
      yield* this.#audit('case.split', from, by, { into: to.id, alerts: moved.alertIds.slice(0, 100) })
      return yield* caseByRow(database, opened.row)
    })
  }

  *#alertIn(organizationUuid: string, given: string, caseRow: number, caseId: string): Work<number> {
    const found = yield* findAlertRow(this.database, given)
    const alert =
      found?.organizationUuid === organizationUuid
        ? yield* this.database.one<{ id: number; caseRow: number | null }>(
            'SELECT id, case_id AS "caseRow" FROM alerts WHERE id = ?',
            found.id,
          )
        : undefined
    return requireInCase(alert, caseRow, { given, caseId }).id
  }

  /** A case that alerts joined or left has changed, even if its fields have not. */
  *#edit(row: CaseRow, fields: CaseEdit, by: Actor, now: number): Work<void> {
    const { caseTargets: targets } = yield* requireOrganization(this.database, row.organizationUuid)
    yield* updateRow(this.database, 'cases', row.id, editCase(row, fields, { by, now, targets }))
  }

  *#noteEvents(row: number, before: Case, by: Actor, now: number): Work<void> {
    yield* noteCaseEvents(this.database, row, { before, after: () => caseByRow(this.database, row) }, by, now)
  }

  *#audit(
    action: AuditAction,
    { id, title, organizationUuid }: Case,
    by: Actor,
    details: object,
  ): Work<void> {
    const subject = { kind: 'case', id, name: title } as const
    yield* recordAudit(this.context, { action, by, organizationUuid, subject, details: { ...details } })
  }
}
