/** No run begins or goes on: alerts are taken in, and their runs wait. */
export interface Pause {
  /** Name of the API key. */
  readonly by: string
  /** Epoch milliseconds. */
  readonly since: number
  readonly reason: string
}
