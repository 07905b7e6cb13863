import type { QuorumWord } from '../waits/waits.ts'
import { maxDurationMs } from './durations.ts'
import type { RetryPolicy } from './playbook.ts'

/** Patterns, choices, bounds and defaults of the playbook language. */

export const apiVersion = 'tocsin/v1'

export const idRule = 'use lower-case letters, digits and _, starting with a letter'
export const idPattern = '^[a-z][a-z0-9_]{0,63}$'
/** Names of the values that alerts of different playbooks have in common, such as `user`. */
export const correlationNamePattern = '^[a-z][a-z0-9_]{0,39}$'
export const nameRule = 'use words of lower-case letters and digits, joined by hyphens'
export const namePattern = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
/** The only value of `mode`; a playbook without it is live. */
export const shadowMode = 'shadow'
export const skillPattern = '^[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$'

/** Names that expressions already have, which `as` cannot use. */
export const reservedNames = [
  'alert',
  'inputs',
  'state',
  'run',
  'organization',
  'now',
  'case',
  'steps',
  'index',
  'error',
  'output',
]

/** Timeout of a whole run. */
export const defaultRunTimeoutMs = 86_400_000
/** Timeout of one attempt of a skill. */
export const defaultSkillTimeoutMs = 60_000

export const defaultRetry: RetryPolicy = {
  max: 3,
  backoffMs: 2000,
  factor: 2,
  maxBackoffMs: 300_000,
  jitter: 0.2,
  on: undefined,
}
/** Codes of errors that prove that the call had no effect. */
export const errorsWithoutEffect = ['http_429', 'rate_limited'] as const
/**
 * Codes of transient errors, which are retried for every skill; skills declare further ones. `http_5xx` means
 * 500 to 599.
 */
export const transientErrors = [
  ...errorsWithoutEffect,
  'http_408',
  'http_5xx',
  'http_500',
  'http_502',
  'http_503',
  'http_504',
  'network_error',
  'skill_crashed',
  'step_timeout',
] as const
/** `[a-z][a-z0-9_]*`. */
export const errorCodePattern = '^[a-z][a-z0-9_]{0,99}$'
/** `via` of a checkpoint without a message: an operator answers in the web page or API. */
export const viaOperator = 'operator'
/** Types of inputs: those of JSON Schema, and two of our own. */
export const inputTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'array',
  'object',
  'duration',
  'timestamp',
] as const
/** How many people must give the same answer, besides a number. */
export const quorumWords: readonly QuorumWord[] = ['all', 'majority', 'any']
/** The first event that a wait takes. */
export const sinceWords = ['step', 'run'] as const
/** The name of the event in the condition of a wait. */
export const eventName = 'event'
/** The name of the asked person in the inputs of a checkpoint. */
export const personName = 'person'
/** Maximum number of people of a checkpoint. */
export const maxPeople = 100
export const interruptedChoices = ['repeat', 'skip', 'fail', 'ask'] as const

/** How long after its call a containment may expire, in milliseconds. */
export const undoAfterMs = [60_000, maxDurationMs] as const

export const defaultForeach = { as: 'item', concurrency: 1, maxItems: 100 }

/** Inclusive bounds of numbers. */
export const bounds = {
  retryMax: [0, 20],
  factor: [1, 10],
  jitter: [0, 1],
  concurrency: [1, 100],
  maxItems: [1, 10_000],
  repeatMax: [1, 1000],
  quorum: [1, maxPeople],
} as const
