import type { JournalEntry } from '../../../../core/domain/run.ts'
import {
  maskedEntry,
  maskedInputs,
  maskedOutput,
  maskedTrigger,
} from '../../../../core/engine/skills/masked-run.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import type { ListedRun } from '../../../../core/ports/runs/run-store.ts'
import type { Services } from '../../routing/route.ts'

/**
 * A run without values that its playbook or skills declare as sensitive, and without values derived from
 * them.
 */
export interface ShownRun {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly trigger: unknown
  readonly output: (value: unknown) => unknown
  readonly masked: (entry: JournalEntry) => JournalEntry
}

type Needed = Pick<Services, 'catalogue' | 'playbooks'>

export async function showRun(run: ListedRun, { catalogue, playbooks }: Needed): Promise<ShownRun> {
  const playbook = await playbookOf(run, playbooks)
  return {
    inputs: maskedInputs(playbook, run.inputs),
    trigger: maskedTrigger(playbook, run.trigger ?? null),
    output: (value) => maskedOutput(playbook, value ?? null),
    masked: (entry) => maskedEntry(entry, catalogue),
  }
}

/** Undefined: no longer valid. */
async function playbookOf(run: ListedRun, playbooks: Services['playbooks']): Promise<Playbook | undefined> {
  try {
    return await playbooks.byHash(run.playbookHash)
  } catch {
    return undefined
  }
}
