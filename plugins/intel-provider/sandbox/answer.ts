/** What the sandbox answers: a value sent as JSON, or a text sent as it is. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}

export const ok = (json: unknown): Answer => ({ status: 200, json })

const traceId = 'a3274da2-b2bf-4ed5-8276-ecba8c837ad6'

/** The error body of the enrichment service. */
export const enrichmentError = (status: number, message: string): Answer => ({
  status,
  json: { error: { message, status }, traceId },
})

/** The error body of the alert services. */
export const alertError = (status: number, message: string): Answer => ({
  status,
  json: { status: { status_code: 'Error', status_message: message } },
})
