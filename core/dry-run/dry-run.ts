import type { Checkpoint } from '../domain/checkpoint.ts'
import type { Expiry } from '../destructive/containment.ts'
import type { JournalEntry } from '../domain/run.ts'
import { RunSuspended } from '../engine/journal/durable-context.ts'
import { createWakeUps } from '../engine/journal/wake-ups.ts'
import type { RunOutcome } from '../engine/scope/flow.ts'
import { skillsOf, type SkillCaller } from '../engine/skills/skill-caller.ts'
import {
  choiceFor,
  createCheckpointAnswers,
  type AnswerChoice,
} from '../playbook-test/run/checkpoint-answers.ts'
import { inTurn } from '../playbook-test/run/in-turn.ts'
import { createMemoryJournal } from '../playbook-test/run/memory-journal.ts'
import { createMockedSkills, type Places } from '../playbook-test/run/mocked-skills.ts'
import { withCallsAnswered, withMockedCalls } from '../playbook-test/run/mocked-calls.ts'
import { asQuestion, createMockedEvents } from '../playbook-test/waits/mocked-events.ts'
import { namedSteps, stepFinder, type NamedStep } from '../playbook-test/read/named-steps.ts'
import type { CalledByName, Fixtures, Mocks } from '../playbook-test/read/playbook-test.ts'
import { withRealTimeout } from '../playbook-test/run/real-timeout.ts'
import { createMockedInterfaces } from '../playbook-test/vendors/mocked-interfaces.ts'
import { rehearse } from '../playbook-test/run/rehearse.ts'
import { triesBefore } from '../playbook-test/run/tries-before.ts'
import { VirtualClock } from '../playbook-test/run/virtual-clock.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { ConnectionStore } from '../ports/connection-store.ts'
import type { Log } from '../ports/log.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { stateInMemory } from '../state/given-state.ts'
import type { StateReader } from '../state/memory-state.ts'
import { changesState } from '../state/state.ts'
import { createDryRunCaller, withoutRetries, type WouldDo } from './dry-run-caller.ts'

export interface DryRunOptions {
  readonly playbook: Playbook
  readonly catalogue: Catalogue
  readonly fixtures: Fixtures
  /** Mocked answers of other systems, for reads and writes. */
  readonly mocks: Mocks
  /** Makes real calls; used only for skills that declare to read. */
  readonly live: SkillCaller
  readonly organizationUuid?: string | undefined
  /** The connections that interfaces choose from. Undefined: unknown. */
  readonly connections?: Pick<ConnectionStore, 'list'> | undefined
  /** The real state of playbooks, which is read and not changed. Default: nothing is stored. */
  readonly state?: StateReader | undefined
  readonly log: Log
  /** Answers to checkpoints, by name (see `NamedStep`) or by path. */
  readonly choices?: ReadonlyMap<string, AnswerChoice> | undefined
  readonly called?: CalledByName | undefined
  /** Aborts the dry run and its reads; it then has no outcome. Default: never. */
  readonly signal?: AbortSignal | undefined
  readonly onEnd?: ((entry: JournalEntry) => void) | undefined
  readonly onWouldDo?: ((would: WouldDo) => void) | undefined
}

export interface DryRun {
  /** Undefined if the run stopped at a question. */
  readonly outcome: RunOutcome | undefined
  /** The question without a given answer. */
  readonly asked: Checkpoint | undefined
  readonly entries: readonly JournalEntry[]
  readonly wouldDo: readonly WouldDo[]
  /** Duration by the virtual clock, including waits. */
  readonly durationMs: number
}

/** How long a read may take in real time. */
const readTimeoutMs = 60_000

/**
 * Runs a playbook without changing anything: reads are real, writes are only reported, and waits take no
 * time.
 */
export async function dryRun(options: DryRunOptions): Promise<DryRun> {
  const { playbook, catalogue, fixtures, mocks } = options
  const clock = new VirtualClock(fixtures.nowMs)
  const wouldDo: WouldDo[] = []
  const stepAt = stepFinder(namedSteps(playbook, options.called))
  const noteWrite = (given: WouldDo) => {
    const undo = expiryOf(stepAt(given.path))
    const would = { ...given, ...(undo && { undo }) }
    wouldDo.push(would)
    options.onWouldDo?.(would)
  }
  const onEnd = (entry: JournalEntry) => {
    options.onEnd?.(entry)
    if (isStateChange(entry)) noteWrite(stateChange(entry))
  }
  const journal = createMemoryJournal({
    onEnd,
    state: stateInMemory({ ...options, clock, reader: options.state }),
  })
  const places: Places = {
    nameOf: (path) => stepAt(path)?.name ?? path,
    triesBefore: (path) => triesBefore(journal, path),
  }
  const live = withoutRetries(withRealTimeout(options.live, readTimeoutMs))
  const answers = createMockedSkills({
    catalogue,
    mocks,
    clock,
    ...places,
    asks: (path) => stepAt(path)?.step.action === 'checkpoint',
    otherwise: () => (call) => clock.hold(() => live(call)),
  })
  const call = createDryRunCaller({
    catalogue,
    read: answers.call,
    hasFixture: answers.isMocked,
    onWouldDo: noteWrite,
  })
  const interfaces = createMockedInterfaces({
    catalogue,
    mocks,
    nameOf: places.nameOf,
    connections: options.connections,
  })
  const people = questions(options, places, clock, stepAt)
  const run = rehearse({
    ...people.forRun,
    called: options.called,
    playbook: withMockedCalls(playbook, mocks),
    fixtures,
    clock,
    journal: inTurn(journal.store, clock),
    skills: withCallsAnswered(
      skillsOf(catalogue, call, interfaces),
      options.called ?? new Map(),
      answers.call,
    ),
    log: options.log,
    caseId: `${fixtures.organization.code}-1`,
    organizationUuid: options.organizationUuid,
    dryRun: true,
  })
  const outcome = await clock.drive(run.catch(stoppedHere))
  const durationMs = clock.now() - fixtures.nowMs
  return { outcome, asked: people.asked(), entries: journal.entries(), wouldDo, durationMs }
}

function expiryOf(found: NamedStep | undefined): Expiry | undefined {
  const undo = found?.step.action === 'uses' ? found.step.undo : undefined
  return undo && { afterMs: undo.afterMs, unless: undo.unless?.source }
}

/** A change of state that a dry run made in memory only. */
export const isStateChange = ({ kind, state, input }: JournalEntry): boolean =>
  kind === 'state' && state === 'completed' && changesState(input)

const stateChange = ({ path, kind, input, output, sensitive }: JournalEntry): WouldDo => ({
  path,
  skill: kind,
  connection: undefined,
  input,
  output,
  from: 'state',
  ...(sensitive && { masks: sensitive }),
})

/** Answers questions, and gives events, from the given answers or the mocks; any other stops the run. */
function questions(
  { choices, mocks, signal, fixtures }: DryRunOptions,
  places: Places,
  clock: VirtualClock,
  stepAt: (path: string) => NamedStep | undefined,
) {
  const stop = new AbortController()
  const wakeUps = createWakeUps()
  let open: Checkpoint | undefined
  const ask = (checkpoint: Checkpoint): void => {
    if (open !== undefined) return
    open = checkpoint
    // Stops a turn later, so that the question is recorded and other branches get as far as they can.
    void clock.sleep(0, stop.signal).then(() => stop.abort())
  }
  const checkpoints = createCheckpointAnswers({
    mocks,
    ...places,
    clock,
    wakeUps,
    choose: (checkpoint, name) => choiceFor(choices, checkpoint, name),
    onUnanswered: ask,
  })
  const events = createMockedEvents({
    mocks,
    organizationCode: fixtures.organization.code,
    clock,
    wakeUps,
    stepAt,
    choose: (path, name) => choices?.get(path) ?? choices?.get(name),
    onUnanswered: (wait) => ask(asQuestion(wait, stepAt(wait.path))),
  })
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  return {
    forRun: { checkpoints: checkpoints.store, events: events.store, wakeUps, stop: stopped },
    asked: () => open,
  }
}

function stoppedHere(error: unknown): undefined {
  if (!(error instanceof RunSuspended)) throw error
}
