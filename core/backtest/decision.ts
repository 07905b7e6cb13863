import { canonicalJson } from '../audit/canonical-json.ts'
import { stringifyJson } from '../common/json.ts'
import type { Question } from '../domain/checkpoint.ts'
import type { JournalEntry } from '../domain/run.ts'
import { isApprovalPath } from '../engine/journal/paths.ts'
import { maskedEntry, maskedOutput } from '../engine/skills/masked-run.ts'
import type { RunOutcome } from '../engine/scope/flow.ts'
import { traceOf } from '../playbook-test/coverage/trace.ts'
import { reachesOut } from '../playbook-test/run/run-test.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { withDefaults } from '../schema/index.ts'

/** The decision of a run about an alert. */
export interface RunDecision {
  readonly status: RunOutcome['status'] | 'not_started'
  /** Error of a failed run, or why it did not start. */
  readonly reason: string | null
  /** As the run set them; null: it did not. */
  readonly verdict: string | null
  readonly severity: string | null
  readonly questions: readonly Deed[]
  /** Calls of skills that write to another system, also those that failed. */
  readonly actions: readonly Deed[]
  /** Names of the steps that ran. */
  readonly path: readonly string[]
  readonly output: unknown
  /** Compares outputs. Contains sensitive values. */
  readonly outputKey: string
}

/** A question or an action. */
export interface Deed {
  /** Path in the journal. */
  readonly path: string
  readonly skill: string
  readonly connection: string | null
  /** Without sensitive values. */
  readonly input: unknown
  readonly state: JournalEntry['state']
  readonly isDestructive: boolean
  /** Actions and questions with the same key have the same effect. Contains sensitive values. */
  readonly key: string
}

export interface DecisionSource {
  readonly playbook: Playbook
  readonly outcome: Pick<RunOutcome, 'status' | 'output' | 'error'> | undefined
  readonly notStarted: string | undefined
  readonly entries: readonly JournalEntry[]
  readonly connections: ReadonlyMap<string, string>
  readonly caseId: string | null
}

export function decisionOf(source: DecisionSource, catalogue: Catalogue): RunDecision {
  const { playbook, outcome, notStarted, entries } = source
  const changes = caseChangesIn(source)
  return {
    status: outcome?.status ?? 'not_started',
    reason: notStarted ?? (outcome?.error ? `${outcome.error.code}: ${outcome.error.message}` : null),
    verdict: changes.verdict ?? null,
    severity: changes.severity ?? null,
    questions: entries.flatMap((entry) => questionIn(entry, catalogue)),
    actions: entries.flatMap((entry) => actionIn(entry, source, catalogue)),
    path: traceOf(playbook, entries).map(({ name }) => name),
    output: maskedOutput(playbook, outcome?.output ?? null),
    outputKey: canonicalJson(outcome?.output ?? null),
  }
}

interface CaseChanges {
  readonly id?: string
  readonly verdict?: string
  readonly severity?: string
}

/** The changes that the run makes to its own case, oldest first. */
function caseChangesIn({ playbook, entries, caseId }: DecisionSource): CaseChanges {
  const placeOf = placesIn(playbook, entries)
  const made = entries
    .filter(({ kind, state }) => kind === 'case.update' && state === 'completed')
    .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0) || placeOf(a.path) - placeOf(b.path))
    .map(({ input }) => (input ?? {}) as CaseChanges)
    .filter(({ id }) => id === undefined || id === caseId)
  return Object.assign({}, ...made) as CaseChanges
}

/** The order in the source: on the virtual clock, steps often end at the same time. */
function placesIn(playbook: Playbook, entries: readonly JournalEntry[]): (path: string) => number {
  const places = new Map(traceOf(playbook, entries).map(({ path }, at) => [path, at]))
  return (path) => {
    // A step of a called playbook has the place of the call.
    for (let place = path; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('/')))) {
      const found = places.get(place)
      if (found !== undefined) return found
    }
    return 0
  }
}

const askedIn = ({ input }: JournalEntry): Question | undefined =>
  (input as { readonly question?: Question } | null)?.question

function questionIn(entry: JournalEntry, catalogue: Catalogue): readonly Deed[] {
  const { path, kind, state } = entry
  const question = askedIn(entry)
  if (kind !== 'checkpoint' || question === undefined || isApprovalPath(path)) return []
  const { via, input: asked, answers, form } = question
  const key = `${via} ${canonicalJson([asked ?? null, answers, form])}`
  const shown = askedIn(maskedEntry(entry, catalogue))?.input ?? null
  return [{ path, skill: via, connection: null, input: shown, state, isDestructive: false, key }]
}

/** Codes of uses that a person did not approve, so that nothing was called. */
export const notApproved: ReadonlySet<string> = new Set(['use_refused', 'approval_timeout'])

function actionIn(
  entry: JournalEntry,
  { connections }: DecisionSource,
  catalogue: Catalogue,
): readonly Deed[] {
  const { path, kind: skill, input, state, error } = entry
  if (error !== null && notApproved.has(error.code)) return []
  const found = catalogue.skill(skill)?.skill
  const isCall = input !== null && input !== undefined && !/\/@(?:ask|remind|settle)$/.test(path)
  if (found?.effect !== 'write' || !isCall || state === 'skipped' || !reachesOut(catalogue, skill)) return []
  const connection = connections.get(path) ?? null
  const shown = maskedEntry(entry, catalogue).input
  const key = `${skill} ${connection} ${canonicalJson(withDefaults(found.input, input))}`
  const isDestructive = found.destructive !== undefined
  return [{ path, skill, connection, input: shown, state, isDestructive, key }]
}

/** A decision without sensitive values and bounded in size, as the API and the command line show it. */
export type ShownDecision = ReturnType<typeof shownDecision>

/** Per decision: the results of up to a thousand alerts are kept in memory. */
const [maxDeeds, maxPath, maxJson] = [30, 100, 4_000]

export function shownDecision(decision: RunDecision) {
  let left = maxJson
  const bounded = (value: unknown): unknown => {
    left -= stringifyJson(value ?? null).length
    return left < 0 ? '[left out]' : value
  }
  return {
    status: decision.status,
    reason: decision.reason,
    verdict: decision.verdict,
    severity: decision.severity,
    questions: decision.questions
      .slice(0, maxDeeds)
      .map(({ path, skill, input, state }) => ({ path, via: skill, input: bounded(input), state })),
    actions: decision.actions.slice(0, maxDeeds).map(({ path, skill, connection, input, state }) => {
      return { path, skill, connection, input: bounded(input), state }
    }),
    path: decision.path.slice(0, maxPath),
    output: bounded(decision.output),
  }
}
