import {
  CancelledError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from '../../core/errors/errors.ts'
import { ConnectionError, RetryableError, SkillError, TocsinError } from '../../core/plugin/index.ts'

/** An error as data that another thread can read. */
export interface PackedError {
  /** The nearest class that both threads know; undefined if the error is not one of Tocsin's classes. */
  readonly type: string | undefined
  readonly message: string
  readonly stack: string | undefined
  /** All other properties of the error, such as `code` and `details`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause: PackedError | undefined
}

/** A subclass comes before the class that it extends. */
const types = {
  SkillError,
  ConnectionError,
  RetryableError,
  ValidationError,
  TimeoutError,
  CancelledError,
  NotFoundError,
  ConflictError,
  ForbiddenError,
  UnavailableError,
  TocsinError,
} as const

/** Causes of causes, at most. */
const maxDepth = 5

/** Omits values that cannot be copied into another thread. */
export function packError(thrown: unknown, depth = 0): PackedError {
  if (!(thrown instanceof Error)) return packError(new Error(String(thrown)))
  const type = Object.entries(types).find(([, each]) => thrown instanceof each)?.[0]
  const { message, stack, cause } = thrown
  const own = Object.entries(thrown).filter(([key, value]) => key !== 'cause' && isCloneable(value))
  return {
    type,
    message,
    stack,
    fields: Object.fromEntries(own),
    cause: cause === undefined || depth >= maxDepth ? undefined : packError(cause, depth + 1),
  }
}

export function unpackError({ type, message, stack, fields, cause }: PackedError): Error {
  const error = new Error(message, cause && { cause: unpackError(cause) })
  if (type !== undefined) Object.setPrototypeOf(error, types[type as keyof typeof types].prototype as object)
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  return Object.assign(error, fields)
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
