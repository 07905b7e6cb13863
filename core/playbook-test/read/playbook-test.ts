/** A checked test file: references are resolved, mocks are valid, defaults are filled in. */

import type { RunTrigger } from '../../domain/run.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { PlainState } from '../../state/given-state.ts'
import type { DifferencePart } from './compare.ts'
import type { PlaceRange } from './place.ts'

export interface PlaybookTests {
  readonly file: string | undefined
  readonly playbook: Playbook
  /** The playbooks that it calls directly or indirectly, by name. */
  readonly called: CalledByName
  /** The path in the test file. */
  readonly playbookFile: string
  readonly tests: readonly PlaybookTest[]
  /** Keys of branches that no run can take, which coverage ignores. */
  readonly unreachable: readonly Expectation<string>[]
}

export type CalledByName = ReadonlyMap<string, Playbook>

export interface PlaybookTest {
  readonly name: string
  readonly place: PlaceRange
  /** The file's fixtures with the test's changes. */
  readonly fixtures: Fixtures
  /** The file's mocks with the test's changes. */
  readonly mocks: Mocks
  readonly expect: Expectations
}

/** The state before a run. */
export interface Fixtures {
  /** When the run starts, epoch milliseconds. */
  readonly nowMs: number
  /** Undefined if the playbook starts without an alert. */
  readonly alert: AlertFixture | undefined
  /** Undefined if no event starts the run. */
  readonly trigger?: RunTrigger | undefined
  readonly organization: { readonly code: string; readonly name: string }
  /** Id and start of the run; default: fixed values. */
  readonly run?: RunFixture | undefined
  /** Id of the run's case; default: the organization's first case. */
  readonly caseId?: string | undefined
  readonly inputs: Readonly<Record<string, unknown>>
  /** The state of the playbook, by name. */
  readonly state: PlainState
}

export interface RunFixture {
  readonly id?: string | undefined
  readonly url?: string | undefined
}

export interface AlertFixture {
  readonly type: string | null
  readonly provider: string
  readonly content: string
  readonly id: string
  readonly uuid: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly createdAtSource: number | bigint | null
}

/**
 * Replies of other systems by skill (`intel_provider.get_enrichment`) and by step (`steps.<id>`, or
 * `steps.<path>` in a called playbook); the step takes precedence.
 */
export type Mocks = ReadonlyMap<string, readonly MockReply[]>

/** The reply to an attempt. The n-th attempt gets the n-th reply; later ones get the last. */
export type MockReply = {
  /** Only for inputs that contain this; takes precedence over replies without `with`. */
  readonly with: unknown
  /** Delay before the reply. Default 0. */
  readonly delayMs: number
} & ReplyContent

export type ReplyContent =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly error: MockError }
  /** Never replies. */
  | { readonly kind: 'timeout' }
  /** An alert that a wait receives. */
  | ({ readonly kind: 'event' } & MockEvent)
  /** A person's answer to a checkpoint. */
  | ({ readonly kind: 'answer' } & MockAnswer)

export interface MockEvent {
  /** Default: the first type that the step waits for. */
  readonly type: string | undefined
  /** Default: the provider that the step waits for. */
  readonly provider: string | undefined
  /** The content as JSON. */
  readonly data: unknown
  /** Of a change of a case: what differs from an example. */
  readonly change?: Readonly<Record<string, unknown>> | undefined
}

export interface MockAnswer {
  readonly answer: unknown
  /** Default: `analyst`; for one of several people, the person. */
  readonly by: string | undefined
  /** Default: an API key for a question to an operator, else the person who was asked. */
  readonly byKind: 'person' | 'api_key' | undefined
  readonly byName: string | undefined
  readonly text: string | undefined
}

export interface MockError {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Whether the engine may retry. */
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
}

/** A value from the file; `place` locates any part of it. */
export interface Expectation<T = unknown> {
  readonly value: T
  place(at?: readonly DifferencePart[]): PlaceRange
}

export const expectedStatuses = ['completed', 'failed', 'cancelled', 'not_started'] as const
export type ExpectedStatus = (typeof expectedStatuses)[number]

export interface Expectations {
  /** Default: completed, reported at the test's name. */
  readonly status: Expectation<ExpectedStatus>
  readonly path: Expectation<readonly string[]> | undefined
  readonly skipped: Expectation<readonly string[]> | undefined
  readonly calls: readonly ExpectedCall[]
  readonly case: Expectation | undefined
  readonly outputs: Expectation | undefined
  readonly state: Expectation<PlainState> | undefined
  readonly error: Expectation | undefined
  readonly duration: Expectation<ExpectedTimeRange> | undefined
  /** Epoch milliseconds of the next times of the schedule. */
  readonly nextRuns: Expectation<readonly number[]> | undefined
  /** The compared values of each rule of `on.alert.correlate` that applies. */
  readonly correlation: Expectation<readonly unknown[]> | undefined
  /** The containments that the run leaves, as `MadeContainment`. */
  readonly containments: Expectation<readonly unknown[]> | undefined
}

/** Expected calls of a skill or a step. */
export interface ExpectedCall {
  readonly skill: string | undefined
  readonly step: string | undefined
  readonly place: PlaceRange
  /** Number of steps or items that called; default: at least one. */
  readonly times: Expectation<number> | undefined
  /** Total number of attempts. */
  readonly attempts: Expectation<number> | undefined
  /** Counts only calls whose input contains this. */
  readonly with: Expectation | undefined
  /** Time of the first such call since the start of the run. */
  readonly at: Expectation<ExpectedTimeRange> | undefined
}

/** Milliseconds, both inclusive. */
export interface ExpectedTimeRange {
  readonly minMs: number
  readonly maxMs: number
}
