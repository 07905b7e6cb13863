import type { JournalEntry, StoredError } from '../../../core/domain/run.ts'
import { alertScope } from '../../../core/engine/alert-scope.ts'
import { maskedEntry, maskedInputs, SensitiveTexts } from '../../../core/engine/redact-run.ts'
import type { Playbook } from '../../../core/playbook/index.ts'
import type { ListedRun } from '../../../core/ports.ts'
import { hidden } from '../../../core/skill/redactor.ts'
import { stretchesOf } from '../../../core/stretches.ts'
import type { Services } from '../route.ts'
import { kindsIn } from './kinds-in.ts'

type View = Readonly<Record<string, unknown>>

/** What of a run may be shown. */
export interface ShownRun {
  readonly inputs: View
  /** Takes sensitive values out of the view of the run, or of one of its steps: for one answer, or one stretch of steps. */
  readonly redaction: () => (view: View) => View
  readonly masked: (entry: JournalEntry) => JournalEntry
  /** A step that was not there, or had not ended, when the run was looked at. */
  readonly learn: (entry: JournalEntry) => void
}

type Needed = Pick<Services, 'catalogue' | 'playbooks' | 'stores'>

/** Fields of a run or of one of its steps that hold what came from outside; ids, times and states stay as they are. */
const dataFields: ReadonlySet<string> = new Set(['inputs', 'input', 'output', 'error', 'failed_attempts'])

/** In one piece. */
const [pieceLines, pieceBytes] = [2_000, 4_000_000]

/** Takes sensitive values out of a run: at the places where they are declared, and wherever they went from there. */
export async function showRun(run: ListedRun, services: Needed): Promise<ShownRun> {
  const shown = await showSteps(run, [], services)
  const { sensitive } = kindsIn(services.catalogue)
  const request = { lines: pieceLines, bytes: pieceBytes, kinds: sensitive }
  for await (const lines of stretchesOf(services.stores.lines, run.uuid, request))
    for (const { entry } of lines) shown.learn(entry)
  return shown
}

/** The same of these steps alone. */
export async function showSteps(
  run: ListedRun,
  entries: readonly JournalEntry[],
  { catalogue, playbooks, stores }: Needed,
): Promise<ShownRun> {
  const playbook = await playbookOf(run, playbooks)
  const alert = playbook?.alertSchema ? await alertOf(run, stores) : undefined
  const given = { playbook, inputs: run.inputs, alert }
  const texts = new SensitiveTexts(given, catalogue)
  for (const entry of entries) texts.learn(entry)
  return {
    inputs: maskedInputs(given),
    redaction() {
      const redactor = texts.redactor()
      const shown = (name: string, value: unknown) =>
        texts.areTooMany ? hidingAll(name, value) : redactor.value(value)
      return (view) =>
        Object.fromEntries(
          Object.entries(view).map(([name, value]) => [
            name,
            dataFields.has(name) ? shown(name, value) : value,
          ]),
        )
    },
    masked: (entry) => maskedEntry(entry, catalogue),
    learn: (entry) => texts.learn(entry),
  }
}

/** Of a run with more sensitive texts than can be looked for. */
function hidingAll(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (name === 'failed_attempts')
    return (value as readonly { readonly error: StoredError }[]).map((attempt) => ({
      ...attempt,
      error: hidingAll('error', attempt.error),
    }))
  if (name === 'error') return { code: (value as StoredError).code, message: hidden }
  if (name === 'inputs') return Object.fromEntries(Object.keys(value as View).map((field) => [field, hidden]))
  return hidden
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
