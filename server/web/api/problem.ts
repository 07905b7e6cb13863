/** What the API answers when it refuses: an RFC 9457 problem document. */
export interface Problem {
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail?: string
  readonly hint?: string
  readonly errors?: readonly { readonly pointer?: string; readonly message: string }[]
}

/** A request that the API refused, or that did not reach it (then `status` is 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail ?? problem.title)
    this.problem = problem
  }
}

/** Of whatever was thrown, what can be shown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem
  return {
    title: 'Something went wrong on this page',
    status: 0,
    code: 'page_error',
    detail: error instanceof Error ? error.message : String(error),
  }
}
