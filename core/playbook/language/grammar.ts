import type { RetryPolicy } from './playbook.ts'

/** Every key of the playbook language, by the map it stands in. `schemas/playbook.schema.json` lists the same; a test keeps both equal. */

export interface KeyTable {
  /** What the map is, for messages: "a step". */
  readonly what: string
  readonly keys: readonly string[]
  readonly required?: readonly string[]
}

export const apiVersion = 'tocsin/v1'

/** What a step does; exactly one of them. */
export const actions = [
  'uses',
  'set',
  'steps',
  'parallel',
  'switch',
  'checkpoint',
  'call',
  'wait',
  'return',
  'fail',
] as const
export type Action = (typeof actions)[number]

export const isAction = (key: string): key is Action => (actions as readonly string[]).includes(key)

export const grammar = {
  playbook: {
    what: 'a playbook',
    keys: [
      'apiVersion',
      'name',
      'version',
      'description',
      'owner',
      'tags',
      'on',
      'inputs',
      'alert',
      'defaults',
      'timeout',
      'concurrency',
      'steps',
      'on_error',
      'finally',
      'outputs',
    ],
    required: ['apiVersion', 'name', 'on', 'steps'],
  },
  on: { what: '`on`', keys: ['alert', 'schedule', 'call', 'manual'] },
  alertTrigger: {
    what: 'an alert trigger',
    keys: ['type', 'provider', 'where', 'group'],
    required: ['type'],
  },
  group: { what: '`group`', keys: ['by', 'within'], required: ['by'] },
  schedule: {
    what: 'a schedule',
    keys: ['cron', 'organizations', 'inputs', 'overlap'],
    required: ['cron'],
  },
  concurrency: { what: '`concurrency`', keys: ['key', 'policy'], required: ['key'] },
  defaults: { what: '`defaults`', keys: ['timeout', 'retry', 'connections'] },
  retry: { what: '`retry`', keys: ['max', 'backoff', 'factor', 'max_backoff', 'jitter', 'on'] },
  step: {
    what: 'a step',
    keys: [
      'id',
      'name',
      'if',
      'timeout',
      'retry',
      'on_error',
      'default',
      'foreach',
      'as',
      'concurrency',
      'max_items',
      'on_item_error',
      'repeat',
      'on_interrupted',
      ...actions,
      'with',
      'connection',
      'else',
    ],
  },
  repeat: { what: '`repeat`', keys: ['until', 'every', 'max'], required: ['until', 'every', 'max'] },
  checkpoint: {
    what: 'a checkpoint',
    keys: ['via', 'with', 'connection', 'answers', 'form', 'timeout', 'on_timeout'],
    required: ['via', 'timeout'],
  },
  case: { what: 'a case of a switch', keys: ['when', 'steps'], required: ['when', 'steps'] },
  wait: { what: '`wait`', keys: ['until'], required: ['until'] },
} as const satisfies Readonly<Record<string, KeyTable>>

/** Keys of a step that only make sense together with an action or with `foreach`. */
export const belongsTo: Readonly<Record<string, readonly (Action | 'foreach')[]>> = {
  with: ['uses', 'call'],
  connection: ['uses'],
  retry: ['uses'],
  repeat: ['uses', 'steps'],
  on_interrupted: ['uses'],
  else: ['switch'],
  as: ['foreach'],
  max_items: ['foreach'],
  on_item_error: ['foreach'],
  concurrency: ['foreach', 'parallel'],
  foreach: ['uses', 'set', 'steps', 'parallel', 'switch', 'checkpoint', 'call'],
  default: ['uses', 'set', 'checkpoint', 'call'],
  timeout: ['uses', 'steps', 'parallel', 'switch', 'call'],
  on_error: ['uses', 'set', 'steps', 'parallel', 'switch', 'checkpoint', 'call', 'wait'],
}

/** `[a-z][a-z0-9_]*`. */
export const idPattern = '^[a-z][a-z0-9_]{0,63}$'
/** Lower-case letters, digits and hyphens. */
export const namePattern = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
export const skillPattern = '^[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$'

/** Names that expressions already have; `as` cannot take them. */
export const reservedNames = [
  'alert',
  'inputs',
  'run',
  'organization',
  'now',
  'case',
  'steps',
  'index',
  'error',
  'output',
]

/** Of the whole run: 24 h. */
export const defaultTimeoutMs = 86_400_000
/** Of one attempt of a skill: 60 s. */
export const defaultSkillTimeoutMs = 60_000

export const defaultRetry: RetryPolicy = {
  max: 3,
  backoffMs: 2000,
  factor: 2,
  maxBackoffMs: 300_000,
  jitter: 0.2,
  on: undefined,
}
/** Errors after which it is certain that the other system did nothing. */
export const refusals = ['http_429', 'rate_limited'] as const
/** Errors that pass, and so may be retried, whatever the skill; skills add codes of their own. `http_5xx` stands for 500 to 599. */
export const passingErrors = [
  ...refusals,
  'http_408',
  'http_5xx',
  'http_500',
  'http_502',
  'http_503',
  'http_504',
  'network_error',
  'step_timeout',
] as const
/** `[a-z][a-z0-9_]*`. */
export const errorCodePattern = '^[a-z][a-z0-9_]{0,99}$'
/** The built-in way of asking: nobody is told, an operator answers over the API. */
export const viaOperator = 'operator'
export const interruptedChoices = ['repeat', 'skip', 'fail', 'ask'] as const

export const defaultForeach = { as: 'item', concurrency: 1, maxItems: 100 }

/** Bounds of numbers, inclusive. */
export const bounds = {
  retryMax: [0, 20],
  factor: [1, 10],
  jitter: [0, 1],
  concurrency: [1, 100],
  maxItems: [1, 10_000],
  repeatMax: [1, 1000],
} as const
