import type { Case } from '../domain/case.ts'
import {
  compileExpression,
  enumeration,
  nullable,
  object,
  string,
  timestamp,
  typeOfSchema,
  type Type,
} from '../expression/index.ts'
import { TocsinError } from '../plugin/index.ts'
import { caseScope } from '../transitions/trigger/case-events.ts'
import { schemaOfCase } from '../trigger/trigger-schema.ts'
import type { Containment, ExpiryOutcome } from './containment.ts'

/**
 * The names that `unless` of a step sees. It is evaluated when the containment expires: the steps, the inputs and the alert of the run
 * may be deleted by then.
 */
export const undoNames: Readonly<Record<string, Type>> = {
  case: typeOfSchema(schemaOfCase()),
  containment: object({
    skill: string,
    connection: nullable(string),
    outcome: enumeration(['accepted', 'unknown']),
    since: timestamp,
  }),
  now: timestamp,
}

/** A containment at its expiry. */
export interface ExpiredContainment extends Pick<
  Containment,
  'unless' | 'connection' | 'hasUndo' | 'undoneBy' | 'createdAt'
> {
  readonly action: Pick<Containment['action'], 'skill' | 'outcome'>
}

/**
 * Decides about a containment that expires: to undo it, or why not. An error of the condition never means false, and never true.
 *
 * @param found its case; undefined: it has none
 */
export function judgeExpiry(
  one: ExpiredContainment,
  found: Case | undefined,
  now: number,
): 'undo' | ExpiryOutcome {
  const { unless, hasUndo, undoneBy } = one
  try {
    if (unless !== null && holdsAtExpiry(unless, one, found, now))
      return { kind: 'kept', note: `${unless} is true` }
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    return { kind: 'overdue', note: `${unless} cannot be evaluated: ${error.message}` }
  }
  return hasUndo ? 'undo' : { kind: 'overdue', note: `the input of ${undoneBy} is unknown` }
}

function holdsAtExpiry(
  source: string,
  { action: { skill, outcome }, connection, createdAt }: ExpiredContainment,
  found: Case | undefined,
  now: number,
): boolean {
  const { program, problems } = compileExpression(source, undoNames)
  // The version that checked it may have been another one.
  if (program === undefined) throw new TocsinError('undo_condition_invalid', problems[0]?.message ?? source)
  const value = program.evaluate({
    ...(found && { case: caseScope(found) }),
    containment: { skill, connection, outcome, since: timeText(createdAt) },
    now: timeText(now),
  })
  if (typeof value === 'boolean') return value
  throw new TocsinError('condition_not_boolean', `the condition is a ${typeof value}, not a boolean`)
}

const timeText = (ms: number): string => new Date(ms).toISOString()
