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
  given: GivenToRun,
  entries: readonly JournalEntry[],
  catalogue: Pick<Catalogue, 'skill'>,
): Redactor {
  const texts = new SensitiveTexts(given, catalogue)
  for (const entry of entries) texts.learn(entry)
  return texts.redactor()
}

/** More texts, or longer ones together, are not looked for: nothing is said then. */
const [maxTexts, maxCharacters] = [5_000, 1_000_000]

/** What is sensitive in a run, as far as its steps have been looked at: they need not all be held at the same time. */
export class SensitiveTexts {
  readonly #texts: Set<string>
  readonly #catalogue: Pick<Catalogue, 'skill'>
  #characters = 0

  constructor({ playbook, inputs, alert }: GivenToRun, catalogue: Pick<Catalogue, 'skill'>) {
    this.#texts = new Set(playbook ? sensitiveGiven(playbook, inputs, alert) : textsIn(inputs))
    this.#catalogue = catalogue
  }

  learn(entry: JournalEntry): void {
    if (this.areTooMany) return
    for (const text of sensitiveInStep(entry, this.#catalogue)) {
      if (this.#texts.has(text)) continue
      this.#texts.add(text)
      this.#characters += text.length
    }
  }

  /** So many that they cannot be kept out of texts: nothing that came from outside is to be shown. */
  get areTooMany(): boolean {
    return this.#texts.size > maxTexts || this.#characters > maxCharacters
  }

  /** For one answer or one step. */
  redactor(): Redactor {
    return hiding(this.#texts)
  }
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
