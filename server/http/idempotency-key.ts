import { patterns } from './patterns.ts'
import { RequestError } from './request-error.ts'

/** The header `Idempotency-Key`. */
export const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  ...patterns.idempotencyKey,
} as const

/** @param what the key was sent with before */
export const idempotencyKeyReused = (what: string): RequestError =>
  new RequestError('idempotency_key_reused', 'The Idempotency-Key was sent before, with another body.', {
    hint: `send a new key with each new ${what}, and the same body with each repetition`,
    errors: [{ pointer: '/idempotency-key', message: `belongs to another ${what}` }],
  })
