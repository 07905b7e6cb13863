import { hidden, hide, merged, type Mask } from '../../domain/mask.ts'
import type { JournalEntry } from '../../domain/run.ts'
import { maskOfSchema, maskOfType } from '../../playbook/check/mask-of-type.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { typeOfInputs } from '../../playbook/steps/read-call.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Catalogue } from '../../registry/catalogue.ts'

/** What is shown of a run: without what is sensitive. Undefined: nobody can say any more what its playbook declared. */
type OfRun = Playbook | undefined

/** The inputs of a run. Of a playbook that cannot be read any more, all are hidden. */
export function maskedInputs(
  playbook: OfRun,
  inputs: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const mask = playbook && maskOfType(typeOfInputs(playbook.inputs, 'resolved'))
  const entries = Object.entries(inputs).map(([name, value]) => {
    const isKnown = playbook?.inputs.has(name) === true
    return [name, isKnown ? value : hidden] as const
  })
  return hide(mask, Object.fromEntries(entries)) as Readonly<Record<string, unknown>>
}

/** What a run gave. */
export function maskedOutput(playbook: OfRun, output: unknown): unknown {
  return hide(playbook === undefined ? true : maskOfType(playbook.outputType), output)
}

/** A step: without what was sensitive when it ran, and what its skill has marked since. */
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
