import type { StoredError } from '../domain/run.ts'
import type { Clock } from '../ports/clock.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { parseTimeMs } from '../playbook/language/durations.ts'
import { storedKeyOf } from './apply-state.ts'
import { keptState, loadState, MemoryState, type StateReader } from './memory-state.ts'
import { isKeyed, type StateChange, type StateEntry, type StateRequest, type StateRule } from './state.ts'

/**
 * The state of a playbook as plain values by name, as in the fixtures of tests: the value, the number of a counter, the list of keys of
 * a set, and a map for the other kinds. A set may also be a map from keys to the times when they were added.
 */
export type PlainState = Readonly<Record<string, unknown>>

export interface PlainStateProblem {
  readonly name: string
  /** Undefined: the state is not declared. */
  readonly error: StoredError | undefined
}

/** Stores plain values, and reports those that do not fit. */
export function giveState(
  memory: MemoryState,
  { name: playbook, state }: Pick<Playbook, 'name' | 'state'>,
  given: PlainState,
  nowMs: number,
): readonly PlainStateProblem[] {
  const problems: PlainStateProblem[] = []
  for (const [name, value] of Object.entries(given)) {
    const rule = state.get(name)
    const changes = rule && changesFor(rule, value, nowMs)
    if (rule === undefined) problems.push({ name, error: undefined })
    else if (changes === undefined) problems.push({ name, error: wrongShape(rule) })
    for (const { change, at } of changes ?? []) {
      const outcome = memory.apply({ playbook, name, rule: rule!, change }, at)
      if (outcome.state === 'failed') problems.push({ name, error: outcome.error })
    }
  }
  return problems
}

export interface StateInMemory {
  readonly playbook: Pick<Playbook, 'name' | 'state'>
  readonly fixtures: { readonly state: PlainState; readonly nowMs: number }
  readonly clock: Pick<Clock, 'now'> & { hold?<T>(work: () => Promise<T>): Promise<T> }
  /** The real state, below the fixtures. Default: nothing is stored. */
  readonly reader?: StateReader | undefined
  /** Default: the real state is not read. */
  readonly organizationUuid?: string | undefined
}

/** The state for a run that changes nothing: the real one, with the fixtures and the changes of the run on top. */
export function stateInMemory({ playbook, fixtures, clock, reader, organizationUuid }: StateInMemory) {
  const memory = new MemoryState()
  giveState(memory, playbook, fixtures.state, fixtures.nowMs)
  const kept = keptState(memory, clock)
  if (reader === undefined || organizationUuid === undefined) return kept
  const from = { reader, organizationUuid }
  return {
    async apply(request: StateRequest) {
      const load = () => loadState(memory, request, from)
      await (clock.hold === undefined ? load() : clock.hold(load))
      return await kept.apply(request)
    },
  }
}

interface GivenChange {
  readonly change: StateChange
  readonly at: number
}

/** Undefined: the value does not have the shape of the kind. */
function changesFor({ kind }: StateRule, value: unknown, at: number): readonly GivenChange[] | undefined {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  switch (kind) {
    case 'value':
    case 'counter':
      return [{ change: { operation: 'set', value }, at }]
    case 'set': {
      if (Array.isArray(value))
        return value.map((key: unknown) => ({ change: { operation: 'add', key: key as string }, at }))
      const added = isMap ? Object.entries(value).map(([key, time]) => addedAt(key, time)) : [undefined]
      return added.every((each) => each !== undefined) ? added : undefined
    }
    case 'map':
    case 'counters':
      if (!isMap) return undefined
      return Object.entries(value).map(([key, each]) => ({
        change: { operation: 'set', key, value: each },
        at,
      }))
  }
}

function addedAt(key: string, time: unknown): GivenChange | undefined {
  const at = typeof time === 'string' ? parseTimeMs(time) : undefined
  return at === undefined ? undefined : { change: { operation: 'add', key }, at }
}

const shapes = {
  value: 'a value',
  counter: 'a number',
  set: 'a list of keys, or a map from keys to times',
  map: 'a map',
  counters: 'a map from keys to numbers',
} as const

const wrongShape = ({ kind }: StateRule): StoredError => ({
  code: 'state_value_invalid',
  message: `the state of a ${kind} is given as ${shapes[kind]}`,
})

/** The stored state that has not expired; hashed keys are shown as the `expected` ones. */
export function plainState(
  memory: MemoryState,
  { name: playbook, state }: Pick<Playbook, 'name' | 'state'>,
  nowMs: number,
  expected: PlainState = {},
): PlainState {
  const shown = Array.from(state).flatMap(([name, rule]) => {
    const live = [...(memory.entries(playbook, name) ?? [])].filter(
      ([, { expiresAt }]) => expiresAt === null || expiresAt > nowMs,
    )
    const value = plainValue(rule, live, namesOf(playbook, name, rule, expected[name]))
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(shown)
}

function plainValue(
  rule: StateRule,
  live: readonly (readonly [string, StateEntry])[],
  nameOf: (stored: string) => string,
): unknown {
  if (!isKeyed(rule.kind))
    return live[0] ? live[0][1].value : rule.kind === 'counter' ? 0 : rule.default?.value
  if (rule.kind === 'set') return live.map(([key]) => nameOf(key))
  return Object.fromEntries(live.map(([key, { value }]) => [nameOf(key), value]))
}

function namesOf(playbook: string, name: string, rule: StateRule, expected: unknown) {
  const keys = Array.isArray(expected) ? expected.map(String) : Object.keys(Object(expected) as object)
  const known = new Map(rule.sensitive ? keys.map((key) => [storedKeyOf(playbook, name, key), key]) : [])
  return (stored: string) => known.get(stored) ?? stored
}
