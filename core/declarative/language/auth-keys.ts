import { shapes, type MapDeclaration } from '../../playbook/language/key-table.ts'

const { reference, text, map } = shapes

/** A connection authenticates in exactly one of these ways. */
export const authKinds = ['header', 'basic', 'bearer', 'oauth2'] as const

export const grants = ['client_credentials'] as const

/** The keys of credentials; see `plugin-keys.ts`. */
export const authMaps = {
  auth: {
    what: '`auth`',
    description: `The credentials of every request, with exactly one of ${authKinds.join(', ')}. Templates may read \`settings\`, secrets included.`,
    rules: { oneOf: authKinds.map((kind) => ({ type: 'object', required: [kind] })) },
    keys: {
      header: { meaning: 'the name of a header for an API key, with `value`', schema: text },
      value: {
        meaning: 'the value of the header',
        schema: text,
        with: ['header'],
      },
      basic: { meaning: 'HTTP Basic authentication: `{ username, password }`', schema: reference('basic') },
      bearer: { meaning: 'a token, sent as `Authorization: Bearer …`', schema: text },
      oauth2: { meaning: 'OAuth 2.0: Tocsin fetches and renews the token', schema: reference('oauth2') },
    },
  },
  basic: {
    what: '`basic`',
    description: 'HTTP Basic authentication.',
    keys: {
      username: { meaning: 'the user name', schema: text },
      password: { meaning: 'the password; may be empty', schema: { type: 'string' } },
    },
    required: ['username', 'password'],
  },
  oauth2: {
    what: '`oauth2`',
    description: 'OAuth 2.0 for a machine.',
    keys: {
      grant: { meaning: '`client_credentials`', schema: { enum: grants } },
      token: {
        meaning:
          'the token endpoint: a path below the base URL, or an absolute address whose origin `other_origins` lists',
        schema: text,
      },
      client_id: { meaning: 'the client id', schema: text },
      client_secret: { meaning: 'the client secret', schema: text },
      scope: { meaning: 'the scopes, separated by blanks', default: 'none', schema: text },
      audience: { meaning: 'the audience', default: 'none', schema: text },
      fields: { meaning: 'further fields of the form', default: 'none', schema: map },
    },
    required: ['grant', 'token', 'client_id', 'client_secret'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
