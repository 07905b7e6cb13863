import type { Author } from './audit.ts'

/** No run begins or goes on: alerts are taken in, and their runs wait. */
export interface Pause {
  readonly by: Author
  /** Epoch milliseconds. */
  readonly since: number
  readonly reason: string
}
