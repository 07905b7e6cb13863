import type { JournalEntry } from '../../domain/run.ts'
import { identifyAlert } from '../../alert-source/index.ts'
import type { Case } from '../../domain/case.ts'
import type { RunOutcome } from '../../engine/scope/flow.ts'
import type { RunEvents } from '../../engine/journal/local-run.ts'
import { createWakeUps, type WakeUps } from '../../engine/journal/wake-ups.ts'
import { caseTitleOf } from '../../engine/turns/describe-run.ts'
import { skillsOf, type SkillCaller } from '../../engine/skills/skill-caller.ts'
import { ForbiddenError } from '../../errors/errors.ts'
import { interfacePlugin } from '../../interface/interface-skills.ts'
import type { InterfaceCalls } from '../../interface/interface-calls.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { testCases, type TestCases } from '../../plugin/testing/index.ts'
import type { CaseStore } from '../../ports/case-store.ts'
import type { Egress } from '../../ports/egress.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import { giveState } from '../../state/given-state.ts'
import { keptState, MemoryState } from '../../state/memory-state.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { ReadableConnections } from '../../skill/connection/find-connection.ts'
import { createSkillCaller } from '../../skill/call/caller.ts'
import { createPerformTask } from '../../skill/call/perform-task.ts'
import { choiceFor, createCheckpointAnswers, unanswered, type AnswerChoice } from './checkpoint-answers.ts'
import { containmentsMade, type MadeContainment } from '../containments/made-containments.ts'
import { createMockedEvents, withoutEvent } from '../waits/mocked-events.ts'
import { inTurn } from './in-turn.ts'
import type { MemoryCheckpoints } from './memory-checkpoints.ts'
import { createMemoryJournal, type MemoryJournal } from './memory-journal.ts'
import { withMockedState } from '../state/mocked-state.ts'
import {
  createMockedSkills,
  type MockedSkills,
  type Places,
  type SeenCall,
  type Unmocked,
} from './mocked-skills.ts'
import { withCallsAnswered, withMockedCalls } from './mocked-calls.ts'
import { namedSteps, stepFinder } from '../read/named-steps.ts'
import type { CalledByName, Fixtures, Mocks } from '../read/playbook-test.ts'
import { withRealTimeout } from './real-timeout.ts'
import { rehearse, startsFor } from './rehearse.ts'
import { triesBefore } from './tries-before.ts'
import { createMockedInterfaces } from '../vendors/mocked-interfaces.ts'
import { VirtualClock } from './virtual-clock.ts'

/** The result of a run with mocks. */
export interface TestRun {
  readonly status: RunOutcome['status'] | 'not_started'
  readonly outcome: RunOutcome | undefined
  /** Why the run did not start; undefined if it did. */
  readonly notStarted: string | undefined
  readonly entries: readonly JournalEntry[]
  readonly calls: readonly SeenCall[]
  readonly unmocked: readonly Unmocked[]
  readonly case: Case | undefined
  /** Containments that the run leaves. */
  readonly containments: readonly MadeContainment[]
  readonly playbook: Playbook
  /** The state that it keeps for later runs. */
  readonly state: MemoryState
  /** Notes added to the case, in order. */
  readonly notes: readonly string[]
  /** Epoch milliseconds, by the virtual clock. */
  readonly startedAtMs: number
  readonly durationMs: number
  /** Bugs of skills or of Tocsin, as logged. */
  readonly bugs: readonly string[]
}

export interface RunnableTest {
  readonly playbook: Playbook
  readonly called?: CalledByName | undefined
  readonly fixtures: Fixtures
  readonly mocks: Mocks
  /** Answers to checkpoints, by name or path; take precedence over mocks. */
  readonly choices?: ReadonlyMap<string, AnswerChoice> | undefined
}

/** Bounds for tests that run beside other work. */
export interface TestBounds {
  /** Aborts a run. */
  readonly signal: AbortSignal
  /** Called for every ended step. */
  readonly onEnd: (entry: JournalEntry) => void
}

/** Everything outside a run that survives a crash of its process. */
export interface TestWorld {
  readonly test: RunnableTest
  readonly clock: VirtualClock
  readonly journal: MemoryJournal
  readonly skills: MockedSkills
  readonly cases: TestCases
  readonly bugs: string[]
  readonly catalogue: Catalogue
  readonly checkpoints: MemoryCheckpoints
  readonly events: RunEvents
  readonly interfaces: InterfaceCalls
  readonly wakeUps: WakeUps
  readonly state: MemoryState
  /** The name of the step at a path. */
  readonly nameOf: (path: string) => string
}

export function createWorld(
  test: RunnableTest,
  catalogue: Catalogue,
  onEnd?: (entry: JournalEntry) => void,
): TestWorld {
  const { fixtures, playbook } = test
  const clock = new VirtualClock(fixtures.nowMs)
  const state = new MemoryState()
  giveState(state, playbook, fixtures.state, fixtures.nowMs)
  const memory = createMemoryJournal({ onEnd, clock, state: keptState(state, clock) })
  const cases = testCases(
    fixtures.organization.code,
    caseTitle(test),
    fixtures.caseId ?? caseIdOf(fixtures.trigger),
  )
  const bugs: string[] = []
  const stepAt = stepFinder(namedSteps(playbook, test.called))
  const places: Places = {
    nameOf: (path) => stepAt(path)?.name ?? path,
    triesBefore: (path) => triesBefore(memory, path),
  }
  const journal = { ...memory, store: withMockedState(memory.store, test.mocks, places, clock) }
  const local = localSkills(catalogue, cases, clock)
  const skills = createMockedSkills({
    catalogue,
    mocks: test.mocks,
    clock,
    ...places,
    asks: (path) => stepAt(path)?.step.action === 'checkpoint',
    isAnswered: (name) => test.choices?.has(name) === true,
    otherwise: (skill) => (reachesOut(catalogue, skill) ? undefined : local),
  })
  const wakeUps = createWakeUps()
  const checkpoints = createCheckpointAnswers({
    mocks: test.mocks,
    ...places,
    clock,
    wakeUps,
    choose: (checkpoint, name) => choiceFor(test.choices, checkpoint, name),
    onUnanswered: (checkpoint, name) => skills.unmocked.push(unanswered(checkpoint, name)),
  })
  const interfaces = createMockedInterfaces({
    catalogue,
    mocks: test.mocks,
    nameOf: places.nameOf,
    isAnswered: (name) => test.choices?.has(name) === true,
    onChosen: ({ of, input, path }) => skills.note(`${interfacePlugin}.${of}`, path, input),
  })
  const events = createMockedEvents({
    mocks: test.mocks,
    organizationCode: fixtures.organization.code,
    clock,
    wakeUps,
    stepAt,
    choose: (path, name) => test.choices?.get(path) ?? test.choices?.get(name),
    onUnanswered: (wait, name) => skills.unmocked.push(withoutEvent(wait, name)),
  }).store
  return {
    test,
    clock,
    journal,
    skills,
    cases,
    bugs,
    catalogue,
    checkpoints,
    events,
    wakeUps,
    interfaces,
    state,
    nameOf: places.nameOf,
  }
}

/** A run that reacts to a change of a case works on that case. */
const caseIdOf = (trigger: Fixtures['trigger']): string | undefined =>
  trigger?.kind === 'case' ? (trigger['case'] as { readonly id: string }).id : undefined

function caseTitle({ playbook, fixtures: { alert } }: RunnableTest): string {
  if (alert === undefined) return playbook.name
  return caseTitleOf({ ...alert, title: identifyAlert(alert).facts.title }, playbook)
}

/**
 * Whether a skill has connections and thus calls another system; all others only work on their inputs and on
 * cases.
 */
export function reachesOut(catalogue: Pick<Catalogue, 'skill'>, name: string): boolean {
  const found = catalogue.skill(name)
  return found === undefined || found.skill.connection !== undefined
}

/** Real-time limit of a skill without connection. */
const localTimeoutMs = 10_000

/** Calls skills for real with cases in memory and without network, while the virtual clock stops. */
export function localSkills(catalogue: Catalogue, cases: CaseStore, clock: VirtualClock): SkillCaller {
  const call = createSkillCaller({
    catalogue,
    stores: { cases, connections: noConnections },
    performTask: createPerformTask({ catalogue, egress: noWayOut, clock }),
    log: silence,
  })
  const inTime = withRealTimeout(call, localTimeoutMs)
  return (asked) => clock.hold(() => inTime(asked))
}

/** Has no connections, so that no other system is reached. */
export const noConnections: ReadableConnections = {
  list: async () => [],
  open: async () => undefined,
}

const noWayOut: Egress = {
  send: () =>
    Promise.reject(new ForbiddenError('egress_forbidden', 'nothing is sent from a test: mock the skill')),
}

const silence: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Simulates a process: resolves when the run ends, rejects when the process crashes (the journal throws). */
export function startProcess(
  world: TestWorld,
  journal: JournalStore,
  stop?: AbortSignal,
): Promise<RunOutcome> {
  const { test, clock, skills, cases, bugs, catalogue } = world
  const log: Log = {
    ...silence,
    error: ({ stack }, message) =>
      void bugs.push(typeof stack === 'string' ? `${message}: ${stack}` : message),
  }
  const run = rehearse({
    playbook: withMockedCalls(test.playbook, test.mocks),
    called: test.called,
    fixtures: test.fixtures,
    skills: withCallsAnswered(
      skillsOf(catalogue, skills.call, world.interfaces),
      test.called ?? new Map(),
      skills.call,
    ),
    journal,
    clock,
    log,
    caseId: cases.all[0]!.id,
    checkpoints: world.checkpoints.store,
    events: world.events,
    wakeUps: world.wakeUps,
    ...(stop === undefined ? {} : { stop }),
  })
  return clock.drive(run)
}

/**
 * Runs a playbook with mocks on a virtual clock. With `bounds`, yields to other tasks after each step.
 *
 * @throws the reason of the bounds' signal, once it is aborted
 */
export async function runTest(
  test: RunnableTest,
  catalogue: Catalogue,
  bounds?: TestBounds,
): Promise<TestRun> {
  const world = createWorld(test, catalogue, bounds?.onEnd)
  const starts = startsFor(test.playbook, test.fixtures)
  if (starts !== true) return { ...resultOf(world, undefined), notStarted: starts }
  const { store } = world.journal
  if (bounds === undefined) return resultOf(world, await startProcess(world, store))
  const { signal } = bounds
  signal.throwIfAborted()
  const ended = startProcess(world, inTurn(store, world.clock), signal)
  return resultOf(world, await ended.finally(() => signal.throwIfAborted()))
}

export function resultOf(world: TestWorld, outcome: RunOutcome | undefined): TestRun {
  const { clock, journal, skills, cases, bugs, test, state } = world
  const [own] = cases.all
  const notes = cases.entries.filter(({ kind, caseId }) => kind === 'note' && caseId === own?.id)
  return {
    status: outcome?.status ?? 'not_started',
    outcome,
    notStarted: undefined,
    entries: journal.entries(),
    calls: skills.calls(),
    unmocked: skills.unmocked,
    case: outcome === undefined ? undefined : own,
    containments: containmentsMade(journal.destructiveCalls(), own, world.nameOf),
    playbook: test.playbook,
    state,
    notes: notes.map(({ text }) => text),
    startedAtMs: test.fixtures.nowMs,
    durationMs: clock.now() - test.fixtures.nowMs,
    bugs,
  }
}
