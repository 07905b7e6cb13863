/** What the `tocsin` command ends with. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** Ends the command with this code; what there was to say has been said. */
export class Exit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}
