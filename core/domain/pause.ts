import type { Author } from './audit.ts'

/** A pause of all runs: alerts are accepted, and their runs wait. */
export interface Pause {
  readonly by: Author
  /** Epoch milliseconds. */
  readonly since: number
  readonly reason: string
}
