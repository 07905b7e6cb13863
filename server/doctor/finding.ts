/** What a check of the installation came to. */
export interface Finding {
  /** E.g. `database`, `connection main/intel`. */
  readonly check: string
  /** `warning`: it works, and somebody should do something. */
  readonly status: 'ok' | 'warning' | 'problem'
  /** One sentence; no secrets. */
  readonly message: string
  /** What to do; with every warning and problem. */
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

/** What a check has thrown: what it says, and its own advice where it has some. */
export function problemOf(check: string, error: unknown, otherwise: string): Finding {
  const { message, hint } = error as { readonly message: string; readonly hint?: string }
  return problem(check, message, hint ?? otherwise)
}
