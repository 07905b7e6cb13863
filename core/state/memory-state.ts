import { finished } from './stepwise.ts'
import type { Clock } from '../ports/clock.ts'
import { applyState, storedKeyOf, type StateOutcome } from './apply-state.ts'
import {
  bytesOf,
  isKeyed,
  type StateAccess,
  type StateEntry,
  type StateRequest,
  type StateRule,
  type StateSize,
} from './state.ts'

interface Stored extends Pick<StateSize, 'kind' | 'isSensitive'> {
  readonly entries: Map<string, StateEntry>
  /** Keys that were loaded; undefined if it has no base. */
  readonly loaded: Set<string> | undefined
  /** Entries of the base that are not loaded. */
  unloaded: number
  /** Of all entries. */
  bytes: number
}

/** Where a dry run reads the real state. */
export interface StateReader {
  size(organizationUuid: string, playbook: string, name: string): Promise<StateSize | undefined>
  entry(
    organizationUuid: string,
    playbook: string,
    name: string,
    key: string,
  ): Promise<StateEntry | undefined>
}

/** The state for a journal in memory, by its clock. */
export const keptState = (state: MemoryState, clock: Pick<Clock, 'now'>) => ({
  apply: async (request: StateRequest) => {
    const at = clock.now()
    return { ...state.apply(request, at), at }
  },
})

/** Loads the entries that a request needs from another store. */
export async function loadState(
  memory: MemoryState,
  request: StateRequest,
  { reader, organizationUuid }: { readonly reader: StateReader; readonly organizationUuid: string },
): Promise<void> {
  const { playbook } = request
  const asked =
    'read' in request
      ? Object.keys(request.read).map((name) => ({ name, key: '' }))
      : [{ name: request.name, key: keyIn(request) }]
  for (const { name, key } of asked) {
    const size = await reader.size(organizationUuid, playbook, name)
    const entry = size && (await reader.entry(organizationUuid, playbook, name, key))
    if (size !== undefined) memory.load(playbook, name, size, key, entry)
  }
}

function keyIn({ playbook, name, rule, change }: Exclude<StateRequest, { readonly read: unknown }>): string {
  const { key = '' } = change
  if (!isKeyed(rule.kind)) return ''
  return rule.sensitive ? storedKeyOf(playbook, name, key) : key
}

/** States in memory, for tests and dry runs. */
export class MemoryState {
  readonly #states = new Map<string, Map<string, Stored>>()

  apply(request: StateRequest, now: number): StateOutcome {
    return finished(applyState(request, this.access(request.playbook), now))
  }

  /** The entries of a state, in the order in which they were added; undefined: nothing is stored. */
  entries(playbook: string, name: string): ReadonlyMap<string, StateEntry> | undefined {
    return this.#states.get(playbook)?.get(name)?.entries
  }

  /** Adds the entries of another store, unless they exist here. */
  load(playbook: string, name: string, size: StateSize, key: string, entry: StateEntry | undefined): void {
    const names = this.#names(playbook)
    const known = names.get(name)
    const { kind, isSensitive, entries, bytes } = size
    const fresh = {
      kind,
      isSensitive,
      entries: new Map(),
      loaded: new Set<string>(),
      unloaded: entries,
      bytes,
    }
    const stored = known ?? fresh
    names.set(name, stored)
    if (entry === undefined || stored.loaded?.has(key) !== false) return
    stored.loaded.add(key)
    stored.unloaded--
    stored.entries.set(key, entry)
  }

  access(playbook: string): StateAccess<never, unknown> {
    const names = this.#names(playbook)
    return {
      *size(name) {
        return sizeOf(names.get(name))
      },
      *entry(name, key) {
        return names.get(name)?.entries.get(key)
      },
      *put(name, key, entry, { kind, sensitive }) {
        putEntry(names, name, key, entry, { kind, sensitive })
      },
      *remove(name, key) {
        removeEntry(names.get(name), key)
      },
      *reset(name) {
        names.delete(name)
      },
      *trim(name, now, keep) {
        const stored = names.get(name)
        if (stored === undefined) return
        for (const [key, { expiresAt }] of stored.entries)
          if (expiresAt !== null && expiresAt <= now) removeEntry(stored, key)
        const many = stored.entries.size + stored.unloaded - keep
        if (many <= 0) return
        const oldest = [...stored.entries].toSorted(([, a], [, b]) => a.addedAt - b.addedAt)
        for (const [key] of oldest.slice(0, many)) removeEntry(stored, key)
      },
      usage: () => this.#usage(names),
    }
  }

  *#usage(names: Map<string, Stored>) {
    return { playbook: sum([names]), organization: sum(this.#states.values()) }
  }

  #names(playbook: string): Map<string, Stored> {
    const names = this.#states.get(playbook) ?? new Map<string, Stored>()
    this.#states.set(playbook, names)
    return names
  }
}

function putEntry(
  names: Map<string, Stored>,
  name: string,
  key: string,
  entry: StateEntry,
  { kind, sensitive }: Pick<StateRule, 'kind' | 'sensitive'>,
): void {
  const stored = names.get(name) ?? {
    kind,
    isSensitive: sensitive,
    entries: new Map<string, StateEntry>(),
    loaded: undefined,
    unloaded: 0,
    bytes: 0,
  }
  names.set(name, stored)
  const before = stored.entries.get(key)
  stored.bytes += bytesOf(key, entry.value) - (before === undefined ? 0 : bytesOf(key, before.value))
  stored.entries.set(key, entry)
}

function removeEntry(stored: Stored | undefined, key: string): void {
  const entry = stored?.entries.get(key)
  if (stored === undefined || entry === undefined) return
  stored.entries.delete(key)
  stored.bytes -= bytesOf(key, entry.value)
}

function sizeOf(stored: Stored | undefined): StateSize | undefined {
  if (stored === undefined) return undefined
  const { kind, isSensitive, entries, unloaded, bytes } = stored
  return { kind, isSensitive, entries: entries.size + unloaded, bytes }
}

function sum(playbooks: Iterable<ReadonlyMap<string, Stored>>): number {
  let bytes = 0
  for (const names of playbooks) for (const stored of names.values()) bytes += stored.bytes
  return bytes
}
