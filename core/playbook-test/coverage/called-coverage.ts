import type { JournalEntry } from '../../domain/run.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { branchesTaken } from './coverage.ts'
import { placedSteps, withoutItems } from '../read/placed-steps.ts'
import type { CalledByName } from '../read/playbook-test.ts'

/** The ways that a run took through a playbook that it called. */
export interface CalledCoverage {
  /** Content hash of the called playbook. */
  readonly hash: string
  /** Keys of its branches. */
  readonly taken: ReadonlySet<string>
}

/** For each step that calls, also inside of called playbooks. */
export function calledCoverage(
  playbook: Playbook,
  entries: readonly JournalEntry[],
  called: CalledByName,
): readonly CalledCoverage[] {
  return placedSteps(playbook).flatMap(({ path, step }) => {
    const callee = step.action === 'call' ? called.get(step.playbook) : undefined
    const inside = callee === undefined ? [] : entriesInside(path, entries)
    if (callee === undefined || inside.length === 0) return []
    const own = { hash: callee.hash, taken: branchesTaken(callee, inside) }
    return [own, ...calledCoverage(callee, inside, called)]
  })
}

/** What stands inside of a call, with the paths that it has in the called playbook. */
function entriesInside(path: string, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const depth = path.split('/').length
  return entries
    .filter((entry) => withoutItems(entry.path).startsWith(`${path}/`))
    .map((entry) => ({ ...entry, path: entry.path.split('/').slice(depth).join('/') }))
}
