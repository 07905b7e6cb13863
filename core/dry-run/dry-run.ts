import type { JournalEntry } from '../domain/run.ts'
import type { RunOutcome } from '../engine/flow.ts'
import { interruptedPolicy, type SkillCaller } from '../engine/skill-caller.ts'
import { createMemoryJournal } from '../playbook-test/memory-journal.ts'
import { createMockedSkills } from '../playbook-test/mocked-skills.ts'
import { placedSteps, withoutItems } from '../playbook-test/placed-steps.ts'
import type { Fixtures, Mocks } from '../playbook-test/playbook-test.ts'
import { withRealTimeout } from '../playbook-test/real-timeout.ts'
import { rehearse } from '../playbook-test/rehearse.ts'
import { VirtualClock } from '../playbook-test/virtual-clock.ts'
import type { Playbook } from '../playbook/playbook.ts'
import type { Log } from '../ports.ts'
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
  readonly onEnd?: ((entry: JournalEntry) => void) | undefined
  readonly onWouldDo?: ((would: WouldDo) => void) | undefined
}

export interface DryRun {
  readonly outcome: RunOutcome
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
  const ids = new Map(placedSteps(playbook).map(({ path, step }) => [path, step.id]))
  const live = withoutRetries(withRealTimeout(options.live, readTimeoutMs))
  const answers = createMockedSkills({
    catalogue,
    mocks,
    clock,
    stepId: (path) => ids.get(withoutItems(path)) ?? null,
    failures: (path) => journal.failedAttempts(path).length,
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
  const run = rehearse({
    playbook,
    fixtures,
    clock,
    journal: journal.store,
    skills: { call, interrupted: (skill) => interruptedPolicy(catalogue, skill) },
    log: options.log,
    caseId: `${fixtures.organization.code}-1`,
    organizationUuid: options.organizationUuid,
    dryRun: true,
  })
  const outcome = await clock.drive(run)
  return { outcome, entries: journal.entries(), wouldDo, durationMs: clock.now() - fixtures.nowMs }
}
