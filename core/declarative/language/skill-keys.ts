import { destructiveClasses, observableKinds } from '../../plugin/index.ts'
import { phrases, shapes, type MapDeclaration } from '../../playbook/language/key-table.ts'
import { relatedMaps, skillName } from './related-keys.ts'
import { requestBounds } from './request-keys.ts'

/** The keys of skills; see `plugin-keys.ts`. */

const { reference, text, texts, map, condition, integer } = shapes
const { choices } = phrases

export const skillEffects = ['read', 'write'] as const
export const repeats = ['safe', 'verify', 'never'] as const

const address = { type: 'string', pattern: '^https://' } as const
const name = skillName

export const skillMaps = {
  skill: {
    what: 'a skill',
    description: 'One typed operation; playbooks use it as `<plugin>.<name>`.',
    keys: {
      name: { meaning: 'verb and noun in snake_case, unique in the plugin', schema: name },
      title: { meaning: 'the title', schema: text },
      description: { meaning: 'what it does, in one or two sentences', schema: text },
      docs: { meaning: 'the vendor’s page about the operation', schema: address },
      permissions: {
        meaning: 'the permissions that the credentials need for it, as the vendor names them',
        default: 'not stated',
        schema: texts,
      },
      effect: {
        meaning: '`read` changes nothing in the other system; `write` does',
        schema: { enum: skillEffects },
      },
      repeat: {
        meaning:
          'what to do after an interrupted write: `safe` repeats it, `verify` first checks with the request in `verify` whether it took effect, `never` lets a person decide; for writes',
        schema: { enum: repeats },
      },
      destructive: {
        meaning: `what a write does to machines, accounts or protections: ${choices(destructiveClasses)}`,
        default: 'not destructive',
        schema: { enum: destructiveClasses },
      },
      verify: {
        meaning: 'how to ask whether an interrupted write took effect; with `repeat: verify`',
        schema: reference('verify'),
      },
      changed_nothing: {
        meaning:
          'a condition over `output`: a destructive call changed nothing, and does not count against the hourly limit',
        default: 'every call counts',
        schema: { type: ['string', 'boolean'] },
        with: ['destructive'],
      },
      follow_with: {
        meaning:
          'the skill of this plugin that reads the progress, or the state, of a destructive call: its name, or with its input like `undone_by`',
        default: 'none',
        schema: { anyOf: [name, reference('related')] },
        with: ['destructive'],
      },
      undone_by: {
        meaning: 'the skill of this plugin that undoes a write, with its input',
        default: 'none, or not stated',
        schema: reference('related'),
      },
      irreversible: {
        meaning: 'why nothing undoes a destructive skill, such as `ended sessions cannot be restored`',
        default: 'not stated',
        schema: text,
        with: ['destructive'],
      },
      state_by: {
        meaning:
          'for a destructive skill with `undone_by`: the skill of this plugin that reads whether it is still in effect',
        default: 'none, or not stated',
        schema: reference('state'),
        with: ['undone_by'],
      },
      state_unreadable: {
        meaning: 'why nothing tells whether a destructive skill with `undone_by` is still in effect',
        default: 'not stated',
        schema: text,
        with: ['undone_by'],
      },
      restores: {
        meaning:
          '`true`: the destructive skill ends a containment or a block, such as one that releases a machine',
        default: '`false`',
        schema: { const: true },
        with: ['destructive'],
      },
      enriches: {
        meaning: `kinds of observable that it looks up: ${choices(observableKinds)}. It then has the inputs \`kind\` and \`value\`, and its output needs \`risk.score\``,
        default: 'none',
        schema: { anyOf: [{ enum: observableKinds }, { type: 'array', items: { enum: observableKinds } }] },
      },
      implements: {
        meaning:
          'the [interfaces](interfaces.md) that it implements: name of the interface → how its fields are mapped',
        default: 'none',
        schema: { type: 'object', minProperties: 1, additionalProperties: reference('implementation') },
      },
      input: {
        meaning: 'the inputs: name → a field',
        default: 'none',
        schema: { type: 'object', additionalProperties: reference('field') },
      },
      before: {
        meaning:
          'requests that read, sent first, in this order: name → a request. Later expressions read the answers as `before.<name>`',
        default: 'none',
        schema: {
          type: 'object',
          minProperties: 1,
          maxProperties: 5,
          additionalProperties: reference('before'),
        },
      },
      skip: {
        meaning:
          'a condition, usually over `before`: the request is not sent. The output of a write then has `changed: false`, else `changed: true`',
        default: 'always sent',
        schema: { anyOf: [{ type: ['string', 'boolean'] }, reference('skip')] },
      },
      request: { meaning: 'the request', schema: reference('request') },
      not_found: {
        meaning:
          'the status or statuses that mean that the object does not exist: the output is then `found: false`',
        default: 'an error',
        schema: {
          anyOf: [
            { type: 'integer', minimum: 200, maximum: 599 },
            { type: 'array', items: { type: 'integer', minimum: 200, maximum: 599 } },
            reference('not_found'),
          ],
        },
      },
      paging: {
        meaning: 'how a list that comes in pages is read; `output` then reads `items`',
        default: 'one request',
        schema: reference('paging'),
      },
      details: {
        meaning: 'how the details of listed ids are read; with `paging`, whose `items` are then ids',
        default: 'the items of the pages',
        schema: reference('details'),
        with: ['paging'],
      },
      poll: {
        meaning: 'how to wait for an operation that the request only started',
        default: 'the first answer is the result',
        schema: reference('poll'),
      },
      response: {
        meaning: 'a JSON Schema of the body of an answer, to check expressions against',
        default: 'the body has any form',
        schema: map,
      },
      output: {
        meaning: 'the output: name → value or output field',
        schema: { type: 'object', additionalProperties: { anyOf: [{}, reference('output_field')] } },
      },
      examples: {
        meaning: 'files with recorded answers, below the folder of the plugin',
        schema: texts,
      },
    },
    required: ['name', 'title', 'description', 'effect', 'request', 'output'],
  },
  skip: {
    what: '`skip`',
    description: 'When the request of the skill is not sent.',
    keys: {
      when: { meaning: 'a condition, usually over `before`', schema: condition },
      output: {
        meaning: 'the output then; that of a write also has `changed`, which is false',
        default: 'none',
        schema: map,
      },
    },
    required: ['when'],
  },
  details: {
    what: '`details`',
    description: 'Reads the details of the ids that `paging` has listed.',
    keys: {
      request: { meaning: 'a request that reads; `ids` has the next ids', schema: reference('request') },
      size: {
        meaning: 'the most ids in a request; with 1, it is sent for each id',
        default: '`100`',
        schema: integer(requestBounds.pageSize),
      },
      items: { meaning: 'the list in `response`', schema: text },
    },
    required: ['request', 'items'],
  },
  verify: {
    what: '`verify`',
    description: 'Asks the other system whether an interrupted write took effect.',
    keys: {
      request: {
        meaning: 'a request that reads',
        default: 'the requests of `before`, sent again',
        schema: reference('request'),
      },
      took_effect: { meaning: 'a condition over `response`, or over `before`', schema: condition },
      output: {
        meaning: 'the output if it did',
        default: 'the `output` of the skill, over this answer',
        schema: map,
      },
    },
    required: ['took_effect'],
  },
  poll: {
    what: '`poll`',
    description: 'Waits for an operation that the request only started; `output` reads the last answer.',
    keys: {
      request: {
        meaning: 'asks for the state; `submitted` is the answer that started the operation',
        default: 'that of the skill again, if it is a GET or the skill reads',
        schema: reference('request'),
      },
      until: { meaning: 'a condition over `response`: the operation has ended', schema: condition },
      failed: {
        meaning: 'a condition over `response`: it has failed, and so does the step',
        default: 'never',
        schema: condition,
      },
      message: {
        meaning: 'the message if it has failed; may read `response`',
        default: 'the operation has failed in the other system',
        schema: text,
      },
      every: { meaning: 'the wait between two requests', default: '`5s`', schema: reference('duration') },
      timeout: {
        meaning: 'the longest wait; the timeout of the step also ends it',
        default: '`10m`',
        schema: reference('duration'),
      },
    },
    required: ['until'],
  },
  ...relatedMaps,
  implementation: {
    what: 'an implementation',
    description: 'How the fields of an interface and of the skill are mapped.',
    keys: {
      only: {
        meaning: 'the values of inputs that the skill accepts, such as `{ kind: [ip, domain] }`',
        default: 'all',
        schema: { type: 'object', minProperties: 1, additionalProperties: texts },
      },
      input: {
        meaning: 'the input of the skill; reads `input`, the input of the interface',
        schema: map,
      },
      output: {
        meaning:
          'the output of the interface; reads `output`, the output of the skill, and `input`. Values marked `x-sensitive` are missing',
        schema: map,
      },
    },
    required: ['input', 'output'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
