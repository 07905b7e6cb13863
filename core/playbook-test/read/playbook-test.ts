/** A checked file of tests: every reference resolved, every mock known to fit, defaults filled in. */

import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Part } from './compare.ts'
import type { PlaceRange } from './place.ts'

export interface PlaybookTests {
  readonly file: string | undefined
  readonly playbook: Playbook
  /** Those that it calls, and that they call, by name. */
  readonly called: CalledByName
  /** As the file names it. */
  readonly playbookFile: string
  readonly tests: readonly PlaybookTest[]
  /** Keys of branches that no run can take: coverage does not ask for them. */
  readonly unreachable: readonly Expected<string>[]
}

export type CalledByName = ReadonlyMap<string, Playbook>

export interface PlaybookTest {
  readonly name: string
  readonly place: PlaceRange
  /** Of the file, with what the test changes. */
  readonly fixtures: Fixtures
  /** The same. */
  readonly mocks: Mocks
  readonly expect: Expectations
}

/** The world before a run. */
export interface Fixtures {
  /** When the run starts, epoch milliseconds. */
  readonly nowMs: number
  /** Undefined where the playbook is started without one. */
  readonly alert: AlertFixture | undefined
  readonly organization: { readonly code: string; readonly name: string }
  /** Of the run; default: the same ones always. */
  readonly run?: RunFixture | undefined
  /** Of the run's case; default: the first one of the organization. */
  readonly caseId?: string | undefined
  readonly inputs: Readonly<Record<string, unknown>>
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

/** What stands for other systems: by skill (`intel_provider.get_enrichment`) and by step (`steps.<id>`, or `steps.<path>` in a called playbook), which comes first. */
export type Mocks = ReadonlyMap<string, readonly Reply[]>

/** What one try is answered. The n-th try gets the n-th reply, the last one stays. */
export type Reply = {
  /** Only for inputs that hold this; a reply with it comes before those without. */
  readonly with: unknown
  /** Before the answer. Default 0. */
  readonly delayMs: number
} & ReplyContent

export type ReplyContent =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly error: MockError }
  /** No answer ever. */
  | { readonly kind: 'timeout' }
  /** Of a person, to a checkpoint. */
  | ({ readonly kind: 'answer' } & MockAnswer)

export interface MockAnswer {
  readonly answer: unknown
  readonly by: string
  /** Undefined: an API key where an operator is asked, else the person who was asked. */
  readonly byKind: 'person' | 'api_key' | undefined
  readonly byName: string | undefined
  readonly text: string | undefined
}

export interface MockError {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Whether the engine may try again. */
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
}

/** A value from the file; `place` finds any part of it. */
export interface Expected<T = unknown> {
  readonly value: T
  place(at?: readonly Part[]): PlaceRange
}

export const expectedStatuses = ['completed', 'failed', 'cancelled', 'not_started'] as const
export type ExpectedStatus = (typeof expectedStatuses)[number]

export interface Expectations {
  /** Default: completed, shown at the test's name. */
  readonly status: Expected<ExpectedStatus>
  readonly path: Expected<readonly string[]> | undefined
  readonly skipped: Expected<readonly string[]> | undefined
  readonly calls: readonly ExpectedCall[]
  readonly case: Expected | undefined
  readonly outputs: Expected | undefined
  readonly error: Expected | undefined
  readonly duration: Expected<TimeRange> | undefined
}

/** Of one skill, or of one step. */
export interface ExpectedCall {
  readonly skill: string | undefined
  readonly step: string | undefined
  readonly place: PlaceRange
  /** Steps, or items, that called; default: at least one. */
  readonly times: Expected<number> | undefined
  /** Tries of all of them together. */
  readonly attempts: Expected<number> | undefined
  /** Only calls whose input holds this count. */
  readonly with: Expected | undefined
  /** Since the start of the run, of the first such call. */
  readonly at: Expected<TimeRange> | undefined
}

/** Milliseconds, both inclusive. */
export interface TimeRange {
  readonly minMs: number
  readonly maxMs: number
}
