import type { JournalEntry } from '../domain/run.ts'
import { createDryRunBudget } from '../dry-run/dry-run-budget.ts'
import { createWakeUps } from '../engine/journal/wake-ups.ts'
import type { RunOutcome } from '../engine/scope/flow.ts'
import { skillsOf, type SkillCaller } from '../engine/skills/skill-caller.ts'
import { namedSteps, stepFinder } from '../playbook-test/read/named-steps.ts'
import type { Fixtures } from '../playbook-test/read/playbook-test.ts'
import { recordedState } from '../playbook-test/record/recorded-state.ts'
import type { RecordedRun } from '../playbook-test/record/recorded-run.ts'
import { createCheckpointAnswers } from '../playbook-test/run/checkpoint-answers.ts'
import { inTurn } from '../playbook-test/run/in-turn.ts'
import { createMemoryJournal } from '../playbook-test/run/memory-journal.ts'
import { rehearse, startsFor } from '../playbook-test/run/rehearse.ts'
import { triesBefore } from '../playbook-test/run/tries-before.ts'
import { VirtualClock } from '../playbook-test/run/virtual-clock.ts'
import type { CaseStore } from '../ports/case-store.ts'
import type { ConnectionStore } from '../ports/connection-store.ts'
import type { Log } from '../ports/log.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { giveState } from '../state/given-state.ts'
import { keptState, MemoryState } from '../state/memory-state.ts'
import { recordedCaller } from './recorded-caller.ts'
import { createNotes, type ReplayPolicy } from './replay-notes.ts'
import { recordedInterfaces } from './recorded-interfaces.ts'
import type { RecordedReplies } from './recorded-replies.ts'
import { createRecordedAnswers, createRecordedEvents } from './recorded-waits.ts'
import type { PlaybookVersion, RecordedAlert, Unjudged } from './recording.ts'

export interface ReplayOptions extends PlaybookVersion {
  readonly recording: RecordedAlert
  readonly replies: RecordedReplies
  /** Whether this is the recorded version: each step then gets its own recorded reply. */
  readonly isControl: boolean
  readonly policy: ReplayPolicy
  /** Makes real calls of read-only skills; with the policies `live` and `shadow`. */
  readonly live: SkillCaller
  /** See `RecordedCallerOptions`. */
  readonly findCase?: CaseStore['findByKey'] | undefined
  readonly catalogue: Catalogue
  readonly connections: Pick<ConnectionStore, 'list'>
  readonly organization: Fixtures['organization']
  readonly inputs: Readonly<Record<string, unknown>>
  readonly runUrl: (uuid: string) => string
  readonly log: Log
  readonly signal: AbortSignal
}

/** A run of a version with the recorded replies. */
export interface Replay {
  /** Undefined: the alert does not start the playbook. */
  readonly outcome: RunOutcome | undefined
  readonly notStarted: string | undefined
  readonly entries: readonly JournalEntry[]
  /** Connections that steps name, by path. */
  readonly connections: ReadonlyMap<string, string>
  /** Replies that were assumed, for people. */
  readonly assumed: readonly string[]
  /** Why the result cannot be judged; undefined if it can. */
  readonly unjudged: Unjudged | undefined
}

/** Runs a version of the playbook on the virtual clock with recorded replies. Writes nothing anywhere. */
export async function replay(options: ReplayOptions): Promise<Replay> {
  const { playbook, called, recording, replies, catalogue, isControl } = options
  const fixtures = fixturesOf(options)
  const starts = startsFor(playbook, fixtures)
  const notes = createNotes()
  if (starts !== true && !isControl) {
    return { outcome: undefined, notStarted: starts, entries: [], ...notes.taken() }
  }
  const budget = createDryRunBudget()
  const clock = new VirtualClock(fixtures.nowMs)
  const state = new MemoryState()
  giveState(state, playbook, fixtures.state, fixtures.nowMs)
  const journal = createMemoryJournal({
    onEnd: (entry) => budget.ended(entry),
    state: keptState(state, clock),
  })
  const stepAt = stepFinder(namedSteps(playbook, called))
  const tries = (path: string) => triesBefore(journal, path)
  const wakeUps = createWakeUps()
  const questions = createRecordedAnswers({ ...options, notes })
  const checkpoints = createCheckpointAnswers({
    mocks: new Map(),
    nameOf: (path) => stepAt(path)?.name ?? path,
    triesBefore: tries,
    clock,
    wakeUps,
    reply: (checkpoint) => questions.reply(checkpoint),
    onUnanswered: () => {},
  })
  const call = recordedCaller({
    ...options,
    clock,
    notes,
    failedAt: (path) => journal.failedAttempts(path).length,
    told: (path) => questions.notSent(path),
  })
  const events = createRecordedEvents({ ...options, clock, wakeUps, notes })
  const interfaces = recordedInterfaces({ catalogue, connections: options.connections, replies, notes })
  const stop = AbortSignal.any([options.signal, budget.signal])
  const run = rehearse({
    playbook,
    called,
    fixtures,
    skills: skillsOf(catalogue, call, interfaces),
    journal: inTurn(journal.store, clock),
    clock,
    log: options.log,
    caseId: fixtures.caseId!,
    organizationUuid: recording.run.organizationUuid,
    checkpoints: checkpoints.store,
    events: events.store,
    wakeUps,
    stop,
  })
  const outcome = await clock.drive(run).catch((error: unknown) => {
    stop.throwIfAborted()
    throw error
  })
  return { outcome, notStarted: undefined, entries: journal.entries(), ...notes.taken() }
}

/** The surroundings of a replay: the alert, the organization and the state of the recorded run. */
export function fixturesOf(
  options: Pick<ReplayOptions, 'recording' | 'organization' | 'inputs' | 'runUrl' | 'playbook'>,
): Fixtures {
  const { recording, organization, inputs, runUrl, playbook } = options
  const { run, alert } = recording
  const { type, provider, content, id, uuid, createdAt, createdAtSource } = alert
  return {
    nowMs: run.startedAt ?? run.createdAt,
    alert: { type, provider, content, id, uuid, createdAt, createdAtSource },
    organization,
    trigger: run.trigger,
    run: { id: run.uuid, url: runUrl(run.uuid) },
    caseId: run.caseId ?? `${organization.code}-1`,
    inputs,
    state:
      recordedState({ steps: recording.entries.map(stateStep) } as unknown as RecordedRun, playbook) ?? {},
  }
}

const stateStep = ({ path, kind, state, input, output }: JournalEntry) => ({
  path,
  kind,
  state,
  input,
  output,
})
