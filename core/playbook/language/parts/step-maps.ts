import { ratePattern } from '../../../common/rates.ts'
import { stateLimits, stateOperations } from '../../../state/state.ts'
import {
  bounds,
  defaultRetry,
  errorCodePattern,
  idPattern,
  transientErrors,
  undoAfterMs,
} from '../constants.ts'
import { waitKeys } from '../../waits/wait-keys.ts'
import { phrases, shapes, type MapDeclaration } from '../key-table.ts'

const { reference, text, condition, integer, number } = shapes
const { range, duration, choices } = phrases

const stateName = { type: 'string', pattern: idPattern } as const

/** The keys of the maps in steps; see `step-keys.ts`. */
export const stepMaps = {
  retry: {
    what: '`retry`',
    description: 'When and how often to retry after a transient error.',
    keys: {
      max: {
        meaning: `attempts after the first, ${range(bounds.retryMax)}`,
        default: String(defaultRetry.max),
        schema: { ...integer(bounds.retryMax), default: defaultRetry.max },
      },
      backoff: {
        meaning: 'wait before the second attempt',
        default: duration(defaultRetry.backoffMs),
        schema: reference('duration'),
      },
      factor: {
        meaning: `multiplier for each further wait, ${range(bounds.factor)}`,
        default: String(defaultRetry.factor),
        schema: { ...number(bounds.factor), default: defaultRetry.factor },
      },
      max_backoff: {
        meaning: 'longest wait',
        default: duration(defaultRetry.maxBackoffMs),
        schema: reference('duration'),
      },
      jitter: {
        meaning: `random spread of each wait, as a fraction, ${range(bounds.jitter)}`,
        default: String(defaultRetry.jitter),
        schema: { ...number(bounds.jitter), default: defaultRetry.jitter },
      },
      on: {
        meaning: `codes of the transient errors to retry: ${choices(transientErrors)} and the transient codes that skills declare`,
        default: 'all transient errors',
        schema: {
          type: 'array',
          minItems: 1,
          items: { anyOf: [{ enum: transientErrors }, { type: 'string', pattern: errorCodePattern }] },
        },
      },
    },
  },
  rate: {
    what: '`rate` of a step',
    description: 'How often the step starts, over all runs of the organization.',
    keys: {
      limit: { meaning: 'such as `30/min`', schema: { type: 'string', pattern: ratePattern } },
      key: {
        meaning: 'starts with the same value are counted together; sees what the step sees',
        default: 'all starts are counted together',
        schema: text,
      },
      policy: {
        meaning:
          'beyond the limit, `wait`: the step waits for its turn; `fail`: it fails with `rate_exceeded`',
        default: '`wait`',
        schema: { enum: ['wait', 'fail'], default: 'wait' },
      },
    },
    required: ['limit'],
  },
  repeat: {
    what: '`repeat`',
    description: 'Repeats the step until a condition is true.',
    keys: {
      until: {
        meaning: 'an expression without `${{ }}`; sees `output` and the steps inside',
        schema: condition,
      },
      every: { meaning: 'wait between two rounds', schema: reference('duration') },
      max: {
        meaning: `maximum number of rounds, ${range(bounds.repeatMax)}; then the step fails`,
        schema: integer(bounds.repeatMax),
      },
    },
    required: ['until', 'every', 'max'],
  },
  undo: {
    what: '`undo`',
    description: 'When the containment of a skill is undone.',
    keys: {
      after: {
        meaning: `how long after the call, ${undoAfterMs.map((ms) => duration(ms)).join(' to ')}`,
        schema: reference('duration'),
      },
      unless: {
        meaning:
          'an expression without `${{ }}`, evaluated when it expires; sees `case`, `containment` and `now`; if it is true, the containment stays until people undo it',
        default: '`false`',
        schema: condition,
      },
    },
    required: ['after'],
  },
  state: {
    what: '`state`',
    description: `One operation on a state of the playbook: ${stateOperations.join(', ')}.`,
    rules: { oneOf: stateOperations.map((name) => ({ type: 'object', required: [name] })) },
    keys: {
      set: { meaning: 'sets a value, a counter or an entry; the name of the state', schema: stateName },
      increment: { meaning: 'adds to a counter; its name', schema: stateName },
      add: {
        meaning: 'adds `key` to a set, and tells whether it is new; the name of the set',
        schema: stateName,
      },
      get: { meaning: 'reads the entry `key`; the name of a set, map or counters', schema: stateName },
      delete: { meaning: 'deletes the value or the entry `key`; the name of the state', schema: stateName },
      key: {
        meaning: `the key of the entry, a string of at most ${stateLimits.keyLength} characters; required for a set, map or counters`,
        schema: text,
      },
      value: { meaning: 'the new value; with `set`', schema: reference('value'), with: ['set'] },
      expected: {
        meaning: 'sets only if this is the current value; null: it is absent; with `set`',
        default: 'sets always',
        schema: reference('value'),
        with: ['set'],
      },
      by: {
        meaning: 'the whole number to add; with `increment`',
        default: '1',
        schema: { type: ['integer', 'string'] },
        with: ['increment'],
      },
    },
  },
  ...waitKeys,
  case: {
    what: 'a case of a switch',
    description: 'A case of a switch.',
    keys: {
      when: { meaning: 'an expression without `${{ }}`', schema: condition },
      steps: { meaning: 'the steps to run if it is true', schema: reference('steps') },
    },
    required: ['when', 'steps'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
