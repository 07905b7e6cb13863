import type {
  Authenticated,
  ConnectionContext,
  ConnectionDefinition,
  ErrorAnswer,
  HostDefinition,
  RateBudget,
  RatedRequest,
  RateLimit,
} from '../../plugin/index.ts'
import { parseRate } from '../../common/rates.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { DeclaredConnection, DeclaredHost, DeclaredRate, Entries } from '../language/declared.ts'
import type { DeclaredAuth } from '../language/declared-auth.ts'
import { credentialHeaders, signing } from './credentials.ts'
import { createSender, explain } from './request.ts'
import { connectionValues, responseValue, textValue, textValues, valueOf } from './values.ts'
import { compileWebhooks } from './webhooks.ts'

type Settings = Readonly<Record<string, unknown>>

/** The connection of a declared plugin. */
export function compileConnection(declared: DeclaredConnection): ConnectionDefinition {
  const { title, description, docs, setup, settings, auth, rate } = declared
  return {
    title,
    description,
    ...(docs === undefined ? {} : { docs }),
    ...(setup.length === 0 ? {} : { setup }),
    settings,
    baseUrl: (given) => addressOf('base_url', declared.baseUrl, given as Settings),
    otherOrigins: (given) =>
      declared.otherOrigins.flatMap((origin) => textValue(origin, connectionValues(given, 0)) ?? []),
    ...credentialsOf(declared.headers, auth),
    ...(declared.hosts.length > 0 && {
      hosts: Object.fromEntries(declared.hosts.map((host) => [host.name, compileHost(declared, host)])),
    }),
    ...(rate.length > 0 && {
      rate: (request: RatedRequest, given: unknown) => budgetFor(rate, request, given),
    }),
    ...(declared.errors.length > 0 && {
      errors: (answer: ErrorAnswer) =>
        explain(declared.errors, responseValue(answer, answer.body, declared.xml)),
    }),
    ...compileWebhooks(declared.webhooks),
    authenticate: (context) => check(declared, context as ConnectionContext<Settings>),
  }
}

function credentialsOf(
  declared: Entries,
  auth: DeclaredAuth | undefined,
): Pick<ConnectionDefinition, 'headers' | 'sign' | 'token' | 'signIn'> {
  return {
    headers: (given, { nowMs }) => {
      const values = connectionValues(given, nowMs)
      return { ...textValues(declared, values), ...credentialHeaders(auth, values) }
    },
    ...signing(auth),
  }
}

/** A further address; without `auth`, it receives no credentials. */
function compileHost(
  connection: DeclaredConnection,
  { name, baseUrl, headers, auth }: DeclaredHost,
): HostDefinition {
  const address = { baseUrl: (given: unknown) => addressOf(`${name}_url`, baseUrl, given as Settings) }
  if (auth !== 'same') return { ...address, ...credentialsOf(headers, auth) }
  const same = credentialsOf([...connection.headers, ...headers], connection.auth)
  return {
    ...address,
    ...(same.headers && { headers: same.headers }),
    ...(same.sign && { sign: same.sign }),
    sharesToken: true,
  }
}

/** A field replaces the declared address. */
function addressOf(field: string, declared: Template, settings: Settings): string {
  const given = settings[field]
  if (typeof given === 'string' && given !== '') return given
  return textValue(declared, connectionValues(settings, 0)) ?? ''
}

/** The first budget that fits a request. */
function budgetFor(
  rates: readonly DeclaredRate[],
  { method, path }: RatedRequest,
  settings: unknown,
): RateBudget | undefined {
  const fitting = rates.find(
    (rate) => (rate.methods.length === 0 || rate.methods.includes(method)) && path.startsWith(rate.path),
  )
  if (fitting === undefined) return undefined
  const { bucket, limits } = fitting
  return { bucket, limits: parseRates(valueOf(limits, connectionValues(settings, 0))) }
}

async function check(
  declared: DeclaredConnection,
  { settings, http, nowMs }: ConnectionContext<Settings>,
): Promise<Authenticated> {
  const { account, warning } = declared.check
  const values = connectionValues(settings, nowMs)
  const { send, answer, reading } = createSender(http, declared)
  const response = await send(declared.check, values)
  return reading(response, () => {
    const answered = { ...values, response: answer(response) }
    return { account: textValue(account, answered), warning: textValue(warning, answered) }
  })
}

/** Limits from literal text or from an expression; null or undefined: none. */
function parseRates(value: unknown): readonly RateLimit[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  return given.flatMap((one) => {
    if (one === null || one === undefined) return []
    const limit = typeof one === 'string' ? parseRate(one) : undefined
    if (limit === undefined) throw new Error(`invalid rate ${JSON.stringify(one)}: write it like 50/week`)
    return [limit]
  })
}
