import { headerProblem } from '../../skill/http/headers.ts'
import { isObject, textAt, valueAt, type JsonObject } from '../../plugin/index.ts'
import type { ApiDocument } from '../document/api-document.ts'
import { cleanText } from '../document/clean-text.ts'
import type { ApiOperation, OperationParameter } from '../document/operations.ts'
import { UniqueNames, snakeCase } from '../document/names.ts'
import { template } from './skill-plan.ts'
import type { PlannedAddress } from './base-url.ts'

/** How a connection authenticates. */
export interface PlannedCredentials {
  readonly fields: Readonly<Record<string, JsonObject>>
  /** Undefined: none, or none that `plugin.yaml` can express. */
  readonly auth: JsonObject | undefined
  readonly headers: JsonObject
  readonly otherOrigins: readonly string[]
  readonly notes: readonly string[]
}

interface NamedScheme {
  readonly name: string
  readonly scheme: unknown
  readonly scopes: readonly string[]
}

function schemesOf({ root }: ApiDocument): JsonObject {
  const schemes =
    valueAt(valueAt(root, 'components'), 'securitySchemes') ?? valueAt(root, 'securityDefinitions')
  return isObject(schemes) ? schemes : {}
}

/** Whether a document declares credentials at all. */
export const hasSchemes = (document: ApiDocument): boolean => Object.keys(schemesOf(document)).length > 0

/** The schemes that an operation accepts, as alternatives. */
export function securityOf(
  document: ApiDocument,
  { raw }: ApiOperation,
): readonly (readonly NamedScheme[])[] {
  const given = valueAt(raw, 'security') ?? valueAt(document.root, 'security')
  const schemes = schemesOf(document)
  const all = Object.keys(schemes)
  // Documents often declare a single security scheme without assigning it to operations.
  const stated = Array.isArray(given) ? given.slice(0, 20) : all.map((name) => ({ [name]: [] }))
  return stated.filter(isObject).map((alternative) =>
    Object.entries(alternative)
      .slice(0, 5)
      .map(([name, scopes]) => ({
        name,
        scheme: document.resolve(valueAt(schemes, name)),
        scopes: (Array.isArray(scopes) ? scopes : [])
          .filter((scope) => typeof scope === 'string')
          .slice(0, 50),
      })),
  )
}

/** Plans the credentials that most of the operations accept. */
export function planCredentials(
  document: ApiDocument,
  operations: readonly ApiOperation[],
  address: PlannedAddress,
): PlannedCredentials {
  const counts = new Map<string, { schemes: Map<string, NamedScheme>; count: number }>()
  for (const operation of operations)
    for (const alternative of securityOf(document, operation)) {
      const key = alternative.map(({ name }) => name).join(' ')
      const found = counts.get(key) ?? { schemes: new Map<string, NamedScheme>(), count: 0 }
      for (const each of alternative) {
        const scopes = new Set([...(found.schemes.get(each.name)?.scopes ?? []), ...each.scopes])
        found.schemes.set(each.name, { ...each, scopes: [...scopes].slice(0, 50) })
      }
      counts.set(key, { ...found, count: found.count + 1 })
    }
  const candidates = [...counts.values()].filter(({ schemes }) => schemes.size > 0)
  const usable = candidates.map((each) => ({
    ...each,
    planned: combined([...each.schemes.values()], address),
  }))
  const most = usable.map(({ planned, count }) => ({
    planned,
    score: count * 10 + rank(planned) + (planned.auth === undefined ? -1e9 : 0),
  }))
  const best = most.toSorted((a, b) => b.score - a.score)[0]?.planned
  return (
    best ?? { ...nothing, notes: ['The document declares no credentials: add `auth` if the API needs them.'] }
  )
}

const nothing: PlannedCredentials = { fields: {}, auth: undefined, headers: {}, otherOrigins: [], notes: [] }

/** A key is easier to set up than an OAuth 2.0 client; a token that is not renewed is the last choice. */
const rank = ({ auth, notes }: PlannedCredentials): number =>
  (auth?.['header'] ?? auth?.['bearer'] ?? auth?.['basic']) !== undefined
    ? 5 - notes.length
    : auth?.['oauth2'] !== undefined
      ? 4
      : 1

/** All schemes of an alternative: one becomes `auth`, further API keys become headers. */
function combined(schemes: readonly NamedScheme[], address: PlannedAddress): PlannedCredentials {
  const names = new UniqueNames(Object.keys(address.fields))
  return schemes
    .map((scheme) => planScheme(scheme, names, address))
    .reduce((first, next) => {
      const { header, value } = next.auth ?? {}
      const isHeader = typeof header === 'string'
      const stays = first.auth !== undefined && next.auth !== undefined
      const lost =
        stays && !isHeader
          ? [
              'The API needs two kinds of credentials at once, and only one is declared: add the other by hand.',
            ]
          : []
      return {
        fields: stays && !isHeader ? first.fields : { ...first.fields, ...next.fields },
        auth: first.auth ?? next.auth,
        headers: { ...first.headers, ...next.headers, ...(stays && isHeader && { [header]: value }) },
        otherOrigins: [...new Set([...first.otherOrigins, ...next.otherOrigins])],
        notes: [...first.notes, ...next.notes, ...lost],
      }
    })
}

const secret = (title: string, scheme: unknown): JsonObject => {
  const text = cleanText(textAt(scheme, 'description'), 300)
  return { title, ...(text !== undefined && { description: text }), secret: true }
}

function planScheme(
  { name, scheme, scopes }: NamedScheme,
  names: UniqueNames,
  address: PlannedAddress,
): PlannedCredentials {
  const type = textAt(scheme, 'type')?.toLowerCase()
  const http =
    type === 'basic' ? 'basic' : type === 'http' ? textAt(scheme, 'scheme')?.toLowerCase() : undefined
  if (http === 'basic') {
    const [username, password] = [names.take('username'), names.take('password')]
    const auth = {
      basic: { username: template(`settings.${username}`), password: template(`settings.${password}`) },
    }
    return {
      ...nothing,
      fields: { [username]: { title: 'User name' }, [password]: secret('Password', scheme) },
      auth,
    }
  }
  if (http === 'bearer') return bearer(names, scheme, [])
  if (type === 'apikey') return planKey(name, scheme, names)
  if (type === 'oauth2') return planOAuth2(scheme, scopes, names, address)
  const shown = cleanText(`${type ?? 'unknown'} ${http ?? ''}`, 60)
  return {
    ...nothing,
    notes: [
      `The API uses credentials of the type \`${shown}\`, which are not declared: fill in \`auth\` by hand.`,
    ],
  }
}

function bearer(names: UniqueNames, scheme: unknown, notes: readonly string[]): PlannedCredentials {
  const field = names.take('token')
  return {
    ...nothing,
    fields: { [field]: secret('Token', scheme) },
    auth: { bearer: template(`settings.${field}`) },
    notes,
  }
}

/** Words that vendors put before a key in the header `Authorization`, most specific first. */
const prefixes = ['Token token=', 'SSWS ', 'GenieKey ', 'ApiKey ', 'Splunk ', 'Bearer ']

function planKey(name: string, scheme: unknown, names: UniqueNames): PlannedCredentials {
  const place = textAt(scheme, 'in')
  const key = textAt(scheme, 'name') ?? ''
  const isOnly = /^(api|auth|key|token|default|security)/i.test(snakeCase(name) ?? '')
  const field = names.take(isOnly ? 'api_key' : (snakeCase(name) ?? 'api_key'))
  const fields = {
    [field]: secret(/^authorization$/i.test(key) ? 'API key' : (cleanText(key, 60) ?? 'API key'), scheme),
  }
  const value = template(`settings.${field}`)
  if (place === 'query') return { ...nothing, fields, auth: { query: key, value } }
  if (place === 'cookie') return { ...nothing, fields, auth: { header: 'Cookie', value: `${key}=${value}` } }
  const isHeader = /^[\w-]{1,100}$/.test(key) && headerProblem(key.toLowerCase(), '') === undefined
  if (!isHeader)
    return {
      ...nothing,
      notes: [`The API key \`${cleanText(key, 40) ?? ''}\` has no usable header: fill in \`auth\` by hand.`],
    }
  if (key.toLowerCase() !== 'authorization') return { ...nothing, fields, auth: { header: key, value } }
  const text = `${textAt(scheme, 'description') ?? ''} ${textAt(scheme, 'x-token-prefix') ?? ''} `.slice(
    0,
    5000,
  )
  const word = prefixes.find((each) => text.includes(each))
  const notes =
    word === undefined
      ? [
          `The key is sent as the whole header \`Authorization\`: put a word such as \`Bearer\` before it in \`auth\` if the API wants one.`,
        ]
      : [
          `The key is sent after \`${word.trim()}\` in the header \`Authorization\`: check that with the documentation.`,
        ]
  return { ...nothing, fields, auth: { header: 'Authorization', value: `${word ?? ''}${value}` }, notes }
}

function planOAuth2(
  scheme: unknown,
  scopes: readonly string[],
  names: UniqueNames,
  address: PlannedAddress,
): PlannedCredentials {
  const flows = valueAt(scheme, 'flows')
  const isSwagger2 = textAt(scheme, 'flow') === 'application'
  const machine = valueAt(flows, 'clientCredentials') ?? (isSwagger2 ? scheme : undefined)
  const tokenUrl =
    address.origin === undefined
      ? undefined
      : URL.parse(textAt(machine, 'tokenUrl') ?? '', `${address.origin}/`)
  if (
    machine === undefined ||
    tokenUrl === undefined ||
    tokenUrl === null ||
    tokenUrl.protocol !== 'https:'
  ) {
    const kinds = isObject(flows)
      ? Object.keys(flows).slice(0, 4).join(', ')
      : (textAt(scheme, 'flow') ?? 'unknown')
    const note = `The API uses OAuth 2.0 (${cleanText(kinds, 80) ?? 'unknown'}). The plugin sends a token that the operator enters: nothing renews it.`
    return bearer(names, scheme, [note])
  }
  const [id, key] = [names.take('client_id'), names.take('client_secret')]
  const isBelow = tokenUrl.href.startsWith(`${address.baseUrl}/`)
  // A field, so that the sandbox can set its own address.
  const login = isBelow ? undefined : names.take('login_url')
  const loginField = { title: 'Sign-in URL', address: 'public', default: tokenUrl.origin }
  return {
    ...nothing,
    fields: {
      [id]: { title: 'Client id' },
      [key]: secret('Client secret', scheme),
      ...(login !== undefined && { [login]: loginField }),
    },
    auth: {
      oauth2: {
        grant: 'client_credentials',
        token:
          login === undefined
            ? tokenUrl.href.slice(address.baseUrl.length)
            : template(`settings.${login}`) + tokenUrl.pathname + tokenUrl.search,
        client_id: template(`settings.${id}`),
        client_secret: template(`settings.${key}`),
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      },
    },
    otherOrigins: login === undefined ? [] : [template(`settings.${login}`)],
  }
}

/** Whether a parameter is a credential, which the connection sends. */
export const isCredential = (parameter: OperationParameter): boolean =>
  /^(token|access_token|api_?key|authorization)$/i.test(parameter.name) &&
  (parameter.in === 'header' || parameter.in === 'query') &&
  (parameter.in === 'header' || /auth|key/i.test(textAt(parameter, 'description') ?? ''))
