import ipaddr from 'ipaddr.js'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'

/** A value as the index of observables knows it. */
export interface ObservableKey {
  readonly kind: ObservableKind
  readonly value: string
}

/** Characters of an indexed value; longer ones are left out, because a cut value would be a different value. */
const maxObservableValue = 500

/**
 * One spelling for each value: letter case counts in URLs only, and an address has its shortest form. Undefined for a value that is
 * empty, longer than `maxObservableValue`, or has control characters.
 */
export function normalizeObservable(kind: ObservableKind, value: string): ObservableKey | undefined {
  // Checked first: senders choose the values, and normalising megabytes takes a while.
  if (value.length > 2 * maxObservableValue || !value.isWellFormed()) return undefined
  const text = spelled(kind, value.normalize('NFC').trim())
  return text === '' || text.length > maxObservableValue || /\p{Cc}/u.test(text)
    ? undefined
    : { kind, value: text }
}

function spelled(kind: ObservableKind, text: string): string {
  if (kind === 'ip') return addressOf(text)
  if (kind === 'url') return text
  return kind === 'vulnerability' ? text.toUpperCase() : text.toLowerCase()
}

function addressOf(text: string): string {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text).toString() : text.toLowerCase()
}

/** Reads `<kind>:<value>`, as in filters of lists. Undefined for an unknown kind or a value that no index has. */
export function parseObservable(text: string): ObservableKey | undefined {
  const [, named, value = ''] = /^([a-z]+):(.*)$/su.exec(text) ?? []
  const kind = observableKinds.find((one) => one === named)
  return kind && normalizeObservable(kind, value)
}

/** Identifies an observable within an organization. */
export const observableId = ({ kind, value }: ObservableKey): string => `${kind} ${value}`

/** Without repeats and values that cannot be indexed, at most this many. */
export function normalizeAll(
  found: Iterable<{ readonly kind: ObservableKind; readonly value: string }>,
  limit: number,
): readonly ObservableKey[] {
  const keys = new Map<string, ObservableKey>()
  for (const { kind, value } of found) {
    if (keys.size >= limit) break
    const key = normalizeObservable(kind, value)
    if (key !== undefined) keys.set(observableId(key), key)
  }
  return [...keys.values()]
}
