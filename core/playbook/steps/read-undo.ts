import { whyNotContaining } from '../../destructive/containing-skill.ts'
import { undoNames } from '../../destructive/undo-condition.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import { undoAfterMs } from '../language/constants.ts'
import { writeDuration } from '../language/durations.ts'
import { grammar } from '../language/grammar.ts'
import type { UndoSettings } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import type { ReadContext } from '../scope/context.ts'
import { NameScope } from '../scope/scope.ts'
import { compileCondition } from '../template/expressions.ts'
import { hintInPlaybook } from '../template/expression-hints.ts'
import { readDuration, readFields } from '../template/fields.ts'
import type { Entry } from '../yaml/document.ts'

/**
 * Reads `undo` of a step.
 *
 * @param found the skill of the step; undefined: unknown, which has been reported
 */
export function readUndo(
  context: ReadContext,
  entry: Entry | undefined,
  found: CatalogueSkill | undefined,
): UndoSettings | undefined {
  if (entry === undefined) return undefined
  const { problems } = context
  const why = found && whyNotContaining(found, context.catalogue)
  if (why !== undefined) problems.add('E324', why.message, entry.key, why.hint)
  const fields = readFields(problems, entry.value, grammar.undo)
  const [after, unless] = [fields?.get('after'), fields?.get('unless')]
  const afterMs = after && readAfter(context, after)
  const condition =
    unless && compileCondition(atExpiry(context), new NameScope(undoNames, { isBefore: true }), unless)
  if (why !== undefined || afterMs === undefined || (unless && condition?.program === undefined))
    return undefined
  return { afterMs, unless: condition?.program }
}

function readAfter({ problems }: ReadContext, entry: Entry): number | undefined {
  const ms = readDuration(problems, entry)
  const [least] = undoAfterMs
  if (ms === undefined || ms >= least) return ms
  const message = `${quote(writeDuration(ms))} is too short for \`after\``
  problems.add('E107', message, entry.value, `write ${writeDuration(least)} or more`)
  return undefined
}

/** Names of a run do not exist any more when the containment expires. */
const atExpiry = (context: ReadContext): ReadContext => ({
  ...context,
  hintFor: (expression, problem, scope) =>
    problem.code === 'unknown_name' && isOfRun(expression.slice(problem.start, problem.end))
      ? `\`unless\` is evaluated when the containment expires, and sees ${Object.keys(undoNames).join(', ')}`
      : hintInPlaybook(expression, problem, scope),
})

const ofRun: readonly string[] = [
  'alert',
  'inputs',
  'steps',
  'state',
  'run',
  'trigger',
  'organization',
  'item',
  'index',
  'error',
  'output',
]

const isOfRun = (name: string): boolean => ofRun.includes(name)
