/** How much of a run a reader has been told. A journal only grows, and most of its lines do not change any more once they are told. */
export interface RunCursor {
  /** Which version of the run itself; empty: none. */
  readonly run: string
  /** Lines of the journal from its beginning. */
  readonly steps: number
  /** Of these, by their place, those that had not ended, in the version that was told. */
  readonly open: ReadonlyMap<number, string>
}

export const nothingTold: RunCursor = { run: '', steps: 0, open: new Map() }

/** The cursor of who has been told that the run has ended, as text. */
export const allTold = 'end'

/** Lines that have not ended, of which a text tells: it travels in a header. */
const maxOpen = 200

/** A cursor that moves on with what is told. */
export class Told implements RunCursor {
  run: string
  steps: number
  readonly open: Map<number, string>

  constructor({ run, steps, open }: RunCursor) {
    this.run = run
    this.steps = steps
    this.open = new Map(open)
  }

  /** Whether this version of the run is news. */
  tellRun(version: string): boolean {
    if (this.run === version) return false
    this.run = version
    return true
  }

  /** Whether this version of the line at this place is news. Lines come in their order, those that are open again and again. */
  tellLine(place: number, version: string, isOver: boolean): boolean {
    const isNews = place >= this.steps || (this.open.get(place) ?? version) !== version
    if (isOver) this.open.delete(place)
    else this.open.set(place, version)
    this.steps = Math.max(this.steps, place + 1)
    return isNews
  }
}

/** `<run>.<steps>.<place>-<version>…`: only what a header can carry. */
export function cursorText({ run, steps, open }: RunCursor): string {
  const beyond = open.size <= maxOpen ? undefined : [...open.keys()].toSorted((a, b) => a - b)[maxOpen]
  // Rather tell something twice than not at all.
  const named = [...open].filter(([at]) => beyond === undefined || at < beyond)
  return [run, beyond ?? steps, ...named.map(([at, version]) => `${at}-${version}`)].join('.')
}

const pattern = /^([\w-]{1,20})\.(\d{1,9})((?:\.\d{1,9}-[\w-]{1,20})*)$/

/** What a reader sent back; what no cursor reads so stands for nothing told. */
export function readCursor(text: string | undefined): RunCursor {
  const [, run, steps, open = ''] = pattern.exec(text ?? '') ?? []
  if (run === undefined) return nothingTold
  const pairs = open
    .split('.')
    .slice(1)
    .map((pair): [number, string] => {
      const dash = pair.indexOf('-')
      return [Number(pair.slice(0, dash)), pair.slice(dash + 1)]
    })
  return { run, steps: Number(steps), open: new Map(pairs) }
}
