import {
  bounds,
  defaultForeach,
  defaultRetry,
  defaultSkillTimeoutMs,
  errorCodePattern,
  idPattern,
  interruptedChoices,
  maxPeople,
  namePattern,
  personName,
  quorumWords,
  skillPattern,
  transientErrors,
  viaOperator,
} from './constants.ts'
import { stateLimits, stateOperations } from '../../state/state.ts'
import { phrases, shapes, type KeyDeclaration, type MapDeclaration } from './key-table.ts'

/** The keys of steps and of the maps in steps; see `grammar.ts`. */

const { reference, text, texts, map, condition, integer, number } = shapes
const { range, duration, choices } = phrases

const actionKeys = {
  uses: { meaning: 'calls a skill, `<plugin>.<skill>`', schema: { type: 'string', pattern: skillPattern } },
  set: { meaning: 'a map of values; they are the output', schema: map },
  state: { meaning: 'changes a state of the playbook, or reads an entry of it', schema: reference('state') },
  steps: { meaning: 'a group of steps, in order', schema: reference('steps') },
  parallel: {
    meaning: 'a group of steps that run at the same time; it waits for all and fails if one failed',
    schema: reference('steps'),
  },
  switch: {
    meaning: 'runs the first case whose condition is true',
    schema: { type: 'array', minItems: 1, items: reference('case') },
  },
  checkpoint: { meaning: 'asks a person and waits for the answer', schema: reference('checkpoint') },
  call: { meaning: 'runs another playbook by name', schema: { type: 'string', pattern: namePattern } },
  wait: { meaning: 'a duration, or `{ until: <time> }`', schema: { anyOf: [text, reference('wait')] } },
  return: { meaning: 'ends the run as completed, with this output', schema: reference('value') },
  fail: { meaning: 'ends the run as failed, with this message', schema: text },
} as const satisfies Readonly<Record<string, KeyDeclaration>>

export type Action = keyof typeof actionKeys

/** A step has exactly one of these keys. */
export const actions = Object.keys(actionKeys) as readonly Action[]

export const isAction = (key: string): key is Action => Object.hasOwn(actionKeys, key)

const withForeach = ['foreach']
const stateName = { type: 'string', pattern: idPattern } as const

export const stepKeys = {
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
  step: {
    what: 'a step',
    description: `One step, with exactly one of ${actions.join(', ')}.`,
    rules: { oneOf: actions.map((action) => ({ type: 'object', required: [action] })) },
    keys: {
      id: {
        meaning:
          'the name in `steps.<id>`: lower-case letters, digits and `_`, starting with a letter; unique',
        schema: { type: 'string', pattern: idPattern },
      },
      name: { meaning: 'a title for people', schema: text },
      if: {
        meaning:
          'an expression without `${{ }}`; the step is skipped unless it is true; evaluated once, before `foreach`',
        default: '`true`',
        schema: condition,
      },
      timeout: {
        meaning:
          'limit for one attempt of a skill, or for a whole group or called playbook; applies to each item of `foreach` and each round of `repeat`',
        default: `${duration(defaultSkillTimeoutMs)} for a skill, none for a group`,
        schema: reference('duration'),
        with: ['uses', 'steps', 'parallel', 'switch', 'call'],
      },
      retry: {
        meaning: 'when and how often to retry; with `uses`',
        schema: reference('retry'),
        with: ['uses'],
      },
      on_error: {
        meaning: '`fail`, `continue`, or steps that see `error`',
        default: '`fail`',
        schema: { anyOf: [{ enum: ['fail', 'continue'] }, reference('steps')] },
        with: ['uses', 'set', 'state', 'steps', 'parallel', 'switch', 'checkpoint', 'call', 'wait'],
      },
      default: {
        meaning: 'the output if the step is skipped or its failure is handled',
        default: 'no output',
        schema: reference('value'),
        with: ['uses', 'set', 'state', 'checkpoint', 'call', 'output'],
      },
      foreach: {
        meaning: 'a list; the step runs once per item, and its output is the list of outputs',
        schema: { anyOf: [{ type: 'string' }, { type: 'array' }] },
        with: ['uses', 'set', 'state', 'steps', 'parallel', 'switch', 'checkpoint', 'call'],
      },
      as: {
        meaning: 'the name of the item',
        default: `\`${defaultForeach.as}\``,
        schema: { type: 'string', pattern: idPattern, default: defaultForeach.as },
        with: withForeach,
      },
      concurrency: {
        meaning: `items or branches that run at the same time, ${range(bounds.concurrency)}`,
        default: `${defaultForeach.concurrency} item, all branches`,
        schema: integer(bounds.concurrency),
        with: ['foreach', 'parallel'],
      },
      max_items: {
        meaning: `maximum number of items; more fail the step; ${range(bounds.maxItems)}`,
        default: String(defaultForeach.maxItems),
        schema: { ...integer(bounds.maxItems), default: defaultForeach.maxItems },
        with: withForeach,
      },
      on_item_error: {
        meaning: '`fail` or `continue`',
        default: '`fail`',
        schema: { enum: ['fail', 'continue'], default: 'fail' },
        with: withForeach,
      },
      repeat: {
        meaning: 'repeats the step until a condition is true; with `uses`, `state` or `steps`',
        schema: reference('repeat'),
        with: ['uses', 'state', 'steps'],
      },
      on_interrupted: {
        meaning: `action after the server stopped during the call: ${choices(interruptedChoices)}`,
        default: 'as the skill declares',
        schema: { enum: interruptedChoices },
        with: ['uses'],
      },
      ...actionKeys,
      output: {
        meaning:
          'the output of a group: a value that is evaluated after its steps, for each item of `foreach` and each round of `repeat`',
        default: 'no output',
        schema: reference('value'),
        with: ['steps', 'parallel', 'switch'],
      },
      with: { meaning: 'the inputs of `uses` or `call`', schema: map, with: ['uses', 'call'] },
      connection: {
        meaning: 'the connection name; required if the plugin has several; with `uses`',
        default: 'the only connection of the plugin',
        schema: text,
        with: ['uses'],
      },
      else: {
        meaning: 'the steps of a `switch` if no case is true',
        default: 'none',
        schema: reference('steps'),
        with: ['switch'],
      },
    },
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
  checkpoint: {
    what: 'a checkpoint',
    description: 'Asks a person and waits for the answer.',
    keys: {
      via: {
        meaning:
          'a skill that sends the question, or `operator`: no message is sent, and an operator answers in the web page or API',
        schema: { type: 'string', anyOf: [{ const: viaOperator }, { pattern: skillPattern }] },
      },
      with: { meaning: 'the inputs of that skill; for `operator`: `message`, `labels`', schema: map },
      connection: {
        meaning: 'the connection name',
        default: 'the only connection of the plugin',
        schema: text,
      },
      ask: {
        meaning: `the people to ask, each with a question of their own, which sees them as \`${personName}\`; at most ${maxPeople}`,
        default: 'one person, whom `with` names',
        schema: { type: ['string', 'object', 'array'], minItems: 1, maxItems: maxPeople },
      },
      quorum: {
        meaning: `how many people must give the same answer: a number, or ${choices(quorumWords)} of those in \`ask\``,
        default: '`all`',
        schema: { anyOf: [integer(bounds.quorum), { enum: quorumWords }] },
        with: ['ask'],
      },
      veto: {
        meaning: 'an answer, or a list of answers, of which one decides alone',
        default: 'none',
        schema: { anyOf: [text, { ...texts, minItems: 1 }] },
        with: ['ask'],
      },
      escalate: {
        meaning: 'further people, each asked if there is no decision after a time',
        default: 'none',
        schema: { type: 'array', minItems: 1, items: reference('escalation') },
        with: ['ask'],
      },
      answers: { meaning: 'the list of possible answers', schema: { ...texts, minItems: 1 } },
      form: { meaning: 'a JSON Schema of the form to fill in, instead of `answers`', schema: map },
      timeout: { meaning: 'how long to wait', schema: { type: 'string', minLength: 2 } },
      on_timeout: {
        meaning:
          'the answer to use after the timeout, or if the answers of several people differ so that no decision is possible; or `fail`; for a form of several people, `continue`',
        default: '`fail`',
        schema: {},
      },
    },
    required: ['via', 'timeout'],
  },
  escalation: {
    what: 'an escalation',
    description: 'Further people to ask if there is no decision.',
    keys: {
      after: { meaning: 'how long after the first question', schema: reference('duration') },
      ask: {
        meaning: 'a person or a list',
        schema: { type: ['string', 'object', 'array'], minItems: 1, maxItems: maxPeople },
      },
    },
    required: ['after', 'ask'],
  },
  case: {
    what: 'a case of a switch',
    description: 'A case of a switch.',
    keys: {
      when: { meaning: 'an expression without `${{ }}`', schema: condition },
      steps: { meaning: 'the steps to run if it is true', schema: reference('steps') },
    },
    required: ['when', 'steps'],
  },
  wait: {
    what: '`wait`',
    description: 'Waits until a time.',
    keys: { until: { meaning: 'a time; a past time does not wait', schema: text } },
    required: ['until'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>

/** Keys that may skip a step. */
export const stepConditions: readonly string[] = Object.entries(stepKeys.step.keys)
  .filter(([, { schema }]) => schema === condition)
  .map(([key]) => key)
