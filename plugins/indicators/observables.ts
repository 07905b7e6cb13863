import type { ObservableKind } from 'tocsin/plugin'

/** The kinds that can be found in an alert, in the order of the output. */
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

/** One distinct value and where it stood. */
export interface FoundObservable {
  readonly kind: ExtractedKind
  readonly value: string
  /** JSON pointers (RFC 6901) of the first strings it stood in, at most {@link maxPlaces}; `''` is the whole input. */
  readonly places: readonly string[]
}

export interface ExtractionOptions {
  /** Distinct values kept of each kind, 1 to 1000. Default 50. */
  readonly maxPerKind?: number | undefined
  /** Also list addresses that are not routed on the internet, and URLs at them. Default false. */
  readonly includePrivate?: boolean | undefined
  /** Domains whose names (and those below them), and URLs at them, are left out. Default none. */
  readonly ownDomains?: readonly string[] | undefined
}

/** What had to be cut: a kind with more values than `maxPerKind`, or the `input` (size), or its `depth`. */
export type Cut = ExtractedKind | 'input' | 'depth'

export interface Extraction extends Readonly<Record<ExtractedKind, readonly string[]>> {
  /** Every value of every list, in order of first appearance. */
  readonly all: readonly FoundObservable[]
  /** Empty when everything in the input was looked at and listed. */
  readonly cut: readonly Cut[]
  /** Distinct values recognised and left out because of `includePrivate` and `ownDomains`. */
  readonly leftOut: number
}

/** Takes one candidate that a finder is sure of. Values are normalised already. */
export type Report = (kind: ExtractedKind, value: string) => void

export const maxPlaces = 10

/** Characters looked at in all (about twice the largest alert the platform accepts), and members and items visited. */
export const maxCharacters = 2_000_000
export const maxNodes = 200_000

/** Levels of nesting followed, in all, and levels of JSON inside strings of JSON. */
export const maxDepth = 64
export const maxNestedDocuments = 4
