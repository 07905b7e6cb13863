import { AsyncLocalStorage } from 'node:async_hooks'
import { ConflictError } from '../../errors/errors.ts'

/** One turn of a run. The number rises each time the run is taken, and when it is taken from a stopped process. */
export interface RunTurn {
  /** Uuid. */
  readonly run: string
  readonly number: number
}

/** The turn of a run that nobody has taken yet: it belongs to the process that queued the run. */
export const firstTurn = 1

const current = new AsyncLocalStorage<RunTurn>()

/**
 * Performs the work of a turn. The stores name the turn in each write for its run (`start`, `openCase`, `end`, `park`, the journal,
 * questions and waits for events), and reject with ConflictError `turn_lost` if it is over.
 */
export const duringTurn = <T>(turn: RunTurn, work: () => T): T => current.run(turn, work)

/** For stores: the turn in which a write for the run happens; undefined: a person, or the server outside of a turn. */
export function turnOf(run: string): RunTurn | undefined {
  const turn = current.getStore()
  return turn?.run === run ? turn : undefined
}

/** ConflictError `turn_lost` if the run has had a later turn. */
export function lossOfTurn(turn: RunTurn, numberNow: number | undefined): ConflictError | undefined {
  if (numberNow === turn.number) return undefined
  return new ConflictError(turnLost, `the turn ${turn.number} of the run ${turn.run} is over`)
}

const turnLost = 'turn_lost'

/** Another process, or a later turn of this one, continues the run. */
export const isTurnLost = (error: unknown): boolean =>
  error instanceof ConflictError && error.code === turnLost
