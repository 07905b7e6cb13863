import type { JournalEntry } from '../domain/run.ts'
import type { Playbook } from '../playbook/playbook.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { hidden, type Redactor } from '../skill/redactor.ts'
import { hiding, maskSensitive, sensitiveGiven, sensitiveTexts, textsIn } from './sensitive.ts'

/** What a run was given. */
export interface GivenToRun {
  /** Undefined where nobody can say what was declared: every input then counts as sensitive. */
  readonly playbook: Playbook | undefined
  readonly inputs: Readonly<Record<string, unknown>>
  readonly alert: { readonly data?: unknown } | undefined
}

/** Takes the values out of a run that its playbook and its skills declare to be sensitive, wherever they went from there. */
export function redactionOf(
  { playbook, inputs, alert }: GivenToRun,
  entries: readonly JournalEntry[],
  catalogue: Pick<Catalogue, 'skill'>,
): Redactor {
  const given = playbook ? sensitiveGiven(playbook, inputs, alert) : textsIn(inputs)
  return hiding(new Set([...given, ...entries.flatMap((entry) => sensitiveInStep(entry, catalogue))]))
}

function sensitiveInStep(
  { kind, input, output }: JournalEntry,
  catalogue: Pick<Catalogue, 'skill'>,
): readonly string[] {
  if (kind === 'checkpoint') return sensitiveInAnswer(input, output)
  const skill = catalogue.skill(kind)?.skill
  if (skill === undefined) return []
  return [
    ...sensitiveTexts(skill.input as JsonSchema, input),
    ...sensitiveTexts(skill.output as JsonSchema, output),
  ]
}

/** What was filled in where the form says so. */
function sensitiveInAnswer(input: unknown, output: unknown): readonly string[] {
  const form = (input as { readonly question?: { readonly form?: JsonSchema | null } } | null)?.question?.form
  return form ? sensitiveTexts(form, (output as { readonly answer?: unknown } | null)?.answer) : []
}

/** The inputs of a run with whatever is declared sensitive replaced, however short it is. */
export function maskedInputs({ playbook, inputs }: GivenToRun): Readonly<Record<string, unknown>> {
  const entries = Object.entries(inputs).map(([name, value]) => {
    const declared = playbook?.inputs.get(name)
    const isOpen = declared !== undefined && !declared.sensitive
    return [name, isOpen ? maskSensitive(declared.schema, value) : hidden] as const
  })
  return Object.fromEntries(entries)
}

/** A step with whatever its skill declares sensitive replaced, however short it is. */
export function maskedEntry(entry: JournalEntry, catalogue: Pick<Catalogue, 'skill'>): JournalEntry {
  const skill = catalogue.skill(entry.kind)?.skill
  if (skill === undefined) return entry
  const input = maskSensitive(skill.input as JsonSchema, entry.input)
  return { ...entry, input, output: maskSensitive(skill.output as JsonSchema, entry.output) }
}
