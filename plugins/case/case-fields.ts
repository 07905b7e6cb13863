import { severities, SkillError, verdicts, type CaseAccess } from 'tocsin/plugin'

/** Input schemas shared by several skills; limits in characters. */
export const caseFields = {
  title: { type: 'string', minLength: 1, maxLength: 200, description: 'One line.' },
  summary: { type: 'string', maxLength: 10_000, description: 'What happened and what was found.' },
  severity: { type: 'string', enum: severities },
  verdict: { type: 'string', enum: verdicts },
  assignee: { type: 'string', maxLength: 200, minLength: 1, description: 'The responsible person.' },
} as const

/** The external record that a case is about: the organization has at most one case for each. */
export const reference = {
  type: 'string',
  minLength: 1,
  maxLength: 300,
  examples: ['threat_platform/alert_123'],
} as const

/** The case to write to; part of the input of every skill that changes a case. */
export const caseId = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: "Id of the case, `<organization>-<number>`. Default: the run's case.",
} as const

/** Throws SkillError `no_case` if the input has no id and the run has no case. */
export async function chosenCase(id: string | undefined, cases: CaseAccess): Promise<string> {
  const chosen = id ?? (await cases.own())
  if (chosen === undefined) {
    throw new SkillError('no_case', 'no `id` was given, and this run has no case', {
      hint: 'set `id`, or open a case with case.create first and pass its `id`',
    })
  }
  return chosen
}
