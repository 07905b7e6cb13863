import {
  maxPlaces,
  type CutReason,
  type Extraction,
  type ExtractedKind,
  type FoundObservable,
} from './observables.ts'

/** Collects distinct values up to a limit per kind, in order of first appearance. */
export interface Collector {
  add(kind: ExtractedKind, value: string, place: string): void
  cut(what: CutReason): void
  leaveOut(kind: ExtractedKind, value: string): void
  result(): Extraction
}

/** Users and hosts are compared ignoring case; the first spelling is kept. */
const identityOf = (kind: ExtractedKind, value: string): string =>
  `${kind} ${kind === 'user' ? value.toLowerCase() : value}`

/** Limits the memory for values that are only counted. */
const maxCounted = 10_000

export function createCollector(maxPerKind: number): Collector {
  const found = new Map<string, FoundObservable & { readonly places: string[] }>()
  const counts = new Map<ExtractedKind, number>()
  const cuts = new Set<CutReason>()
  const leftOut = new Set<string>()
  return {
    add(kind, value, place) {
      const identity = identityOf(kind, value)
      const known = found.get(identity)
      if (known !== undefined) {
        if (known.places.length < maxPlaces && !known.places.includes(place)) known.places.push(place)
        return
      }
      const count = counts.get(kind) ?? 0
      if (count >= maxPerKind) {
        cuts.add(kind)
        return
      }
      counts.set(kind, count + 1)
      found.set(identity, { kind, value, places: [place] })
    },
    cut: (what) => void cuts.add(what),
    leaveOut(kind, value) {
      if (leftOut.size < maxCounted) leftOut.add(identityOf(kind, value))
    },
    result() {
      const all = [...found.values()]
      const of = (kind: ExtractedKind) => all.filter((one) => one.kind === kind).map((one) => one.value)
      return {
        ip: of('ip'),
        domain: of('domain'),
        url: of('url'),
        hash: of('hash'),
        email: of('email'),
        host: of('host'),
        user: of('user'),
        vulnerability: of('vulnerability'),
        all,
        cut: [...cuts],
        leftOut: leftOut.size,
      }
    },
  }
}
