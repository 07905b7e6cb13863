import {
  ConnectionError,
  numberAt,
  RetryableError,
  SkillError,
  textAt,
  valueAt,
  type TocsinError,
} from 'tocsin/plugin'
import { errors } from './errors.ts'

/**
 * The body of a successful call: the vendor reports failures with status 200 too. Throws the error for the
 * code.
 */
export function checkSuccess(body: unknown): unknown {
  if (valueAt(body, 'is_success') === false || valueAt(body, 'success') === false) throw refusal(body)
  return body
}

function refusal(body: unknown): TocsinError {
  const status = statusIn(body)
  const said = textAt(body, 'message')?.slice(0, 300) ?? 'no reason'
  const message = `the platform reported an error: ${said}`
  if (status === null || status < 400) return new SkillError('not_successful', message)
  const code = `http_${status}`
  const hint = Object.entries(errors).find(([key]) => key === String(status))?.[1]
  if (status === 401 || status === 403) return new ConnectionError(code, message, { hint })
  if (status === 408 || status === 429 || status >= 500) return new RetryableError(code, message, { hint })
  return new SkillError(code, message, { hint })
}

/** A number, or a string of digits. */
function statusIn(body: unknown): number | null {
  const text = textAt(body, 'response_code')?.trim() ?? ''
  return /^[1-5]\d\d$/.test(text) ? Number(text) : numberAt(body, 'response_code')
}
