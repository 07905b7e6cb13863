import type {
  Authenticated,
  ConnectionContext,
  ConnectionDefinition,
  ErrorAnswer,
  RateBudget,
  RatedRequest,
} from '../../plugin/index.ts'
import type { DeclaredConnection, DeclaredRate } from '../language/declared.ts'
import { parseRates } from '../language/rates.ts'
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
    baseUrl: (given) => baseUrlOf(declared, given as Settings),
    otherOrigins: (given) =>
      declared.otherOrigins.flatMap((origin) => textValue(origin, connectionValues(given, 0)) ?? []),
    headers: (given, { nowMs }) => {
      const values = connectionValues(given, nowMs)
      return { ...textValues(declared.headers, values), ...credentialHeaders(auth, values) }
    },
    ...signing(auth),
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

/** The field `base_url` replaces the declared address. */
function baseUrlOf({ baseUrl }: DeclaredConnection, settings: Settings): string {
  const given = settings['base_url']
  if (typeof given === 'string' && given !== '') return given
  return textValue(baseUrl, connectionValues(settings, 0)) ?? ''
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
