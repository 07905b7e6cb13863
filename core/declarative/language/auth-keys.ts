import { phrases, shapes, type MapDeclaration } from '../../playbook/language/key-table.ts'

const { reference, text, map } = shapes
const { choices } = phrases

/** A connection authenticates in exactly one of these ways. */
export const authKinds = ['header', 'query', 'basic', 'bearer', 'oauth2', 'aws', 'hmac'] as const

export const grants = ['client_credentials', 'jwt_bearer', 'authorization_code'] as const
export const clientPlaces = ['form', 'basic'] as const
export const jwtAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'HS256', 'HS512'] as const
export type JwtAlgorithm = (typeof jwtAlgorithms)[number]
export const hmacAlgorithms = ['sha256', 'sha1', 'sha512'] as const
export const hmacEncodings = ['hex', 'base64'] as const

export const refreshTokenUses = ['single_use', 'reusable'] as const

/** Keys of `oauth2` that belong to some grants. */
export const grantKeys = {
  client_credentials: ['client_id', 'client_secret', 'audience', 'send'],
  jwt_bearer: ['algorithm', 'key', 'key_id', 'claims', 'lifetime'],
  authorization_code: [
    'authorize',
    'revoke',
    'client_id',
    'client_secret',
    'send',
    'parameters',
    'issuer',
    'refresh_token',
  ],
} as const

/** The keys of credentials; see `plugin-keys.ts`. */
export const authMaps = {
  auth: {
    what: '`auth`',
    description: `The credentials of every request, with exactly one of ${authKinds.join(', ')}. Templates may read \`settings\`, secrets included.`,
    rules: { oneOf: authKinds.map((kind) => ({ type: 'object', required: [kind] })) },
    keys: {
      header: { meaning: 'the name of a header for an API key, with `value`', schema: text },
      query: {
        meaning:
          'the name of a query parameter for an API key, with `value`; a header is better, if the system takes one',
        schema: text,
      },
      value: { meaning: 'the value of the header or parameter', schema: text, with: ['header', 'query'] },
      basic: { meaning: 'HTTP Basic authentication: `{ username, password }`', schema: reference('basic') },
      bearer: { meaning: 'a token, sent as `Authorization: Bearer …`', schema: text },
      oauth2: { meaning: 'OAuth 2.0: Tocsin fetches and renews the token', schema: reference('oauth2') },
      aws: { meaning: 'AWS Signature Version 4', schema: reference('aws') },
      hmac: { meaning: 'a signature of each request with a shared key', schema: reference('hmac') },
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
    description: 'OAuth 2.0, for a machine or with the sign-in of a person.',
    keys: {
      grant: {
        meaning:
          '`client_credentials` (RFC 6749); `jwt_bearer`: an assertion signed with a key (RFC 7523); or `authorization_code`: an administrator signs in (RFC 6749 with PKCE)',
        schema: { enum: grants },
      },
      token: {
        meaning:
          'the token endpoint: a path below the base URL, or an absolute address whose origin `other_origins` lists; may read `settings`, each value percent-encoded unless it begins the address',
        schema: text,
      },
      authorize: {
        meaning:
          'the page where the administrator agrees; written like `token`, but may have any https origin; with `authorization_code`',
        schema: text,
      },
      revoke: {
        meaning: 'the revocation endpoint (RFC 7009), written like `token`; with `authorization_code`',
        default: 'none',
        schema: text,
      },
      client_id: {
        meaning: 'the client id; with `client_credentials` or `authorization_code`',
        schema: text,
      },
      client_secret: {
        meaning:
          'the client secret; with `client_credentials` or `authorization_code`, where a public client has none',
        schema: text,
      },
      send: {
        meaning: '`form`: the client is sent in the form; `basic`: in an `Authorization: Basic` header',
        default: '`form`',
        schema: { enum: clientPlaces },
      },
      scope: { meaning: 'the scopes, separated by spaces', default: 'none', schema: text },
      audience: { meaning: 'the audience; with `client_credentials`', default: 'none', schema: text },
      fields: { meaning: 'further fields of the form', default: 'none', schema: map },
      parameters: {
        meaning:
          'further parameters of `authorize`, such as `{ access_type: offline, prompt: consent }`; with `authorization_code`',
        default: 'none',
        schema: map,
      },
      issuer: {
        meaning:
          'the `iss` that the answer of `authorize` must have, for vendors that send it (RFC 9207); with `authorization_code`',
        default: 'none',
        schema: text,
      },
      refresh_token: {
        meaning:
          '`reusable`: the vendor accepts a refresh token again after the answer to its use was lost; `single_use`: such a loss requires a new sign-in; with `authorization_code`',
        default: '`single_use`',
        schema: { enum: refreshTokenUses },
      },
      algorithm: {
        meaning: `how the assertion is signed: ${choices(jwtAlgorithms)}; with \`jwt_bearer\``,
        default: '`RS256`',
        schema: { enum: jwtAlgorithms },
      },
      key: { meaning: 'the private key in PEM, or the shared key; with `jwt_bearer`', schema: text },
      key_id: { meaning: 'the `kid` of the assertion; with `jwt_bearer`', default: 'none', schema: text },
      claims: {
        meaning: 'the claims besides `iat`, `exp` and `jti`, such as `iss`, `sub`, `aud`; with `jwt_bearer`',
        schema: map,
      },
      lifetime: {
        meaning: 'how long the assertion is valid; with `jwt_bearer`',
        default: '`5m`',
        schema: reference('duration'),
      },
    },
    required: ['grant', 'token'],
  },
  aws: {
    what: '`aws`',
    description: 'AWS Signature Version 4.',
    keys: {
      access_key_id: { meaning: 'the access key id; required except for a host', schema: text },
      secret_access_key: { meaning: 'the secret access key; required except for a host', schema: text },
      session_token: { meaning: 'the session token of temporary credentials', default: 'none', schema: text },
      region: { meaning: 'the region, such as `eu-central-1`; required except for a host', schema: text },
      service: { meaning: 'the service, such as `guardduty`', schema: text },
    },
    required: ['service'],
  },
  hmac: {
    what: '`hmac`',
    description: 'A signature of each request with a shared key.',
    keys: {
      algorithm: {
        meaning: choices(hmacAlgorithms),
        default: '`sha256`',
        schema: { enum: hmacAlgorithms },
      },
      key: { meaning: 'the shared key', schema: text },
      text: {
        meaning:
          'the text to sign; reads `request` (`method`, `url`, `path`, `query`, `headers`, `body`), `now` and `now_ms`',
        schema: text,
      },
      encoding: {
        meaning: choices(hmacEncodings),
        default: '`hex`',
        schema: { enum: hmacEncodings },
      },
      headers: {
        meaning: 'the headers to add; they read `signature` besides the names of `text`',
        default: 'none',
        schema: map,
      },
      query: {
        meaning:
          'the query parameters to add, which `request` does not contain; they read what `headers` read',
        default: 'none',
        schema: map,
      },
    },
    required: ['key', 'text'],
    rules: {
      anyOf: [
        { type: 'object', required: ['headers'] },
        { type: 'object', required: ['query'] },
      ],
    },
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>
