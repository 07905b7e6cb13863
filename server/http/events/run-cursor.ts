/** How much of a run a reader has been told. A journal only grows, and most of its lines do not change any more once they are told. */
export interface RunCursor {
  /** Which version of the run itself; empty: none. */
  readonly run: string
  /** Lines of the journal from its beginning. */
  readonly steps: number
  /** Of these, by their place, those that had not ended, in the version that was told. */
  readonly open: ReadonlyMap<number, string>
}

/** A run as it is now. */
export interface RunVersions {
  readonly run: string
  /** In the order of the journal. */
  readonly steps: readonly StepVersion[]
}

export interface StepVersion {
  readonly version: string
  /** It does not change any more. */
  readonly isOver: boolean
}

/** What is to be told next: the run, or the line of the journal at this place. */
export interface News {
  readonly of: 'run' | number
  /** How much has been told then; good until the next is asked for. */
  readonly cursor: RunCursor
}

export const nothingTold: RunCursor = { run: '', steps: 0, open: new Map() }

/** The cursor of who has been told that the run has ended, as text. */
export const allTold = 'end'

/** Lines that have not ended, of which a text tells: it travels in a header. */
const maxOpen = 200

/** What a reader at this cursor has not been told, the oldest first. */
export function* newsSince(told: RunCursor, { run, steps }: RunVersions): Generator<News> {
  // Of another run, or of a journal that was taken back with a backup.
  const from = told.steps > steps.length ? nothingTold : told
  const open = new Map(from.open)
  if (from.run !== run) yield { of: 'run', cursor: { run, steps: from.steps, open } }
  for (const [at, { version, isOver }] of steps.entries()) {
    if (at < from.steps && (open.get(at) ?? version) === version) continue
    if (isOver) open.delete(at)
    else open.set(at, version)
    yield { of: at, cursor: { run, steps: Math.max(from.steps, at + 1), open } }
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
