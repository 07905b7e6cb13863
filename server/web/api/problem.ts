/** A problem document of the API (RFC 9457). */
export interface ApiProblem {
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail?: string
  readonly hint?: string
  readonly errors?: readonly { readonly pointer?: string; readonly message: string }[]
}

/** A failed request. `status` is 0 if it did not reach the API. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly problem: ApiProblem

  constructor(problem: ApiProblem) {
    super(problem.detail ?? problem.title)
    this.problem = problem
  }
}

/** The problem document for any thrown value. */
export function apiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiError) return error.problem
  return {
    title: 'Something went wrong on this page',
    status: 0,
    code: 'page_error',
    detail: error instanceof Error ? error.message : String(error),
  }
}
