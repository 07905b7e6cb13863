import type { ObservableKind } from 'tocsin/plugin'

/** Kinds of observables, in the order of the output. */
export const extractedKinds = [
  'ip',
  'domain',
  'url',
  'hash',
  'email',
  'host',
  'user',
  'vulnerability',
] as const satisfies readonly ObservableKind[]

export type ExtractedKind = (typeof extractedKinds)[number]

/** A distinct value and its locations. */
export interface FoundObservable {
  readonly kind: ExtractedKind
  readonly value: string
  /**
   * JSON pointers (RFC 6901) of the first strings that contain it, at most {@link maxPlaces}; `''` is the
   * whole input.
   */
  readonly places: readonly string[]
}

export interface ExtractionOptions {
  /** Maximum distinct values of each kind, 1 to 1000. Default 50. */
  readonly maxPerKind?: number | undefined
  /** Whether to list addresses that are not routed on the internet, and URLs with them. Default false. */
  readonly includePrivate?: boolean | undefined
  /** Domains to leave out, with their subdomains and URLs. Default none. */
  readonly ownDomains?: readonly string[] | undefined
}

/** What was cut: a kind with more than `maxPerKind` values, the `input` (size) or its `depth`. */
export type CutReason = ExtractedKind | 'input' | 'depth'

export interface Extraction extends Readonly<Record<ExtractedKind, readonly string[]>> {
  /** Every value of every list, in order of first appearance. */
  readonly all: readonly FoundObservable[]
  /** Empty if the whole input was read and everything was listed. */
  readonly cut: readonly CutReason[]
  /** Distinct values left out because of `includePrivate` and `ownDomains`. */
  readonly leftOut: number
}

/** Takes a candidate with a normalised value. */
export type Report = (kind: ExtractedKind, value: string) => void

export const maxPlaces = 10

/** Limits for the whole input: characters (about twice the largest accepted alert), and members and items. */
export const maxCharacters = 2_000_000
export const maxInputNodes = 200_000

/** Limits on nesting: all levels, and levels of JSON inside strings of JSON. */
export const maxInputDepth = 64
export const maxNestedDocuments = 4
