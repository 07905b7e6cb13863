/** How much of a run a client has received. Journals only grow, and most steps no longer change once sent. */
export interface RunCursor {
  /** Version of the run itself; empty: not sent. */
  readonly run: string
  /** Steps sent, from the beginning of the journal. */
  readonly steps: number
  /** Of these, the position and version of those that had not ended. */
  readonly open: ReadonlyMap<number, string>
}

export const startCursor: RunCursor = { run: '', steps: 0, open: new Map() }

/** The cursor of a client that has received the end of the run. */
export const endCursor = 'end'

/** Unended steps that a cursor lists: it travels in a header. */
const maxOpen = 200

/** A cursor that advances with the sent events. */
export class MutableRunCursor implements RunCursor {
  run: string
  steps: number
  readonly open: Map<number, string>

  constructor({ run, steps, open }: RunCursor) {
    this.run = run
    this.steps = steps
    this.open = new Map(open)
  }

  /** Whether this version of the run is new to the client. */
  advanceRun(version: string): boolean {
    if (this.run === version) return false
    this.run = version
    return true
  }

  /** Whether this version of the step is new. Steps come in order; unended ones come repeatedly. */
  advanceStep(place: number, version: string, isOver: boolean): boolean {
    const isNews = place >= this.steps || (this.open.get(place) ?? version) !== version
    if (isOver) this.open.delete(place)
    else this.open.set(place, version)
    this.steps = Math.max(this.steps, place + 1)
    return isNews
  }
}

/** `<run>.<steps>.<position>-<version>…`: only characters that a header allows. */
export function cursorText({ run, steps, open }: RunCursor): string {
  const beyond = open.size <= maxOpen ? undefined : [...open.keys()].toSorted((a, b) => a - b)[maxOpen]
  // Sending an event twice is better than losing it.
  const named = [...open].filter(([at]) => beyond === undefined || at < beyond)
  return [run, beyond ?? steps, ...named.map(([at, version]) => `${at}-${version}`)].join('.')
}

const pattern = /^([\w-]{1,20})\.(\d{1,9})((?:\.\d{1,9}-[\w-]{1,20})*)$/

/** Reads the cursor of a client; an unreadable one means that nothing was received. */
export function readCursor(text: string | undefined): RunCursor {
  const [, run, steps, open = ''] = pattern.exec(text ?? '') ?? []
  if (run === undefined) return startCursor
  const pairs = open
    .split('.')
    .slice(1)
    .map((pair): [number, string] => {
      const dash = pair.indexOf('-')
      return [Number(pair.slice(0, dash)), pair.slice(dash + 1)]
    })
  return { run, steps: Number(steps), open: new Map(pairs) }
}
