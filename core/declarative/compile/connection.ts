import type {
  Authenticated,
  ConnectionContext,
  ConnectionDefinition,
  ErrorAnswer,
  ExplainedError,
  TokenRequest,
} from '../../plugin/index.ts'
import type { Program } from '../../expression/index.ts'
import type { DeclaredAuth, DeclaredCheck, DeclaredConnection, DeclaredError } from '../language/declared.ts'
import { sendRequest } from './request.ts'
import {
  bodyOf,
  connectionValues,
  reading,
  responseValue,
  textValue,
  textValues,
  type Values,
} from './values.ts'

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
      return { ...textValues(declared.headers, values), ...credentials(auth, values) }
    },
    ...(auth?.kind === 'client_credentials' && {
      token: (given: unknown, { nowMs }: { readonly nowMs: number }) =>
        tokenRequest(auth, connectionValues(given, nowMs)),
    }),
    ...(rate.length > 0 && { rate: () => ({ bucket: '', limits: rate }) }),
    ...(declared.errors.length > 0 && { errors: (answer: ErrorAnswer) => explain(declared.errors, answer) }),
    authenticate: (context) => check(declared.check, context as ConnectionContext<Settings>),
  }
}

/** The field `base_url` replaces the declared address. */
function baseUrlOf({ baseUrl }: DeclaredConnection, settings: Settings): string {
  const given = settings['base_url']
  if (typeof given === 'string' && given !== '') return given
  return textValue(baseUrl, connectionValues(settings, 0)) ?? ''
}

function credentials(auth: DeclaredAuth | undefined, values: Values): Readonly<Record<string, string>> {
  switch (auth?.kind) {
    case 'header':
      return { [auth.name.toLowerCase()]: required(textValue(auth.value, values), auth.name) }
    case 'bearer':
      return { authorization: `Bearer ${required(textValue(auth.token, values), 'token')}` }
    case 'basic': {
      const [username = '', password = ''] = [auth.username, auth.password].map((part) =>
        textValue(part, values),
      )
      return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
    }
    default:
      return {}
  }
}

function required(text: string | undefined, what: string): string {
  if (text !== undefined) return text
  throw new Error(`the ${what} is empty`)
}

const tokenRequest = (
  { token, form }: Extract<DeclaredAuth, { kind: 'client_credentials' }>,
  values: Values,
): TokenRequest => ({
  path: token,
  form: { grant_type: 'client_credentials', ...textValues(form, values) },
})

/** The first explanation whose condition holds. */
function explain(errors: readonly DeclaredError[], answer: ErrorAnswer): ExplainedError | undefined {
  const values = { response: responseValue(answer, answer.body) }
  const found = errors.find(({ when }) => conditionHolds(when, values))
  return (
    found && {
      message: textValue(found.message, values),
      hint: textValue(found.hint, values),
      effect: found.effect,
    }
  )
}

/** Whether a condition holds; one that reads what the answer does not have, does not. */
export function conditionHolds(condition: Program, values: Values): boolean {
  try {
    return condition.evaluate(values) === true
  } catch {
    return false
  }
}

async function check(
  declared: DeclaredCheck,
  { settings, http, nowMs }: ConnectionContext<Settings>,
): Promise<Authenticated> {
  const values = connectionValues(settings, nowMs)
  const response = await sendRequest(http, declared, values)
  return reading(response, () => {
    const answered = { ...values, response: responseValue(response, bodyOf(response)) }
    return {
      account: textValue(declared.account, answered),
      warning: textValue(declared.warning, answered),
    }
  })
}
