import { ratePattern } from '../../common/rates.ts'
import {
  bounds,
  defaultForeach,
  defaultSkillTimeoutMs,
  idPattern,
  interruptedChoices,
  namePattern,
  skillPattern,
} from './constants.ts'
import { stepMaps } from './parts/step-maps.ts'
import { phrases, shapes, type KeyDeclaration, type MapDeclaration } from './key-table.ts'

/** The keys of steps and of the maps in steps; see `grammar.ts`. */

const { reference, text, map, condition, integer } = shapes
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
  wait: {
    meaning: 'a duration, `{ until: <time> }`, or `{ for: <event> }`',
    schema: { anyOf: [text, reference('wait')] },
  },
  return: { meaning: 'ends the run as completed, with this output', schema: reference('value') },
  fail: { meaning: 'ends the run as failed, with this message', schema: text },
} as const satisfies Readonly<Record<string, KeyDeclaration>>

export type Action = keyof typeof actionKeys

/** A step has exactly one of these keys. */
export const actions = Object.keys(actionKeys) as readonly Action[]

export const isAction = (key: string): key is Action => Object.hasOwn(actionKeys, key)

const withForeach = ['foreach']

export const stepKeys = {
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
      rate: {
        meaning:
          'how often the step starts, such as `30/min`, over all runs of the organization; each item of `foreach` and each round of `repeat` counts',
        default: 'no limit',
        schema: { anyOf: [{ type: 'string', pattern: ratePattern }, reference('rate')] },
        with: ['uses', 'steps', 'parallel', 'switch', 'checkpoint', 'call'],
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
      undo: {
        meaning:
          'when the containment of the skill is undone: `{ after: 4h, unless: <condition> }`; for skills that contain, such as an isolation',
        default: 'only people undo it',
        schema: reference('undo'),
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
  ...stepMaps,
} as const satisfies Readonly<Record<string, MapDeclaration>>

/** Keys that may skip a step. */
export const stepConditions: readonly string[] = Object.entries(stepKeys.step.keys)
  .filter(([, { schema }]) => schema === condition)
  .map(([key]) => key)
