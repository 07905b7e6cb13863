import { ref } from './ref.ts'

const noteSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['reason', 'at'],
  properties: {
    reason: { type: 'string', description: 'One sentence for the operator.' },
    at: { type: 'integer', minimum: 0, description: 'Since when (epoch milliseconds).' },
  },
} as const

const timeOrNull = { type: ['integer', 'null'], minimum: 0 } as const

const signInSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'needed',
    'redirect_uri',
    'signed_in_at',
    'signed_in_by',
    'account',
    'scope',
    'expires_at',
    'renewed_at',
  ],
  properties: {
    needed: {
      description: 'Why an administrator must sign in; null: not needed.',
      anyOf: [{ type: 'null' }, ref('#/$defs/note', noteSchema)],
    },
    redirect_uri: { type: 'string', description: 'Register it with the vendor.' },
    signed_in_at: { ...timeOrNull, description: 'Epoch milliseconds; null: not signed in.' },
    signed_in_by: { type: ['string', 'null'], description: 'Name of the API key.' },
    account: {
      type: ['string', 'null'],
      description: 'The account, as the latest test reported it; null: unknown.',
    },
    scope: { type: ['string', 'null'], description: 'The granted scope; null: the vendor did not say.' },
    expires_at: {
      ...timeOrNull,
      description: 'When the access token expires; it is renewed before if the vendor allows it.',
    },
    renewed_at: { ...timeOrNull, description: 'When the access token was last renewed.' },
  },
} as const

/** A connection in answers of the API. */
export const apiConnectionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'connection.schema.json',
  title: 'Connection',
  description: 'A connection: a named set of settings and secrets for a plugin. Secrets are never returned.',
  type: 'object',
  additionalProperties: false,
  required: [
    'connection_uuid',
    'organization_code',
    'organization_uuid',
    'name',
    'plugin',
    'settings',
    'secret_references',
    'enabled',
    'credential_age_days',
    'broken',
    'last_failure',
    'sign_in',
    'warnings',
    'revision',
    'created_at',
    'modified_at',
  ],
  properties: {
    connection_uuid: { type: 'string', format: 'uuid', description: 'Unique id.' },
    organization_code: { type: 'string' },
    organization_uuid: { type: 'string', format: 'uuid', description: 'The organization.' },
    name: {
      type: 'string',
      description: 'Name of the connection, unique in the organization ignoring case.',
    },
    plugin: { type: 'string', description: 'Name of the plugin.' },
    settings: { type: 'object', description: "Fields of the plugin's schema that are not secret." },
    secret_references: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Where secrets are kept that Tocsin does not store, by field, e.g. `vault:intel#api_key`.',
    },
    enabled: { type: 'boolean' },
    credential_age_days: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Whole days since its stored secrets were entered; null if it has none.',
    },
    broken: {
      description: 'Why it cannot be used; null if it can. Cleared by an edit or a successful test.',
      anyOf: [{ type: 'null' }, ref('#/$defs/note', noteSchema)],
    },
    last_failure: {
      description:
        'The latest refusal of its credentials or settings; null if none since the last edit or success.',
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['code', 'at'],
          properties: {
            code: { type: 'string', description: 'Code of the error, e.g. http_401.' },
            at: { type: 'integer', minimum: 0, description: 'Epoch milliseconds.' },
          },
        },
      ],
    },
    sign_in: {
      description: 'The OAuth 2.0 sign-in to the other system; null if the plugin has none.',
      anyOf: [{ type: 'null' }, signInSchema],
    },
    revision: {
      type: 'integer',
      minimum: 1,
      description: "Rises with each edit; part of the `ETag` for the next edit's `If-Match`.",
    },
    warnings: {
      type: 'array',
      items: ref('#/$defs/note', noteSchema),
      description:
        'Warnings for the operator: a needed sign-in, credentials of 90 days or more, a warning of the other system, or a recent refusal.',
    },
    created_at: { type: 'integer', minimum: 0, description: 'When it was added (epoch milliseconds).' },
    modified_at: { type: 'integer', minimum: 0, description: 'When it last changed (epoch milliseconds).' },
  },
  $defs: { note: noteSchema },
} as const
