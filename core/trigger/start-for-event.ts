import type { Organization } from '../domain/organization.ts'
import type { NewRun, RunTrigger } from '../domain/run.ts'
import { organizationScope } from '../engine/scope/alert-scope.ts'
import { newRun } from '../engine/turns/queue-run.ts'
import { ExpressionError, type Program } from '../expression/index.ts'
import { TocsinError } from '../plugin/index.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { whyNotTriggered } from '../transitions/trigger/start-rules.ts'

/** A run to queue; or why the playbook is not started, for people; undefined: the event does not concern it. */
export type EventStart =
  { readonly run: NewRun } | { readonly refused: string; readonly error?: unknown } | undefined

export interface EventStartRequest {
  readonly playbook: Playbook
  readonly organization: Organization
  readonly trigger: RunTrigger
  readonly where: Program | undefined
  readonly caseId?: string | undefined
}

/** Decides whether an event starts a playbook. Never throws: another playbook may react to the same event. */
export function startForEvent(request: EventStartRequest): EventStart {
  const { playbook, organization, trigger, where, caseId } = request
  try {
    const names = { trigger, organization: organizationScope(organization) }
    if (where !== undefined && where.evaluate(names) !== true) return undefined
  } catch (error) {
    return { refused: `\`where\` failed: ${inWords(error)}`, error }
  }
  const circle = whyNotTriggered(playbook.name, trigger.chain)
  if (circle !== undefined) return { refused: circle }
  try {
    return { run: newRun({ playbook, organization, trigger, caseId }) }
  } catch (error) {
    return { refused: inWords(error), error }
  }
}

/** Without values: messages of other errors may contain parts of a case or an alert. */
const inWords = (error: unknown): string => {
  if (error instanceof ExpressionError) return error.code
  return error instanceof TocsinError ? error.message : 'see the log'
}
