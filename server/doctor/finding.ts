/** The result of one check. */
export interface Finding {
  /** E.g. `database`, `connection main/intel`. */
  readonly check: string
  /** `warning`: it works, but needs attention. */
  readonly status: 'ok' | 'warning' | 'problem'
  /** One sentence without secrets. */
  readonly message: string
  /** The fix; set for warnings and problems. */
  readonly hint?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, hint: string): Finding => ({
  check,
  status: 'warning',
  message,
  hint,
})

export const problem = (check: string, message: string, hint: string): Finding => ({
  check,
  status: 'problem',
  message,
  hint,
})

/** A problem from the error of a check, with the hint of the error if it has one. */
export function problemOf(check: string, error: unknown, otherwise: string): Finding {
  const { message, hint } = error as { readonly message: string; readonly hint?: string }
  return problem(check, message, hint ?? otherwise)
}
