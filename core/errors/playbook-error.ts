import { TocsinError } from '../plugin/index.ts'
import type { SourceProblem } from './source-frame.ts'

/** A playbook that cannot run. `problems` lists everything its author must fix, with positions. */
export class PlaybookError extends TocsinError<'playbook_invalid'> {
  readonly problems: readonly SourceProblem[]

  /** @param subject the file or name of the playbook, for the message */
  constructor(subject: string, problems: readonly SourceProblem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error').length
    super('playbook_invalid', `${subject} has ${errors} ${errors === 1 ? 'problem' : 'problems'}`, {
      hint: `run 'tocsin validate' to see the positions`,
      details: { problems },
    })
    this.problems = problems
  }
}
