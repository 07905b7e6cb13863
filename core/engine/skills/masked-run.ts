import { hidden, hide, merged, type Mask } from '../../domain/mask.ts'
import type { JournalEntry } from '../../domain/run.ts'
import { maskOfSchema } from '../../playbook/check/mask-of-type.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Catalogue } from '../../registry/catalogue.ts'

/** Undefined if the playbook of the run can no longer be read. */
type OfRun = Playbook | undefined

/** The inputs of a run; all hidden if the playbook can no longer be read. */
export function maskedInputs(
  playbook: OfRun,
  inputs: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const mask = playbook?.masks.inputs
  const entries = Object.entries(inputs).map(([name, value]) => {
    const isKnown = playbook?.inputs.has(name) === true
    return [name, isKnown ? value : hidden] as const
  })
  return hide(mask, Object.fromEntries(entries)) as Readonly<Record<string, unknown>>
}

export function maskedTrigger(playbook: OfRun, trigger: unknown): unknown {
  return trigger === null ? null : hide(playbook === undefined ? true : playbook.masks.trigger, trigger)
}

export function maskedOutput(playbook: OfRun, output: unknown): unknown {
  return hide(playbook === undefined ? true : playbook.masks.output, output)
}

/** Hides values that were sensitive when the step ran, or that the skill marks as sensitive now. */
export function maskedEntry(entry: JournalEntry, catalogue: Pick<Catalogue, 'skill'>): JournalEntry {
  const skill = catalogue.skill(entry.kind)?.skill
  const marks = (schema: unknown): Mask | undefined =>
    schema === undefined ? undefined : maskOfSchema(schema as JsonSchema)
  const { input, output } = entry.sensitive ?? {}
  return {
    ...entry,
    input: hide(merged(input, marks(skill?.input)), entry.input),
    output: hide(merged(output, marks(skill?.output)), entry.output),
  }
}
