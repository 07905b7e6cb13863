import { createHmac, randomUUID, sign as signBytes, constants } from 'node:crypto'
import {
  pathText,
  type ConnectionDefinition,
  type RequestSignature,
  type RequestToSign,
  type SignInRequest,
  type TokenRequest,
} from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { DeclaredAuth } from '../language/declared-auth.ts'
import { awsSignature } from './aws-signature.ts'
import { connectionValues, textValue, textValues, valueOf, type Values } from './values.ts'

type Auth<Kind extends DeclaredAuth['kind']> = Extract<DeclaredAuth, { readonly kind: Kind }>

/** The headers with credentials that do not depend on the request. */
export function credentialHeaders(
  auth: DeclaredAuth | undefined,
  values: Values,
): Readonly<Record<string, string>> {
  switch (auth?.kind) {
    case 'header':
      return { [auth.name.toLowerCase()]: filled(auth.value, values, auth.name) }
    case 'bearer':
      return { authorization: `Bearer ${filled(auth.token, values, 'token')}` }
    case 'basic':
      return { authorization: basic(textValue(auth.username, values), textValue(auth.password, values)) }
    default:
      return {}
  }
}

const basic = (username = '', password = ''): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

function filled(template: Template, values: Values, what: string): string {
  const text = textValue(template, values)
  if (text === undefined) throw new Error(`the ${what} is empty`)
  return text
}

/** The parts of a connection that fetch tokens and sign requests. */
export function signing(
  auth: DeclaredAuth | undefined,
): Pick<ConnectionDefinition, 'token' | 'sign' | 'signIn'> {
  switch (auth?.kind) {
    case 'query':
      return {
        sign: ({ nowMs }, settings) => ({
          query: { [auth.name]: filled(auth.value, connectionValues(settings, nowMs), auth.name) },
        }),
      }
    case 'aws':
      return {
        sign: (request, settings) => ({ headers: signAws(auth, request, settings) }),
      }
    case 'hmac':
      return { sign: (request, settings) => signHmac(auth, request, settings) }
    case 'client_credentials':
      return { token: (settings, { nowMs }) => clientRequest(auth, connectionValues(settings, nowMs)) }
    case 'jwt_bearer':
      return { token: (settings, { nowMs }) => assertionRequest(auth, settings, nowMs) }
    case 'authorization_code':
      return { signIn: (settings) => signInRequest(auth, connectionValues(settings, 0)) }
    default:
      return {}
  }
}

function signInRequest(auth: Auth<'authorization_code'>, values: Values): SignInRequest {
  const text = (template: Template | undefined) => textValue(template, values)
  const [clientSecret, scope, issuer] = [text(auth.clientSecret), text(auth.scope), text(auth.issuer)]
  return {
    authorize: endpoint(auth.authorize, values, 'authorization endpoint'),
    token: endpoint(auth.token, values, 'token endpoint'),
    ...(auth.revoke !== undefined && { revoke: endpoint(auth.revoke, values, 'revocation endpoint') }),
    clientId: filled(auth.clientId, values, 'client id'),
    ...(clientSecret !== undefined && { clientSecret }),
    send: auth.send,
    ...(scope !== undefined && { scope }),
    parameters: textValues(auth.parameters, values),
    form: textValues(auth.form, values),
    ...(issuer !== undefined && { issuer }),
    refreshToken: auth.refreshToken,
  }
}

function signAws(auth: Auth<'aws'>, request: RequestToSign, settings: unknown) {
  const values = connectionValues(settings, request.nowMs)
  return awsSignature(request, {
    accessKeyId: filled(auth.accessKeyId, values, 'access key id'),
    secretAccessKey: filled(auth.secretAccessKey, values, 'secret access key'),
    sessionToken: textValue(auth.sessionToken, values),
    region: filled(auth.region, values, 'region'),
    service: filled(auth.service, values, 'service'),
  })
}

function signHmac(auth: Auth<'hmac'>, request: RequestToSign, settings: unknown): RequestSignature {
  const { nowMs, method, url, headers, body } = request
  const { pathname, search } = new URL(url)
  const text = Buffer.from(body).toString()
  const values = {
    ...connectionValues(settings, nowMs),
    now_ms: nowMs,
    request: { method, url, path: pathname, query: search.slice(1), headers, body: text },
  }
  const signature = createHmac(auth.algorithm, filled(auth.key, values, 'key'))
    .update(textValue(auth.text, values) ?? '')
    .digest(auth.encoding)
  const signed = { ...values, signature }
  return { headers: textValues(auth.headers, signed), query: textValues(auth.query, signed) }
}

/** The address of an endpoint, with each value as one percent-encoded segment. */
function endpoint(address: Template, values: Values, what = 'token endpoint'): string {
  if (address.kind !== 'text') return filled(address, values, what)
  const parts = address.parts.map((part, at) => {
    if (typeof part === 'string') return part
    const text = filled({ kind: 'expression', program: part }, values, `value of ${part.source}`)
    // The address begins with a setting such as `https://login.example.com`.
    return at === 0 ? text : pathText([text]).slice(1)
  })
  return parts.join('')
}

function clientRequest(auth: Auth<'client_credentials'>, values: Values): TokenRequest {
  const id = filled(auth.clientId, values, 'client id')
  const secret = filled(auth.clientSecret, values, 'client secret')
  const inForm = auth.send === 'form' ? { client_id: id, client_secret: secret } : {}
  return {
    path: endpoint(auth.token, values),
    form: { grant_type: 'client_credentials', ...inForm, ...textValues(auth.form, values) },
    // RFC 6749, section 2.3.1: both are form-encoded first.
    ...(auth.send === 'basic' && {
      headers: { authorization: basic(encodeURIComponent(id), encodeURIComponent(secret)) },
    }),
  }
}

function assertionRequest(auth: Auth<'jwt_bearer'>, settings: unknown, nowMs: number): TokenRequest {
  const values = connectionValues(settings, nowMs)
  return {
    path: endpoint(auth.token, values),
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertion(auth, values, nowMs),
      ...textValues(auth.form, values),
    },
  }
}

/** A signed JSON Web Token (RFC 7519). */
function assertion(auth: Auth<'jwt_bearer'>, values: Values, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000)
  const keyId = textValue(auth.keyId, values)
  const header = { alg: auth.algorithm, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }
  const claims = {
    ...Object.fromEntries(auth.claims.map(([name, value]) => [name, valueOf(value, values)])),
    iat: issuedAt,
    exp: issuedAt + Math.floor(auth.lifetimeMs / 1000),
    jti: randomUUID(),
  }
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  // A key pasted into one line has `\n` for its line breaks.
  const key = filled(auth.key, values, 'key').replaceAll(String.raw`\n`, '\n')
  return `${text}.${jwtSignature(auth.algorithm, text, key).toString('base64url')}`
}

function jwtSignature(algorithm: Auth<'jwt_bearer'>['algorithm'], text: string, key: string): Buffer {
  const hash = `sha${algorithm.slice(2)}`
  if (algorithm.startsWith('HS')) return createHmac(hash, key).update(text).digest()
  return signBytes(hash, Buffer.from(text), {
    key,
    ...(algorithm.startsWith('PS') && {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }),
    ...(algorithm.startsWith('ES') && { dsaEncoding: 'ieee-p1363' }),
  })
}
