import type { JournalEntry } from '../../../core/domain/run.ts'
import { alertScope } from '../../../core/engine/alert-scope.ts'
import { maskedEntry, maskedInputs, redactionOf } from '../../../core/engine/redact-run.ts'
import type { Playbook } from '../../../core/playbook/index.ts'
import type { ListedRun } from '../../../core/ports.ts'
import type { Services } from '../route.ts'

type View = Readonly<Record<string, unknown>>

/** What of a run may be shown. */
export interface ShownRun {
  readonly inputs: View
  /** The view of the run, or of one of its steps, without sensitive values. */
  readonly redacted: (view: View) => View
  readonly masked: (entry: JournalEntry) => JournalEntry
  /** A step with neither. */
  readonly shown: (entry: JournalEntry) => JournalEntry
}

/** Fields of a run or of one of its steps that hold what came from outside; ids, times and states stay as they are. */
const dataFields: ReadonlySet<string> = new Set(['inputs', 'input', 'output', 'error', 'failed_attempts'])

/** Takes sensitive values out of a run: at the places where they are declared, and wherever they went from there. */
export async function showRun(
  run: ListedRun,
  entries: readonly JournalEntry[],
  { catalogue, playbooks, stores }: Pick<Services, 'catalogue' | 'playbooks' | 'stores'>,
): Promise<ShownRun> {
  const playbook = await playbookOf(run, playbooks)
  const alert = playbook?.alertSchema ? await alertOf(run, stores) : undefined
  const given = { playbook, inputs: run.inputs, alert }
  const redactor = redactionOf(given, entries, catalogue)
  const masked = (entry: JournalEntry): JournalEntry => maskedEntry(entry, catalogue)
  return {
    inputs: maskedInputs(given),
    redacted: (view) => {
      const fields = Object.entries(view).map(
        ([name, value]) => [name, dataFields.has(name) ? redactor.value(value) : value] as const,
      )
      return Object.fromEntries(fields)
    },
    masked,
    shown: (entry) => {
      const { input, output, error, ...rest } = masked(entry)
      const clean = redactor.value({ input, output, error }) as Pick<
        JournalEntry,
        'input' | 'output' | 'error'
      >
      return { ...rest, ...clean }
    },
  }
}

async function alertOf({ organizationUuid, alertId }: ListedRun, stores: Services['stores']) {
  const alert = alertId === null ? undefined : await stores.alerts.find([organizationUuid], alertId)
  return alert && alertScope(alert)
}

/** Undefined where it no longer checks. */
async function playbookOf(run: ListedRun, playbooks: Services['playbooks']): Promise<Playbook | undefined> {
  try {
    return await playbooks.byHash(run.playbookHash)
  } catch {
    return undefined
  }
}
