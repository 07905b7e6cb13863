import type { CaseFile } from '../../../../core/case/case-file.ts'
import {
  extractingSkill,
  listed,
  observablesOf,
  type CaseJournal,
  type CaseObservable,
} from '../../../../core/case/observables.ts'
import type { Case, CaseEntry } from '../../../../core/domain/case.ts'
import type { JournalEntry } from '../../../../core/domain/run.ts'
import type { ListedRun } from '../../../../core/ports/runs/run-store.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import type { StretchRequest } from '../../../../core/ports/runs/journal-reader.ts'
import { stretchesOf } from '../../../../core/common/stretches.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'
import { inAlertsOf } from './in-alerts-of.ts'
import { kindsIn } from '../runs/kinds-in.ts'
import { showRun } from '../runs/redact-run.ts'

type Needed = Pick<Services, 'stores' | 'catalogue' | 'playbooks'>

/** How much of a case is read at once. */
export interface CaseLimits {
  readonly alerts: number
  /** Undefined: alerts are shown without their content. */
  readonly contentBytes: number | undefined
  readonly runs: number
  readonly actions: number
  readonly timeline: number
}

/** Runs whose journals are looked through for what was learned: the newest ones. */
const maxJournals = 20
const maxObservables = 500

/** Throws RequestError `case_not_found`, also for a case of another organization. */
export async function requireCase(
  { stores }: Pick<Services, 'stores'>,
  scope: Scope,
  id: string,
): Promise<Case> {
  const found = await stores.cases.find(scope, id)
  if (found !== undefined) return found
  throw new RequestError('case_not_found', undefined, { hint: 'GET cases lists those this API key may see' })
}

/** The case with the newest of what belongs to it. */
export async function readCaseFile(services: Needed, found: Case, limits: CaseLimits): Promise<CaseFile> {
  const { stores } = services
  const scope = [found.organizationUuid]
  const filter = { caseId: found.id }
  const [alerts, runs, actions, timeline] = await Promise.all([
    stores.alerts.list(scope, filter, { limit: limits.alerts, contentBytes: limits.contentBytes }),
    stores.runs.list(scope, filter, { limit: limits.runs }),
    stores.cases.actions(scope, found.id, limits.actions),
    readTimeline(services, found, limits.timeline),
  ])
  const observables = await readObservables(services, found, runs.data.slice(0, maxJournals))
  const shown = observables.slice(0, maxObservables)
  return {
    case: found,
    alerts: alerts.data,
    runs: runs.data,
    actions: actions.data,
    observables: shown,
    timeline: timeline.entries,
    leftOut: {
      alerts: alerts.total - alerts.data.length,
      runs: runs.total - runs.data.length,
      actions: actions.total - actions.data.length,
      observables: observables.length - shown.length,
      timeline: timeline.total - timeline.entries.length,
    },
  }
}

/** The newest entries, oldest first. */
async function readTimeline({ stores }: Needed, { id, organizationUuid }: Case, most: number) {
  const entries: CaseEntry[] = []
  let total = 0
  let cursor: string | undefined
  do {
    const limit = Math.min(200, most - entries.length)
    const page = await stores.cases.timeline([organizationUuid], id, { limit, cursor })
    entries.push(...page.data)
    total = page.total
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && entries.length < most)
  return { entries: entries.toReversed(), total }
}

/** Of one step; larger ones are left out. */
const maxStepBytes = 1_048_576
/** Of one run. */
const maxSteps = 5_000
/** In one piece. */
const [pieceLines, pieceBytes] = [2_000, 4 * maxStepBytes]

/** One journal after the other, in pieces, and of each what is needed: it may hold megabytes of what other systems answered. */
async function readObservables(
  services: Needed,
  found: Case,
  runs: readonly ListedRun[],
): Promise<readonly CaseObservable[]> {
  const { telling, others, nature } = kindsIn(services.catalogue)
  const journals: CaseJournal[] = []
  for (const run of runs)
    journals.push({
      runUuid: run.uuid,
      telling: await readSteps(services, run, { kinds: telling }),
      others: await readSteps(services, run, { kinds: others, withoutOutputs: true }),
    })
  const isExtracted = journals.some(({ telling: steps }) =>
    steps.some(({ kind, output }) => kind === extractingSkill && [...listed(output)].length > 0),
  )
  return observablesOf(journals, nature, isExtracted ? [] : await inAlertsOf(services, found))
}

async function readSteps(
  services: Needed,
  run: ListedRun,
  wanted: Pick<StretchRequest, 'kinds' | 'withoutOutputs'>,
): Promise<readonly JournalEntry[]> {
  const { masked } = await showRun(run, services)
  const found: JournalEntry[] = []
  const request = { lines: pieceLines, bytes: pieceBytes, maxBytes: maxStepBytes, ...wanted }
  for await (const lines of stretchesOf(services.stores.lines, run.uuid, request)) {
    for (const { entry } of lines) found.push(withoutRest(masked(entry)))
    if (found.length >= maxSteps) break
  }
  return found
}

/** Without what else the other system said. */
function withoutRest(entry: JournalEntry): JournalEntry {
  const { all, risk } = (entry.output ?? {}) as { readonly all?: unknown; readonly risk?: unknown }
  return { ...entry, output: { all, risk } }
}
