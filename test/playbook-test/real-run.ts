import { serverLimits } from '../../core/destructive/policy.ts'
import { createWakeUps, type WakeUps } from '../../core/engine/journal/wake-ups.ts'
import { interpret } from '../../core/engine/steps/interpreter.ts'
import { openLocalContext } from '../../core/engine/context/local-context.ts'
import { followUpsOf, skillsOf, type SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { maskedEntry, maskedInputs, maskedOutput } from '../../core/engine/skills/masked-run.ts'
import { giveState } from '../../core/state/given-state.ts'
import { keptState, MemoryState } from '../../core/state/memory-state.ts'
import { createMemoryJournal } from '../../core/playbook-test/run/memory-journal.ts'
import type { MemoryCheckpoints } from '../../core/playbook-test/run/memory-checkpoints.ts'
import type { CalledByName, Fixtures } from '../../core/playbook-test/read/playbook-test.ts'
import { noConnections, reachesOut } from '../../core/playbook-test/run/run-test.ts'
import type { VirtualClock } from '../../core/playbook-test/run/virtual-clock.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { testCases } from '../../core/plugin/testing/memory-stores.ts'
import type { JournalStore } from '../../core/ports/runs/journal-store.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { createSkillCaller } from '../../core/skill/call/caller.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'

const noWayOut = { send: () => Promise.reject(new Error('no way out')) }

const organizationUuid = '00000000-0000-4000-8000-00000000000b'

export interface RealRun {
  readonly uuid: string
  readonly playbook: Playbook
  readonly called?: CalledByName
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly clock: VirtualClock
  /** Of skills with a connection. */
  readonly call: SkillCaller
  readonly checkpoints: MemoryCheckpoints
  readonly wakeUps?: WakeUps
  /** Whether a use of a destructive skill needs an approval. */
  readonly isHeld?: (path: string) => boolean
}

/** The API's answer for a run of the engine, with server-like ids, addresses and cases. */
export async function realRun(options: RealRun) {
  const { uuid, playbook, called = new Map(), fixtures, catalogue, clock, checkpoints } = options
  const state = new MemoryState()
  giveState(state, playbook, fixtures.state, fixtures.nowMs)
  const memory = createMemoryJournal({ clock, state: keptState(state, clock) })
  const cases = testCases('ACME', 'The case', 'ACME-17')
  await cases.create('', { title: 'another' }, { kind: 'server' } as never, 'another')
  const silence = { debug() {}, info() {}, warn() {}, error() {} }
  const journal: JournalStore = {
    ...memory.store,
    begin: async (run, begin) =>
      begin.destructive?.checks !== undefined && options.isHeld?.(begin.path) === true
        ? { class: begin.destructive.class, uses: 10, wanted: 1, limit: 10, isExceeded: true, rule: null }
        : await memory.store.begin(run, begin),
  }
  const context = await openLocalContext({
    run: { uuid, startedAt: fixtures.nowMs },
    journal,
    clock,
    log: silence,
    checkpoints: checkpoints.store,
    wakeUps: options.wakeUps ?? createWakeUps(),
    destructiveLimits: serverLimits(),
  })
  const local = createSkillCaller({
    catalogue,
    stores: { cases, connections: noConnections },
    performTask: createPerformTask({ catalogue, egress: noWayOut, clock }),
    log: silence,
  })
  const call: SkillCaller = (asked) =>
    reachesOut(catalogue, asked.skill) ? options.call(asked) : clock.hold(() => local(asked))
  const { alert, organization, inputs, nowMs } = fixtures
  const scope = alert && {
    id: alert.id,
    uuid: alert.uuid,
    type: alert.type,
    provider: alert.provider,
    content: alert.content,
    created_at: alert.createdAt,
    created_at_source: alert.createdAtSource,
    data: dataIn(alert.content),
  }
  const names = {
    ...(scope && { alert: scope }),
    inputs,
    organization,
    case: { id: 'ACME-17' },
    run: { url: `https://tocsin.example/runs/${uuid}`, dry_run: false },
  }
  const playbooks = {
    newest: (name: string) => called.get(name)?.hash,
    load: async (hash: string) => called.values().find((each) => each.hash === hash)!,
  }
  const work = interpret(
    playbook,
    {
      run: { uuid, organizationUuid, playbookName: playbook.name, openCase: async () => 'ACME-17' },
      names,
      playbooks,
    },
    context,
    { ...skillsOf(catalogue, call), followUps: (skill) => followUpsOf(catalogue, skill) },
  )
  const outcome = await clock.drive(work.then(async (ended) => (await context.settled(), ended)))
  // As shown by the API.
  const run = {
    inputs: maskedInputs(playbook, inputs),
    output: maskedOutput(playbook, outcome.output),
    error: outcome.error,
    steps: memory
      .entries()
      .map((kept) => maskedEntry(kept, catalogue))
      .map((entry) => ({
        path: entry.path,
        step_id: entry.stepId,
        kind: entry.kind,
        state: entry.state,
        attempt: entry.attempt,
        started_at: entry.startedAt,
        ended_at: entry.endedAt,
        input: entry.input ?? null,
        output: entry.output ?? null,
        error: entry.error,
        failed_attempts: memory.failedAttempts(entry.path).map(({ attempt, error }) => ({ attempt, error })),
      })),
  }
  return {
    ...run,
    run_uuid: uuid,
    organization_code: organization.code,
    playbook: playbook.name,
    playbook_hash: playbook.hash,
    alert_id: alert?.id ?? null,
    case_id: 'ACME-17',
    status: outcome.status,
    started_at: nowMs,
  }
}

function dataIn(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return null
  }
}

/** What `GET /alerts/<id>` answers. */
export const alertView = ({ alert }: Fixtures) =>
  alert && {
    alert_content: alert.content,
    alert_provider: alert.provider,
    alert_type: alert.type,
    alert_id: alert.id,
    alert_uuid: alert.uuid,
    created_at: alert.createdAt,
    created_at_source: alert.createdAtSource,
  }
