import type { SandboxReply } from 'tocsin/plugin/testing'

/** The vendor's envelope around a refusal. */
export const failed = (status: number, message: string): SandboxReply => ({
  status,
  json: { is_success: false, message, response_code: status, data: null },
})

export const notFound = failed(404, 'Company not found')
