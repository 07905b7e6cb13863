import { destructiveClasses, observableKinds, type JsonSchema } from '../../plugin/index.ts'
import { apiVersion } from '../../playbook/language/constants.ts'
import { durationPattern } from '../../playbook/language/durations.ts'
import {
  definitionsOf,
  keyTables,
  phrases,
  schemaOfKeys,
  shapes,
  type MapDeclaration,
} from '../../playbook/language/key-table.ts'
import { authMaps } from './auth-keys.ts'
import { requestMaps } from './request-keys.ts'
import { webhookMaps } from './webhook-keys.ts'

const { reference, text, texts, map } = shapes
const { choices } = phrases

export const pluginNamePattern = '^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$'
export const pluginNameRule = 'use lower-case letters, digits and single underscores, starting with a letter'
const address = { type: 'string', pattern: '^https://' } as const
const name = { type: 'string', maxLength: 100, pattern: pluginNamePattern } as const

const jsonTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const

export const skillEffects = ['read', 'write'] as const
export const repeats = ['safe', 'verify', 'never'] as const

/**
 * Every key of `plugin.yaml`, by the map that holds it. The reader, the JSON Schema, the reference in
 * docs/declarative-plugins.md and the editor all read this table.
 */
export const pluginKeys = {
  plugin: {
    what: 'a plugin',
    description:
      'A Tocsin plugin, for editors: keys, shapes and choices. Loading it checks expressions, schemas and everything else.',
    keys: {
      apiVersion: { meaning: `\`${apiVersion}\``, schema: { const: apiVersion } },
      plugin: { meaning: 'the name in snake_case: the folder name with `_` for `-`', schema: name },
      title: { meaning: 'the title', schema: text },
      description: { meaning: 'one or two sentences for the author of a playbook', schema: text },
      docs: { meaning: 'the vendor’s documentation of the API', default: 'none', schema: address },
      connection: {
        meaning: 'how to reach the other system',
        default: 'the plugin needs no connection',
        schema: reference('connection'),
      },
      skills: {
        meaning: 'the skills, at most 200',
        schema: { type: 'array', minItems: 1, maxItems: 200, items: reference('skill') },
      },
    },
    required: ['apiVersion', 'plugin', 'title', 'description', 'skills'],
  },
  connection: {
    what: '`connection`',
    description: 'How to reach the other system: address, credentials, limits, errors.',
    keys: {
      title: { meaning: 'the title', default: 'the title of the plugin', schema: text },
      description: { meaning: 'a description for operators', default: 'that of the plugin', schema: text },
      docs: { meaning: 'where the vendor says how to create credentials', default: 'none', schema: address },
      setup: {
        meaning: 'steps for the operator, from nothing to working credentials',
        default: 'none',
        schema: texts,
      },
      fields: {
        meaning: 'the fields to fill in: name → a field',
        default: 'only `base_url`',
        schema: { type: 'object', additionalProperties: reference('field') },
      },
      base_url: {
        meaning:
          'origin and base path of every request, without slash at the end; may read `settings`. An operator can replace it by the field `base_url`, which exists unless `fields` declares it',
        schema: text,
      },
      other_origins: {
        meaning: 'further origins for absolute addresses; they never receive credentials',
        default: 'none',
        schema: texts,
      },
      headers: { meaning: 'headers of every request; may read `settings`', default: 'none', schema: map },
      auth: { meaning: 'the credentials', default: 'none', schema: reference('auth') },
      rate: {
        meaning:
          'how many requests the other system accepts: `50/week`, a list of such limits, which all apply, or budgets for some requests; may read `settings`',
        default: 'no limit',
        schema: {
          anyOf: [text, { type: 'array', minItems: 1, items: { anyOf: [text, reference('rate')] } }],
        },
      },
      check: { meaning: 'the request that tests the credentials', schema: reference('check') },
      errors: {
        meaning: 'explains answers that are errors; the first match counts',
        default: 'the message is taken from the answer',
        schema: { type: 'array', items: reference('error') },
      },
      webhooks: {
        meaning: 'receives alerts: the last word of the address → a webhook',
        default: 'none',
        schema: { type: 'object', additionalProperties: reference('webhook') },
      },
    },
    required: ['base_url', 'check'],
  },
  ...authMaps,
  ...webhookMaps,
  rate: {
    what: 'a rate',
    description: 'The limits of some requests. The first budget that fits a request counts.',
    keys: {
      methods: { meaning: 'the methods of the requests', default: 'all', schema: texts },
      path: { meaning: 'what the path below the base URL begins with', default: 'any path', schema: text },
      bucket: {
        meaning: 'a name; budgets with the same name share their limits',
        default: 'its own',
        schema: text,
      },
      limits: {
        meaning: 'the limits: `50/week`, or a list',
        schema: { anyOf: [text, { type: 'array', minItems: 1, items: text }] },
      },
    },
    required: ['limits'],
  },
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
        meaning: 'the skill of this plugin that reads the progress of a destructive call',
        default: 'none',
        schema: name,
        with: ['destructive'],
      },
      enriches: {
        meaning: `kinds of observable that it looks up: ${choices(observableKinds)}. It then has the inputs \`kind\` and \`value\`, and its output needs \`risk.score\``,
        default: 'none',
        schema: { anyOf: [{ enum: observableKinds }, { type: 'array', items: { enum: observableKinds } }] },
      },
      input: {
        meaning: 'the inputs: name → a field',
        default: 'none',
        schema: { type: 'object', additionalProperties: reference('field') },
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
  field: {
    what: 'a field',
    description: 'One field of a connection or input of a skill: these keys, and any keyword of JSON Schema.',
    keys: {
      type: {
        meaning: 'the type of JSON Schema',
        default: '`string`',
        schema: { anyOf: [{ enum: jsonTypes }, { type: 'array', items: { enum: jsonTypes } }] },
      },
      title: { meaning: 'the title', default: 'made from the name', schema: text },
      description: { meaning: 'a description for people', schema: text },
      default: { meaning: 'the value if none is given', default: 'none: the field is required', schema: {} },
      optional: {
        meaning: '`true`: the field may be missing; read it with `.?`',
        default: '`false`',
        schema: { type: 'boolean' },
      },
      secret: {
        meaning: '`true`: stored encrypted and never shown; only for fields of a connection',
        default: '`false`',
        schema: { type: 'boolean' },
      },
      sensitive: {
        meaning: '`true`: may be given sensitive values; only for inputs',
        default: '`false`',
        schema: { type: 'boolean' },
      },
      address: {
        meaning:
          '`public`: the https address of a system; `private`: one in the operator’s network, also http',
        default: '`public` for `base_url`, else none',
        schema: { enum: ['public', 'private'] },
      },
    },
    rules: { additionalProperties: true },
  },
  outputField: {
    what: 'an output field',
    description: 'A field of an output with its type: these keys, and any keyword of JSON Schema.',
    keys: {
      type: { meaning: 'the type of JSON Schema', default: 'the type of the expression', schema: {} },
      value: { meaning: 'the value', schema: {} },
      optional: {
        meaning: '`true`: the field is left out if the value is null or missing',
        default: '`false`',
        schema: {},
      },
      each: { meaning: 'instead of `value`: a list, each `item` of which is mapped by `item`', schema: {} },
      item: { meaning: 'how an `item` is mapped: written like a field; with `each`', schema: {} },
    },
    rules: { additionalProperties: true },
  },
  ...requestMaps,
} as const satisfies Readonly<Record<string, MapDeclaration>>

/** The keys for the reader. */
export const pluginGrammar = keyTables<keyof typeof pluginKeys>(pluginKeys)

const { plugin, ...inner } = pluginKeys

/** The content of `schemas/plugin.schema.json`. */
export const pluginSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'plugin.schema.json',
  title: 'Plugin',
  ...schemaOfKeys(plugin),
  $defs: {
    ...definitionsOf(inner),
    duration: {
      type: 'string',
      pattern: durationPattern,
      minLength: 2,
      description: 'Such as 500ms, 30s, 5m, 2h, 1d, 1h30m.',
    },
    value: { description: 'Any value; texts may contain expressions: ${{ … }}.' },
  },
}
