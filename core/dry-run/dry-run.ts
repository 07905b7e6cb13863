import type { Checkpoint } from '../domain/checkpoint.ts'
import type { JournalEntry } from '../domain/run.ts'
import { RunSuspended } from '../engine/journal/durable-context.ts'
import { createWakeUps } from '../engine/journal/wake-ups.ts'
import type { RunOutcome } from '../engine/scope/flow.ts'
import { skillsOf, type SkillCaller } from '../engine/skills/skill-caller.ts'
import { createCheckpointAnswers, type Choice } from '../playbook-test/run/checkpoint-answers.ts'
import { inTurn } from '../playbook-test/run/in-turn.ts'
import { createMemoryJournal } from '../playbook-test/run/memory-journal.ts'
import { createMockedSkills, type Places } from '../playbook-test/run/mocked-skills.ts'
import { withCallsAnswered, withMockedCalls } from '../playbook-test/run/mocked-calls.ts'
import { namedSteps, stepFinder } from '../playbook-test/read/named-steps.ts'
import type { CalledByName, Fixtures, Mocks } from '../playbook-test/read/playbook-test.ts'
import { withRealTimeout } from '../playbook-test/run/real-timeout.ts'
import { rehearse } from '../playbook-test/run/rehearse.ts'
import { triesBefore } from '../playbook-test/run/tries-before.ts'
import { VirtualClock } from '../playbook-test/run/virtual-clock.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Log } from '../ports/log.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { createDryRunCaller, withoutRetries, type WouldDo } from './dry-run-caller.ts'

export interface DryRunOptions {
  readonly playbook: Playbook
  readonly catalogue: Catalogue
  readonly fixtures: Fixtures
  /** Answers instead of the other systems, for reads and for writes. */
  readonly mocks: Mocks
  /** Calls skills in earnest; only ever given those that declare to read. */
  readonly live: SkillCaller
  readonly organizationUuid?: string | undefined
  readonly log: Log
  /** What is answered to checkpoints, by name (see `NamedStep`) or by path. */
  readonly choices?: ReadonlyMap<string, Choice> | undefined
  readonly called?: CalledByName | undefined
  /** Ends it early, with all reads under way: it then has no outcome. Default: nothing does. */
  readonly signal?: AbortSignal | undefined
  readonly onEnd?: ((entry: JournalEntry) => void) | undefined
  readonly onWouldDo?: ((would: WouldDo) => void) | undefined
}

export interface DryRun {
  /** Undefined where the run stopped at a question. */
  readonly outcome: RunOutcome | undefined
  /** The question that nothing was said about. */
  readonly asked: Checkpoint | undefined
  readonly entries: readonly JournalEntry[]
  readonly wouldDo: readonly WouldDo[]
  /** By the virtual clock: how long the waits would have been. */
  readonly durationMs: number
}

/** How long a read may take in real time. */
const readTimeoutMs = 60_000

/** Runs a playbook without changing anything: reads are made, writes are told of, waits pass at once. */
export async function dryRun(options: DryRunOptions): Promise<DryRun> {
  const { playbook, catalogue, fixtures, mocks } = options
  const clock = new VirtualClock(fixtures.nowMs)
  const journal = createMemoryJournal(options.onEnd)
  const stepAt = stepFinder(namedSteps(playbook, options.called))
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
  const wouldDo: WouldDo[] = []
  const call = createDryRunCaller({
    catalogue,
    read: answers.call,
    hasFixture: answers.isMocked,
    onWouldDo: (would) => {
      wouldDo.push(would)
      options.onWouldDo?.(would)
    },
  })
  const people = questions(options, places, clock)
  const run = rehearse({
    ...people.forRun,
    called: options.called,
    playbook: withMockedCalls(playbook, mocks),
    fixtures,
    clock,
    journal: inTurn(journal.store, clock),
    skills: withCallsAnswered(skillsOf(catalogue, call), options.called ?? new Map(), answers.call),
    log: options.log,
    caseId: `${fixtures.organization.code}-1`,
    organizationUuid: options.organizationUuid,
    dryRun: true,
  })
  const outcome = await clock.drive(run.catch(stoppedHere))
  const durationMs = clock.now() - fixtures.nowMs
  return { outcome, asked: people.asked(), entries: journal.entries(), wouldDo, durationMs }
}

/** Answers as it was said beforehand, or as the mocks say; a question that nothing is said about stops the run. */
function questions({ choices, mocks, signal }: DryRunOptions, places: Places, clock: VirtualClock) {
  const stop = new AbortController()
  const wakeUps = createWakeUps()
  let open: Checkpoint | undefined
  const checkpoints = createCheckpointAnswers({
    mocks,
    ...places,
    clock,
    wakeUps,
    choose: ({ path }, name) => choices?.get(path) ?? choices?.get(name),
    onUnanswered: (checkpoint) => {
      if (open !== undefined) return
      open = checkpoint
      // Whoever is asked is told first, and other branches come as far as they can.
      void clock.sleep(0, stop.signal).then(() => stop.abort())
    },
  })
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  return { forRun: { checkpoints: checkpoints.store, wakeUps, stop: stopped }, asked: () => open }
}

function stoppedHere(error: unknown): undefined {
  if (!(error instanceof RunSuspended)) throw error
}
