import type { SandboxReply } from 'tocsin/plugin/testing'

/** A single entity with its annotation. */
export const entity = (kind: string, fields: object, status = 200): SandboxReply => ({
  status,
  json: { '@odata.context': `https://sandbox.example/api/$metadata#${kind}/$entity`, ...fields },
})

/** The error body of every call. */
export const failure = (status: number, code: string, message: string): SandboxReply => ({
  status,
  json: { error: { code, message, target: '43f4cb08-8fac-4b65-9db1-745c2ae65f3a' } },
})

export const notFound = (what: string): SandboxReply =>
  failure(404, 'ResourceNotFound', `${what} was not found`)
