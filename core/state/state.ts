import type { Stepwise } from './stepwise.ts'
import { stringifyJson } from '../common/json.ts'
import type { Type } from '../expression/index.ts'
import type { JsonSchema } from '../plugin/index.ts'

/** The state that a playbook can keep between runs. `set`, `map` and `counters` have entries by key. */
export const stateKinds = ['value', 'counter', 'set', 'map', 'counters'] as const
export type StateKind = (typeof stateKinds)[number]

export const stateOperations = ['set', 'increment', 'add', 'get', 'delete'] as const
export type StateOperation = (typeof stateOperations)[number]

/** The operations of each kind. */
export const operationsOfKind: Readonly<Record<StateKind, readonly StateOperation[]>> = {
  value: ['set', 'delete'],
  counter: ['increment', 'set', 'delete'],
  set: ['add', 'get', 'delete'],
  map: ['set', 'get', 'delete'],
  counters: ['increment', 'set', 'get', 'delete'],
}

export const isKeyed = (kind: StateKind): boolean => kind !== 'value' && kind !== 'counter'
export const isCounting = (kind: StateKind): boolean => kind === 'counter' || kind === 'counters'

export const stateLimits = {
  /** Names that a playbook declares. */
  names: 50,
  /** Characters of a key. */
  keyLength: 256,
  /** Bytes of one value as JSON. */
  valueBytes: 64 * 1_024,
  /** Inclusive bounds of `max`, and its default. */
  entries: [1, 100_000],
  defaultEntries: 10_000,
  /** Bytes of keys and values. */
  playbookBytes: 16 * 1_048_576,
  organizationBytes: 256 * 1_048_576,
} as const

/** The declaration of a state, as the store needs it. */
export interface StateRule {
  readonly kind: StateKind
  /** Of a value, and of the values of a map. */
  readonly schema: JsonSchema | undefined
  /** Undefined: a value that was never set is absent. */
  readonly default: { readonly value: unknown } | undefined
  /** An entry expires this long after it was added or set. Undefined: never. */
  readonly expiresMs: number | undefined
  /** Number of entries. */
  readonly max: number
  readonly whenFull: 'drop_oldest' | 'fail'
  /** For stored data that does not fit the declaration. */
  readonly onMismatch: 'fail' | 'reset'
  /** Values are stored encrypted, and keys as hashes. */
  readonly sensitive: boolean
}

/** By name. */
export type PlaybookState = ReadonlyMap<string, StateDeclaration>

/** A state that a playbook keeps between runs, per organization. */
export interface StateDeclaration extends StateRule {
  /** Of a value, of the values of a map, or of a counter. */
  readonly type: Type
  readonly description: string | undefined
}

/** A request of a step to the state of its playbook. */
export type StateRequest = { readonly playbook: string } & (
  | { readonly read: Readonly<Record<string, StateRule>> }
  | { readonly name: string; readonly rule: StateRule; readonly change: StateChange }
)

/** An operation on one state; `key` for the kinds with entries. */
export type StateChange =
  | {
      readonly operation: 'set'
      readonly key?: string
      readonly value: unknown
      /** Set only if this is the current value; null: absent. */
      readonly expected?: { readonly value: unknown }
    }
  | { readonly operation: 'increment'; readonly key?: string; readonly by: number }
  | { readonly operation: 'add'; readonly key: string }
  | { readonly operation: 'get'; readonly key: string }
  | { readonly operation: 'delete'; readonly key?: string }

/** A stored entry; times in epoch milliseconds. */
export interface StateEntry {
  /** Null for a set. */
  readonly value: unknown
  readonly addedAt: number
  readonly expiresAt: number | null
}

/** The size of a stored state; bytes of keys and values. */
export interface StateSize {
  readonly kind: StateKind
  readonly isSensitive: boolean
  readonly entries: number
  readonly bytes: number
}

/** The stored state of one playbook in one organization, inside of a write. */
export interface StateAccess<Ask, Answer> {
  /** Undefined: nothing is stored under the name. */
  size(name: string): Stepwise<StateSize | undefined, Ask, Answer>
  /** `key` is empty for the kinds without entries. Returns expired entries too. */
  entry(name: string, key: string): Stepwise<StateEntry | undefined, Ask, Answer>
  /** Adds or replaces an entry. */
  put(
    name: string,
    key: string,
    entry: StateEntry,
    rule: Pick<StateRule, 'kind' | 'sensitive'>,
  ): Stepwise<void, Ask, Answer>
  remove(name: string, key: string): Stepwise<void, Ask, Answer>
  /** Removes all entries and the name. */
  reset(name: string): Stepwise<void, Ask, Answer>
  /** Removes the expired entries; then the oldest until `keep` are left. */
  trim(name: string, now: number, keep: number): Stepwise<void, Ask, Answer>
  /** Bytes of all states of the playbook, and of the organization. */
  usage(): Stepwise<{ readonly playbook: number; readonly organization: number }, Ask, Answer>
}

export const bytesOf = (key: string, value: unknown): number =>
  Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(stringifyJson(value)))

/** Whether the journaled input of a `state` step changes something. */
export const changesState = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && !Object.hasOwn(input, 'read') && !Object.hasOwn(input, 'get')
