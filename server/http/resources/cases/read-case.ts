import type { CaseFile } from '../../../../core/case/case-file.ts'
import {
  extractingSkill,
  listed,
  observablesOf,
  type CaseJournal,
  type CaseObservable,
  type SkillNature,
} from '../../../../core/case/observables.ts'
import type { Case, CaseEntry } from '../../../../core/domain/case.ts'
import type { JournalEntry } from '../../../../core/domain/run.ts'
import type { ListedRun } from '../../../../core/ports/runs/run-store.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { ChunkRequest } from '../../../../core/ports/runs/journal-reader.ts'
import { journalChunks } from '../../../../core/common/journal-chunks.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'
import { inAlertsOf } from './in-alerts-of.ts'
import { showRun } from '../runs/redact-run.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'

type Needed = Pick<Services, 'stores' | 'catalogue' | 'playbooks'>

/** Parts of a case to read. */
export interface CaseLimits {
  readonly alerts: number
  /** Undefined: alerts have no content. */
  readonly contentBytes: number | undefined
  readonly runs: number
  readonly actions: number
  readonly timeline: number
}

/** Newest runs whose journals are searched for findings. */
const maxJournals = 20
const maxObservables = 500

/** Throws RequestError `case_not_found`, also for another organization. */
export async function requireCase(
  { stores }: Pick<Services, 'stores'>,
  scope: OrganizationScope,
  id: string,
): Promise<Case> {
  const found = await stores.cases.find(scope, id)
  if (found !== undefined) return found
  throw new RequestError('case_not_found', undefined, { hint: 'GET cases lists the cases of this API key' })
}

/** The case with the newest of its parts. */
export async function readCaseFile(services: Needed, found: Case, limits: CaseLimits): Promise<CaseFile> {
  const { stores } = services
  const scope = [found.organizationUuid]
  const filter = { caseId: found.id }
  const [alerts, runs, actions, containments, files, tasks, links, timeline] = await Promise.all([
    stores.alerts.list(scope, filter, { limit: limits.alerts, contentBytes: limits.contentBytes }),
    stores.runs.list(scope, filter, { limit: limits.runs }),
    stores.cases.actions(scope, found.id, limits.actions),
    stores.containments.list(scope, { limit: limits.runs }, filter),
    stores.cases.files.list(scope, found.id),
    stores.caseWork.tasks(scope, found.id),
    stores.caseWork.links(scope, found.id),
    readTimeline(services, found, limits.timeline),
  ])
  const observables = await readObservables(services, found, runs.data.slice(0, maxJournals))
  const shown = observables.slice(0, maxObservables)
  return {
    case: found,
    alerts: alerts.data,
    runs: runs.data,
    actions: actions.data,
    containments: containments.data,
    observables: shown,
    files,
    tasks,
    links,
    timeline: timeline.entries,
    leftOut: {
      alerts: alerts.total - alerts.data.length,
      runs: runs.total - runs.data.length,
      actions: actions.total - actions.data.length,
      containments: containments.total - containments.data.length,
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

/** Per step; larger steps are left out. */
const maxStepBytes = 1_048_576
/** Per run. */
const maxSteps = 5_000
/** Steps per read. */
const [pieceLines, pieceBytes] = [2_000, 4 * maxStepBytes]

/**
 * Reads one journal at a time, in chunks, and keeps only findings: a journal can hold megabytes of responses.
 */
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
  wanted: Pick<ChunkRequest, 'kinds' | 'withoutOutputs'>,
): Promise<readonly JournalEntry[]> {
  const { masked } = await showRun(run, services)
  const found: JournalEntry[] = []
  const request = { lines: pieceLines, bytes: pieceBytes, maxBytes: maxStepBytes, ...wanted }
  for await (const lines of journalChunks(services.stores.journalReader, run.uuid, request)) {
    for (const { entry } of lines) found.push(withoutRest(masked(entry)))
    if (found.length >= maxSteps) break
  }
  return found
}

/** Without the raw response. */
function withoutRest(entry: JournalEntry): JournalEntry {
  const { all, risk } = (entry.output ?? {}) as { readonly all?: unknown; readonly risk?: unknown }
  return { ...entry, output: { all, risk } }
}

interface Kinds {
  /** Kinds of steps with findings. */
  readonly telling: readonly string[]
  /** Calls of all other skills. */
  readonly others: readonly string[]
  readonly nature: SkillNature
}

const kinds = new WeakMap<Catalogue, Kinds>()

/** Kinds of steps to look for in journals. */
function kindsIn(catalogue: Catalogue): Kinds {
  const known = kinds.get(catalogue)
  if (known !== undefined) return known
  const { skills } = catalogue
  const enriching = skills.filter(({ skill }) => skill.enriches !== undefined)
  const telling = [extractingSkill, ...enriching.map(({ name }) => name)]
  const found = {
    telling,
    others: skills.map(({ name }) => name).filter((name) => !telling.includes(name)),
    nature: {
      enriches: (name: string) => catalogue.skill(name)?.skill.enriches !== undefined,
      reads: (name: string) => catalogue.skill(name)?.skill.effect === 'read',
      asks: (name: string) => catalogue.skill(name)?.skill.asks === true,
    },
  }
  kinds.set(catalogue, found)
  return found
}
