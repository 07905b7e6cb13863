import type { Context } from './context.ts'
import { maxDurationMs, writeDuration } from '../language/durations.ts'
import type { Node } from '../yaml/document.ts'
import type { Template } from '../language/playbook.ts'
import type { Scope } from './scope.ts'

/** How long what stands in a scope may take, and what says so. */
export interface TimeLimit {
  readonly ms: number
  /** The playbook, the `on_error` and `finally` of a playbook, or steps around. */
  readonly of: 'run' | 'end' | 'steps'
}

/** `on_error` and `finally` of a playbook may take so long, however little of the run's own time was left. */
export const longestEndMs = 3_600_000

/**
 * A time that is written down has to pass before the time around it is up: it would never come to its end. A warning, since playbooks
 * that were taken before there was this check go on.
 */
export function checkTimeFits(
  { problems }: Context,
  node: Node,
  duration: Template,
  { place: { timeLimit } }: Scope,
  what: 'wait' | 'answer',
): void {
  if (timeLimit === undefined || duration.kind !== 'literal' || typeof duration.value !== 'number') return
  if (duration.value < timeLimit.ms) return
  const own = writeDuration(duration.value)
  const limit = writeDuration(timeLimit.ms)
  const subject = what === 'wait' ? `a wait of ${own} never ends` : `nobody is given ${own} to answer`
  problems.add(
    'W407',
    `${subject}: ${limits[timeLimit.of]} ${limit}`,
    node,
    hintFor(duration.value, timeLimit),
  )
}

const limits: Readonly<Record<TimeLimit['of'], string>> = {
  run: 'the run is ended after',
  end: '`on_error` and `finally` of a playbook are ended after',
  steps: 'the steps around it are ended after',
}

function hintFor(durationMs: number, { ms, of }: TimeLimit): string {
  if (of === 'end') return 'wait in the steps of the playbook, or for less'
  const enough = durationMs + ms > maxDurationMs ? maxDurationMs : durationMs + ms
  const longer = `timeout: ${writeDuration(enough)}`
  return of === 'steps'
    ? `give them longer, as in ${longer}`
    : `give the playbook longer, as in ${longer}; where it has no \`timeout\`, that is 1d`
}
