import type { JournalEntry } from '../../domain/run.ts'
import type { Case } from '../../domain/case.ts'
import type { RunOutcome } from '../../engine/scope/flow.ts'
import { createWakeUps, type WakeUps } from '../../engine/journal/wake-ups.ts'
import { skillsOf, type SkillCaller } from '../../engine/skills/skill-caller.ts'
import { ForbiddenError } from '../../errors/errors.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { testCases, type TestCases } from '../../plugin/testing/index.ts'
import type { Egress } from '../../ports/egress.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Log } from '../../ports/log.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { ReadableConnections } from '../../skill/connection/find-connection.ts'
import { createSkillCaller } from '../../skill/call/caller.ts'
import { createCheckpointAnswers, unanswered, type Choice } from './checkpoint-answers.ts'
import { inTurn } from './in-turn.ts'
import type { MemoryCheckpoints } from './memory-checkpoints.ts'
import { createMemoryJournal, type MemoryJournal } from './memory-journal.ts'
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
import { VirtualClock } from './virtual-clock.ts'

/** What a run with mocks came to. */
export interface TestRun {
  readonly status: RunOutcome['status'] | 'not_started'
  readonly outcome: RunOutcome | undefined
  /** Why it did not start, where it did not. */
  readonly notStarted: string | undefined
  readonly entries: readonly JournalEntry[]
  readonly calls: readonly SeenCall[]
  readonly unmocked: readonly Unmocked[]
  readonly case: Case | undefined
  /** Added to the case, in order. */
  readonly notes: readonly string[]
  /** Epoch milliseconds, by the virtual clock. */
  readonly startedAtMs: number
  readonly durationMs: number
  /** Bugs of skills, or of Tocsin, as the log has them. */
  readonly bugs: readonly string[]
}

export interface RunnableTest {
  readonly playbook: Playbook
  readonly called?: CalledByName | undefined
  readonly fixtures: Fixtures
  readonly mocks: Mocks
  /** What is answered to checkpoints, by name or by path, before the mocks. */
  readonly choices?: ReadonlyMap<string, Choice> | undefined
}

/** Of who runs tests beside other work. */
export interface TestBounds {
  /** Ends a run early. */
  readonly signal: AbortSignal
  /** Is told of every step that has ended. */
  readonly onEnd: (entry: JournalEntry) => void
}

/** Everything outside of a run: what is there before it, and what stays when its process dies. */
export interface TestWorld {
  readonly test: RunnableTest
  readonly clock: VirtualClock
  readonly journal: MemoryJournal
  readonly skills: MockedSkills
  readonly cases: TestCases
  readonly bugs: string[]
  readonly catalogue: Catalogue
  readonly checkpoints: MemoryCheckpoints
  readonly wakeUps: WakeUps
}

export function createWorld(
  test: RunnableTest,
  catalogue: Catalogue,
  onEnd?: (entry: JournalEntry) => void,
): TestWorld {
  const { fixtures, playbook } = test
  const clock = new VirtualClock(fixtures.nowMs)
  const journal = createMemoryJournal(onEnd)
  const cases = testCases(fixtures.organization.code, caseTitle(test), fixtures.caseId)
  const bugs: string[] = []
  const stepAt = stepFinder(namedSteps(playbook, test.called))
  const places: Places = {
    nameOf: (path) => stepAt(path)?.name ?? path,
    triesBefore: (path) => triesBefore(journal, path),
  }
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
    choose: ({ path }, name) => test.choices?.get(path) ?? test.choices?.get(name),
    onUnanswered: (checkpoint, name) => skills.unmocked.push(unanswered(checkpoint, name)),
  })
  return { test, clock, journal, skills, cases, bugs, catalogue, checkpoints, wakeUps }
}

function caseTitle({ playbook, fixtures: { alert } }: RunnableTest): string {
  return alert === undefined ? playbook.name : `${alert.type ?? 'alert'} (${alert.id})`
}

/** A skill with connections is about another system; all others work on what they are given, and on cases. */
export function reachesOut(catalogue: Pick<Catalogue, 'skill'>, name: string): boolean {
  const found = catalogue.skill(name)
  return found === undefined || found.skill.connection !== undefined
}

/** How long a skill without connection may take in real time. */
const localTimeoutMs = 10_000

/** Calls skills for real, while time stands still, with cases in memory and no way out. */
function localSkills(catalogue: Catalogue, cases: TestCases, clock: VirtualClock): SkillCaller {
  const call = createSkillCaller({
    catalogue,
    stores: { cases, connections: noConnections },
    egress: noWayOut,
    log: silence,
    clock,
  })
  const inTime = withRealTimeout(call, localTimeoutMs)
  return (asked) => clock.hold(() => inTime(asked))
}

/** For whoever calls skills where no other system shall be reached. */
export const noConnections: ReadableConnections = {
  list: async () => [],
  open: async () => undefined,
}

const noWayOut: Egress = {
  send: () =>
    Promise.reject(new ForbiddenError('egress_forbidden', 'nothing is sent from a test: mock the skill')),
}

const silence: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** One process: runs until the run ends, or rejects when the process dies (the journal throws). */
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
    skills: withCallsAnswered(skillsOf(catalogue, skills.call), test.called ?? new Map(), skills.call),
    journal,
    clock,
    log,
    caseId: cases.all[0]!.id,
    checkpoints: world.checkpoints.store,
    wakeUps: world.wakeUps,
    ...(stop === undefined ? {} : { stop }),
  })
  return clock.drive(run)
}

/**
 * Runs a playbook with mocks, in no time. Within bounds, others have their turn after each step.
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
  const { clock, journal, skills, cases, bugs, test } = world
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
    notes: notes.map(({ text }) => text),
    startedAtMs: test.fixtures.nowMs,
    durationMs: clock.now() - test.fixtures.nowMs,
    bugs,
  }
}
