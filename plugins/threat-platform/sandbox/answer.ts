import type { SandboxReply } from 'tocsin/plugin/testing'

/** The vendor's error envelope. */
export const failed = (status: number, message: string): SandboxReply => ({
  status,
  json: { is_success: false, message, response_code: status, data: null },
})

export const companyNotFound = failed(404, 'Company not found')
