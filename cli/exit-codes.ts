export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** Ends the command with this code, without a further message. */
export class Exit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}
