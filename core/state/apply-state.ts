import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Stepwise } from './stepwise.ts'
import { stringifyJson } from '../common/json.ts'
import type { StoredError } from '../domain/run.ts'
import { storedTocsinError } from '../engine/journal/stored-error.ts'
import { TocsinError } from '../plugin/index.ts'
import { inputProblems } from '../playbook/template/inputs.ts'
import {
  bytesOf,
  isCounting,
  isKeyed,
  stateLimits,
  type StateAccess,
  type StateChange,
  type StateEntry,
  type StateRequest,
  type StateRule,
} from './state.ts'

export type StateOutcome =
  | { readonly state: 'completed'; readonly output: unknown }
  | { readonly state: 'failed'; readonly error: StoredError }

/**
 * Reads or changes the state of a playbook, inside of the write that records the outcome. Every adapter applies it. Errors:
 * `state_mismatch`, `state_value_invalid`, `state_key_invalid`, `state_too_large`, `state_full`, `state_quota_reached`.
 */
export function* applyState<Ask, Answer>(
  request: StateRequest,
  access: StateAccess<Ask, Answer>,
  now: number,
): Stepwise<StateOutcome, Ask, Answer> {
  try {
    return { state: 'completed', output: yield* outputOf(request, access, now) }
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    return { state: 'failed', error: storedTocsinError(error) }
  }
}

function* outputOf<Ask, Answer>(
  request: StateRequest,
  access: StateAccess<Ask, Answer>,
  now: number,
): Stepwise<unknown, Ask, Answer> {
  const { playbook } = request
  if ('read' in request) {
    const values: [name: string, value: unknown][] = []
    for (const [name, rule] of Object.entries(request.read)) {
      const found = yield* currentOf({ playbook, name, rule, access, now }, '')
      if (found !== undefined) values.push([name, found.value])
    }
    return Object.fromEntries(values)
  }
  return yield* changeState({ ...request, access, now }, request.change)
}

/** One state of a playbook. */
interface Place<Ask, Answer> {
  readonly playbook: string
  readonly name: string
  readonly rule: StateRule
  readonly access: StateAccess<Ask, Answer>
  readonly now: number
}

function* changeState<Ask, Answer>(
  place: Place<Ask, Answer>,
  change: StateChange,
): Stepwise<unknown, Ask, Answer> {
  const { access, name, rule, now } = place
  const key = storedKey(place, change.key)
  switch (change.operation) {
    case 'set':
      return yield* set(place, key, change)
    case 'increment': {
      if (!Number.isSafeInteger(change.by)) throw invalid(place, 'a counter is changed by a whole number')
      const entry = yield* liveEntry(place, key)
      const value = numberOf(entry) + change.by
      if (!Number.isSafeInteger(value)) throw invalid(place, 'the counter would exceed 9,007,199,254,740,991')
      yield* store(place, key, entry === undefined ? newEntry(place, value) : { ...entry, value })
      return { value }
    }
    case 'add': {
      const entry = yield* liveEntry(place, key)
      if (entry === undefined) yield* store(place, key, newEntry(place, null))
      return { new: entry === undefined, added_at: new Date(entry?.addedAt ?? now).toISOString() }
    }
    case 'get':
      return yield* get(place, key)
    case 'delete': {
      const entry = yield* liveEntry(place, key)
      if ((yield* access.size(name))?.kind === rule.kind) yield* access.remove(name, key)
      return { deleted: entry !== undefined }
    }
  }
}

function* set<Ask, Answer>(
  place: Place<Ask, Answer>,
  key: string,
  { value, expected }: Extract<StateChange, { operation: 'set' }>,
): Stepwise<unknown, Ask, Answer> {
  requireFit(place, value)
  if (expected !== undefined) {
    const current = (yield* currentOf(place, key))?.value ?? null
    if (!isDeepStrictEqual(current, expected.value)) return { ok: false, value: current }
  } else yield* requireKind(place)
  yield* store(place, key, newEntry(place, value))
  return { ok: true, value }
}

function* get<Ask, Answer>(place: Place<Ask, Answer>, key: string): Stepwise<unknown, Ask, Answer> {
  const { kind } = place.rule
  const entry = yield* liveEntry(place, key)
  if (kind === 'set')
    return { found: entry !== undefined, added_at: entry ? new Date(entry.addedAt).toISOString() : null }
  const value = (yield* currentOf(place, key))?.value ?? null
  return kind === 'counters' ? { value } : { found: entry !== undefined, value }
}

/** The value as playbooks see it: the stored value or the default; undefined: absent. */
function* currentOf<Ask, Answer>(
  place: Place<Ask, Answer>,
  key: string,
): Stepwise<{ readonly value: unknown } | undefined, Ask, Answer> {
  const { rule } = place
  const entry = yield* liveEntry(place, key)
  if (isCounting(rule.kind)) return { value: numberOf(entry) }
  return entry ?? rule.default
}

/** The entry, unless it has expired or does not fit and is reset. */
function* liveEntry<Ask, Answer>(
  place: Place<Ask, Answer>,
  key: string,
): Stepwise<StateEntry | undefined, Ask, Answer> {
  const { access, name, rule, now } = place
  if (!(yield* requireKind(place))) return undefined
  const entry = yield* access.entry(name, key)
  if (entry === undefined || (entry.expiresAt !== null && entry.expiresAt <= now)) return undefined
  if (fits(rule, entry.value)) return entry
  if (rule.onMismatch === 'fail') throw mismatch(place, 'a stored value does not fit its schema')
  yield* access.remove(name, key)
  return undefined
}

const fits = ({ kind, schema }: StateRule, value: unknown): boolean =>
  isCounting(kind)
    ? typeof value === 'number'
    : kind === 'set' || schema === undefined || inputProblems(schema, value).length === 0

const numberOf = (entry: StateEntry | undefined): number => (entry?.value as number | undefined) ?? 0

/** Whether a value is stored. A value that an earlier version stored as another kind is reset or refused. */
function* requireKind<Ask, Answer>(place: Place<Ask, Answer>): Stepwise<boolean, Ask, Answer> {
  const { access, name, rule } = place
  const stored = yield* access.size(name)
  if (stored === undefined) return false
  if (stored.kind === rule.kind && stored.isSensitive === rule.sensitive) return true
  if (rule.onMismatch === 'fail') {
    const was =
      stored.kind === rule.kind
        ? `it was stored as ${stored.isSensitive ? '' : 'not '}sensitive`
        : `it was stored as kind ${stored.kind}, and is declared as ${rule.kind}`
    throw mismatch(place, was)
  }
  yield* access.reset(name)
  return false
}

function newEntry({ rule, now }: Place<unknown, unknown>, value: unknown): StateEntry {
  return { value, addedAt: now, expiresAt: rule.expiresMs === undefined ? null : now + rule.expiresMs }
}

function* store<Ask, Answer>(
  place: Place<Ask, Answer>,
  key: string,
  entry: StateEntry,
): Stepwise<void, Ask, Answer> {
  const { access, name, rule } = place
  const bytes = bytesOf(key, entry.value)
  if (bytes > stateLimits.valueBytes) {
    throw new TocsinError(
      'state_too_large',
      `the value for '${name}' has ${bytes} bytes; the limit is ${stateLimits.valueBytes}`,
      { hint: 'store less, such as an id or a hash' },
    )
  }
  yield* requireQuota(place, key, bytes)
  if (isKeyed(rule.kind) && (yield* access.entry(name, key)) === undefined) yield* makeRoom(place)
  yield* access.put(name, key, entry, { kind: rule.kind, sensitive: rule.sensitive })
}

/** Makes room for one more entry. */
function* makeRoom<Ask, Answer>(place: Place<Ask, Answer>): Stepwise<void, Ask, Answer> {
  const { access, name, rule, now } = place
  if (!(yield* isFull(place))) return
  yield* access.trim(name, now, Infinity)
  if (!(yield* isFull(place))) return
  if (rule.whenFull === 'fail') {
    throw new TocsinError('state_full', `'${name}' has ${rule.max} entries, and cannot have more`, {
      hint: 'raise its max, let entries expire earlier, or declare when_full: drop_oldest',
      details: { state: name },
    })
  }
  yield* access.trim(name, now, rule.max - 1)
}

function* isFull<Ask, Answer>({ access, name, rule }: Place<Ask, Answer>): Stepwise<boolean, Ask, Answer> {
  return ((yield* access.size(name))?.entries ?? 0) >= rule.max
}

function* requireQuota<Ask, Answer>(
  { access, name, now }: Place<Ask, Answer>,
  key: string,
  bytes: number,
): Stepwise<void, Ask, Answer> {
  const more = function* (): Stepwise<number, Ask, Answer> {
    const entry = yield* access.entry(name, key)
    return entry === undefined ? bytes : bytes - bytesOf(key, entry.value)
  }
  const wanted = yield* more()
  if (wanted <= 0 || (yield* exceededQuota(access, wanted)) === undefined) return
  yield* access.trim(name, now, Infinity)
  const exceeded = yield* exceededQuota(access, yield* more())
  if (exceeded === undefined) return
  const [of, limit] = exceeded
  throw new TocsinError(
    'state_quota_reached',
    `the state of the ${of} has reached its limit of ${limit} bytes`,
    {
      hint: `store less in '${name}', let entries expire, or reset unused states`,
      details: { state: name },
    },
  )
}

function* exceededQuota<Ask, Answer>(
  access: StateAccess<Ask, Answer>,
  more: number,
): Stepwise<readonly [of: string, limit: number] | undefined, Ask, Answer> {
  const used = yield* access.usage()
  const { playbookBytes, organizationBytes } = stateLimits
  if (used.playbook + more > playbookBytes) return ['playbook', playbookBytes]
  return used.organization + more > organizationBytes ? ['organization', organizationBytes] : undefined
}

function requireFit(place: Place<unknown, unknown>, value: unknown): void {
  const { rule } = place
  if (isCounting(rule.kind)) {
    if (!Number.isSafeInteger(value)) throw invalid(place, 'a counter is a whole number')
    return
  }
  const [problem] = inputProblems(rule.schema ?? {}, value)
  if (problem !== undefined) {
    throw invalid(place, `the value ${`${problem.pointer.slice(1)} `.trimStart()}${problem.message}`)
  }
}

/** Keys of sensitive states are stored as hashes. */
function storedKey(place: Place<unknown, unknown>, key: string | undefined): string {
  const { playbook, name, rule } = place
  if (!isKeyed(rule.kind)) return ''
  const problem =
    typeof key !== 'string'
      ? 'it is not a string'
      : key === ''
        ? 'it is empty'
        : key.length > stateLimits.keyLength
          ? `it has ${key.length} characters`
          : undefined
  if (problem !== undefined || key === undefined) {
    throw new TocsinError(
      'state_key_invalid',
      `a key of '${name}' is a string of 1 to ${stateLimits.keyLength} characters; ${problem}`,
      { hint: 'write string(…) for a number, and sha256(…) for a long text', details: { state: name } },
    )
  }
  return rule.sensitive ? storedKeyOf(playbook, name, key) : key
}

/** The stored hash of a key of a sensitive state. */
export const storedKeyOf = (playbook: string, name: string, key: string): string =>
  createHash('sha256')
    .update(stringifyJson([playbook, name, key]))
    .digest('hex')

const invalid = ({ name }: Place<unknown, unknown>, why: string): TocsinError =>
  new TocsinError('state_value_invalid', `cannot store this in '${name}': ${why}`, {
    details: { state: name },
  })

/** The data was stored by a version of the playbook with another declaration. */
const mismatch = ({ playbook, name }: Place<unknown, unknown>, why: string): TocsinError =>
  new TocsinError('state_mismatch', `the stored state '${name}' does not fit its declaration: ${why}`, {
    hint: `reset it with tocsin state reset ${playbook} ${name} or on the page of the playbook, or declare on_mismatch: reset`,
    details: { playbook, state: name },
  })
