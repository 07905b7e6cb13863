import { TocsinError } from '../plugin/index.ts'
import type { SourceProblem } from './source-frame.ts'

/** A playbook that cannot run. `problems` holds all of them, each with its place; the author of the playbook acts. */
export class PlaybookError extends TocsinError<'playbook_invalid'> {
  readonly problems: readonly SourceProblem[]

  /** @param subject what to call the playbook in the message: its file or name */
  constructor(subject: string, problems: readonly SourceProblem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error').length
    super('playbook_invalid', `${subject} has ${errors} ${errors === 1 ? 'problem' : 'problems'}`, {
      hint: `run 'tocsin validate' to see each at its place`,
      details: { problems },
    })
    this.problems = problems
  }
}
