import { setImmediate as turn } from 'node:timers/promises'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import { interruptedPolicy } from '../../engine/skills/skill-caller.ts'
import { runIdOf, startsFor } from './rehearse.ts'
import {
  createWorld,
  resultOf,
  startProcess,
  type RunnableTest,
  type TestRun,
  type TestWorld,
} from './run-test.ts'
import { plainState } from '../../state/given-state.ts'
import { compareValues } from '../read/compare.ts'
import { traceOf, showTrace } from '../coverage/trace.ts'

/** A result that differs after a crash. */
export interface CrashFailure {
  /** The write after which the process crashed, from 1. */
  readonly write: number
  readonly message: string
}

export interface CrashReport {
  /** Number of simulated crashes: one after each write. */
  readonly crashes: number
  readonly failures: readonly CrashFailure[]
}

class Crash extends Error {}

/**
 * Repeats a test with a crash after each journal write, after which a second process resumes. The path, the
 * case, the end, and the idempotency keys with their inputs must equal those of the run without a crash.
 */
export async function crashEverywhere(test: RunnableTest, catalogue: Catalogue): Promise<CrashReport> {
  if (startsFor(test.playbook, test.fixtures) !== true) return { crashes: 0, failures: [] }
  const counted = createWorld(test, catalogue)
  const counter = dyingJournal(counted.journal.store, Infinity)
  const reference = resultOf(counted, await startProcess(counted, counter.store))
  const crashes = counter.writes()
  const failures: CrashFailure[] = []
  for (let write = 1; write <= crashes; write++) {
    const run = await runWithCrash(createWorld(test, catalogue), write)
    for (const message of changes(test, reference, run)) failures.push({ write, message })
  }
  return { crashes, failures }
}

async function runWithCrash(world: TestWorld, write: number): Promise<TestRun> {
  const stop = new AbortController()
  // The crash ends everything in the process; otherwise, pending waits would let time pass before the next
  // process starts.
  const { store } = dyingJournal(world.journal.store, write, () => stop.abort())
  try {
    const outcome = await startProcess(world, store, stop.signal)
    if (!stop.signal.aborted) return resultOf(world, outcome)
  } catch (error) {
    if (!stop.signal.aborted) throw error
  }
  await turn()
  decideForThePerson(world)
  return resultOf(world, await startProcess(world, world.journal.store))
}

/**
 * Counts writes and crashes with the n-th: it is durable, but never acknowledged, and nothing is written
 * after it.
 */
function dyingJournal(store: JournalStore, at: number, onDeath: () => void = () => undefined) {
  let writes = 0
  const die = (): never => {
    onDeath()
    throw new Crash()
  }
  const write = async <T>(commit: () => Promise<T>): Promise<T> => {
    const number = ++writes
    if (number > at) die()
    const result = await commit()
    return number === at ? die() : result
  }
  const dying: JournalStore = {
    ...store,
    begin: (run, entry) => write(() => store.begin(run, entry)),
    admit: (run, path, start, waits) => write(() => store.admit(run, path, start, waits)),
    withdraw: (run, path) => write(() => store.withdraw(run, path)),
    attemptFailed: (run, attempt) => write(() => store.attemptFailed(run, attempt)),
    end: (run, path, end) => write(() => store.end(run, path, end)),
    record: (run, entry, end) => write(() => store.record(run, entry, end)),
    recordState: (run, entry, request) => write(() => store.recordState(run, entry, request)),
  }
  return { store: dying, writes: () => writes }
}

/**
 * A write that must not be repeated waits for a person's decision. The test knows whether it ran: if so, it
 * records the result, else it lets the step run.
 */
function decideForThePerson({ test, journal, skills, clock, catalogue }: TestWorld): void {
  for (const { path, kind, state, attempt } of journal.entries()) {
    if (state !== 'started' || catalogue.skill(kind) === undefined) continue
    if (interruptedPolicy(catalogue, kind) !== 'ask') continue
    const effect = skills.effect(`${runIdOf(test.fixtures)}/${path}`)
    if (effect === undefined) journal.forgetIntent(path)
    else journal.decide(path, { output: effect.output, attempt, endedAt: clock.now() })
  }
}

function changes(test: RunnableTest, before: TestRun, after: TestRun): readonly string[] {
  const trace = (run: TestRun) => showTrace(traceOf(test.playbook, run.entries))
  const keys = (run: TestRun) =>
    Object.fromEntries(
      run.calls.map(({ idempotencyKey, input }) => [idempotencyKey, input] as const).toSorted(byKey),
    )
  const found: string[] = []
  if (trace(before) !== trace(after)) found.push(`the path was ${trace(after)}`)
  const compared = [
    ['the end', before.outcome, after.outcome],
    ['the case', { ...before.case, notes: before.notes }, { ...after.case, notes: after.notes }],
    ['the state', stateAt(before), stateAt(after)],
    ['the calls by idempotency key', keys(before), keys(after)],
  ] as const
  for (const [what, expected, got] of compared) {
    const [difference] = [...compareValues(expected, got), ...compareValues(got, expected).map(swapped)]
    if (difference)
      found.push(`${what}: ${difference.at.join('.')} was ${difference.got}, not ${difference.expected}`)
  }
  return found
}

const swapped = <T extends { readonly expected: string; readonly got: string }>(difference: T): T => ({
  ...difference,
  expected: difference.got,
  got: difference.expected,
})

const stateAt = ({ state, playbook, startedAtMs, durationMs }: TestRun) =>
  plainState(state, playbook, startedAtMs + durationMs)

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b)
