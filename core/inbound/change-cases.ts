import { createHash } from 'node:crypto'
import { theServer, type Actor } from '../domain/audit.ts'
import type { Connection } from '../domain/connection.ts'
import { caseStatuses, SkillError, type InboundResult } from '../plugin/index.ts'
import type { CaseStore } from '../ports/case-store.ts'
import { keyOfReference } from '../skill/call/case-access.ts'
import { ignoreChanged } from './store-alerts.ts'

const maxChanges = 100
const maxComment = 4_000

/** The webhook request that changes cases. */
export interface ChangingRequest {
  readonly connection: Connection
  readonly route: string
  readonly requestId: string
}

/**
 * Applies the case changes of a webhook request, each once even if the request is repeated. Skips cases that
 * do not exist.
 *
 * @throws SkillError `changes_invalid` before anything is changed
 */
export async function changeCases(
  cases: Pick<CaseStore, 'findByKey' | 'update' | 'comment'>,
  { connection, route, requestId }: ChangingRequest,
  { cases: changes = [], dedupeKey }: InboundResult,
): Promise<void> {
  if (changes.length === 0) return
  if (dedupeKey === undefined) throw invalid('changes of cases need `dedupeKey`')
  if (changes.length > maxChanges)
    throw invalid(`${changes.length} changes in one request; at most ${maxChanges} are allowed`)
  for (const { status } of changes)
    if (status !== undefined && !caseStatuses.includes(status))
      throw invalid('`status` is not a status of a case')
  const by: Actor = { ...theServer, name: `webhook of ${connection.name}`, requestId }
  const key = createHash('sha256').update(`${connection.uuid} ${route} ${dedupeKey}`).digest('base64url')
  const { organizationUuid } = connection
  for (const [index, { reference, comment, status }] of changes.entries()) {
    const found = await cases.findByKey(organizationUuid, keyOfReference(reference))
    if (found === undefined) continue
    const own = `webhook/${key}/${index}`
    if (comment !== undefined && comment !== '') {
      const text = comment.slice(0, maxComment).toWellFormed()
      await cases.comment(organizationUuid, found.id, text, by, `${own}/comment`).catch(ignoreChanged)
    }
    if (status !== undefined && status !== found.status)
      await cases.update(organizationUuid, found.id, { status }, by, `${own}/status`).catch(ignoreChanged)
  }
}

const invalid = (message: string): SkillError =>
  new SkillError('changes_invalid', message, {
    hint: 'nothing was changed; report it to the plugin’s author',
  })
