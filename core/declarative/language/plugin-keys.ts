import type { JsonSchema } from '../../plugin/index.ts'
import { apiVersion } from '../../playbook/language/constants.ts'
import { durationPattern } from '../../playbook/language/durations.ts'
import {
  definitionsOf,
  keyTables,
  schemaOfKeys,
  shapes,
  type MapDeclaration,
} from '../../playbook/language/key-table.ts'
import { authMaps } from './auth-keys.ts'
import { requestMaps } from './request-keys.ts'
import { skillName } from './related-keys.ts'
import { skillMaps } from './skill-keys.ts'
import { webhookMaps } from './webhook-keys.ts'

const { reference, text, texts, map } = shapes

const address = { type: 'string', pattern: '^https://' } as const
const name = skillName

const jsonTypes = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const

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
      hosts: {
        meaning: 'further addresses of the system, at most 10: name → a host. A request names one as `host`',
        default: 'none',
        schema: { type: 'object', maxProperties: 10, additionalProperties: reference('host') },
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
      xml: {
        meaning: 'answers in XML: `response.xml`',
        default: 'answers are JSON or text',
        schema: reference('xml'),
      },
      webhooks: {
        meaning: 'receives alerts: the last word of the address → a webhook',
        default: 'none',
        schema: { type: 'object', additionalProperties: reference('webhook') },
      },
    },
    required: ['base_url', 'check'],
  },
  host: {
    what: 'a host',
    description: 'A further address of the system, with credentials of its own or none.',
    keys: {
      base_url: {
        meaning:
          'its address, written like that of the connection. An operator can replace it by the field `<name>_url`, which exists unless `fields` declares it',
        schema: text,
      },
      headers: { meaning: 'headers of every request to it', default: 'none', schema: map },
      auth: {
        meaning:
          'its credentials, written like those of the connection, or `same`: those of the connection with its `headers`. `aws` takes what is missing from the `aws` of the connection',
        default: 'none',
        schema: { anyOf: [{ const: 'same' }, reference('auth')] },
      },
    },
    required: ['base_url'],
  },
  xml: {
    what: '`xml`',
    description: 'How answers in XML are read.',
    keys: {
      lists: {
        meaning:
          'elements that are lists, however often they occur: `Contents`, or `Users/member` for an element `Users` that contains a list of `member`',
        default: 'none',
        schema: texts,
      },
    },
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
  ...skillMaps,
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
