import type { ReadContext } from './context.ts'
import { maxDurationMs, writeDuration } from '../language/durations.ts'
import type { Node } from '../yaml/document.ts'
import type { Template } from '../language/playbook.ts'
import type { NameScope, TimeLimit } from './scope.ts'

/** Time limit for `on_error` and `finally` of a playbook, independent of the remaining run time. */
export const longestEndMs = 3_600_000

/**
 * Warns of a literal wait or timeout that is longer than the time limit around it, so that it never ends.
 */
export function checkTimeFits(
  { problems }: ReadContext,
  node: Node,
  duration: Template,
  { place: { timeLimit } }: NameScope,
  what: 'wait' | 'answer' | 'event',
): void {
  if (timeLimit === undefined || duration.kind !== 'literal' || typeof duration.value !== 'number') return
  if (duration.value < timeLimit.ms) return
  const own = writeDuration(duration.value)
  const subject = what === 'wait' ? `a wait of ${own} never ends` : `a timeout of ${own} is never reached`
  problems.add('W407', `${subject}: ${describeLimit(timeLimit)}`, node, hintFor(duration.value, timeLimit))
}

const limits: Readonly<Record<TimeLimit['of'], string>> = {
  run: 'the run ends after',
  end: '`on_error` and `finally` of a playbook end after',
  steps: 'the enclosing steps end after',
}

/** `the run ends after 1d`. */
export const describeLimit = ({ ms, of }: TimeLimit): string => `${limits[of]} ${writeDuration(ms)}`

function hintFor(durationMs: number, { ms, of }: TimeLimit): string {
  if (of === 'end') return 'wait in the `steps` of the playbook, or for a shorter time'
  const enough = durationMs + ms > maxDurationMs ? maxDurationMs : durationMs + ms
  const longer = `timeout: ${writeDuration(enough)}`
  return of === 'steps'
    ? `increase their limit: ${longer}`
    : `increase the limit of the playbook, which is 1d by default: ${longer}`
}
