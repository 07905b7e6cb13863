import type { SandboxReply } from 'tocsin/plugin/testing'

export const okAnswer = (json: unknown): SandboxReply => ({ status: 200, json })

const traceId = 'a3274da2-b2bf-4ed5-8276-ecba8c837ad6'

/** The error body of the enrichment service. */
export const enrichmentError = (status: number, message: string): SandboxReply => ({
  status,
  json: { error: { message, status }, traceId },
})

/** The error body of the alert services. */
export const alertError = (status: number, message: string): SandboxReply => ({
  status,
  json: { status: { status_code: 'Error', status_message: message } },
})
