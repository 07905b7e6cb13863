import type { RunningSandbox, SandboxOptions } from '../../plugin/index.ts'
import {
  serveSandbox,
  type SandboxCall,
  type SandboxReply,
  type SandboxState,
} from '../../plugin/testing/index.ts'
import { checkSettings } from '../../skill/connection/settings.ts'
import { ofHost } from '../../skill/connection/target.ts'
import { compilePlugin } from '../compile/compile-plugin.ts'
import type { DeclaredConnection, DeclaredPlugin } from '../language/declared.ts'
import { answerRequests, missingAnswer } from './answer-requests.ts'
import { acceptedCredentials, wrongCredentials } from './credentials.ts'
import { makeUpSettings, pathOfHost, reachedAt, type MadeUpSettings } from './made-up-settings.ts'
import { recordCheck } from './record-check.ts'
import {
  credentialParameters,
  recordExamples,
  type RecordedExchange,
  type RecordedExample,
} from './record-examples.ts'
import { hasShape } from './request-shape.ts'

/** The other system, as the examples of a plugin describe it. */
export interface Recording {
  readonly settings: MadeUpSettings
  readonly examples: readonly RecordedExample[]
  readonly check: RecordedExchange
}

/**
 * @param declared a plugin with a connection
 * @throws Error if settings cannot be made up, or if the check accepts no made-up answer
 */
export async function recordPlugin(
  declared: DeclaredPlugin & { readonly connection: DeclaredConnection },
): Promise<Recording> {
  const settings = makeUpSettings(declared.connection)
  const { connection } = compilePlugin(declared)
  const examples = await recordExamples(declared, settings)
  const check = await recordCheck(connection!, declared.connection, settings, examples)
  return { settings, examples, check }
}

/** Failures that tests and people can ask for. */
const faults: Readonly<Record<string, SandboxReply>> = {
  rate_limited: {
    status: 429,
    headers: { 'retry-after': '1' },
    json: { error: { message: 'too many requests' } },
  },
  unauthorized: wrongCredentials,
  unavailable: { status: 503, json: { error: { message: 'the service is not available' } } },
}

/** Starts an emulator that answers as recorded. */
export async function startSandbox(
  declared: DeclaredPlugin & { readonly connection: DeclaredConnection },
  { settings, examples, check }: Recording,
  options: SandboxOptions,
  state: SandboxState = (_, recorded) => recorded,
): Promise<RunningSandbox> {
  const definition = compilePlugin(declared).connection!
  const { settings: open } = checkSettings(definition, settings)
  const basePath = new URL(definition.baseUrl(open)).pathname.replace(/\/$/, '')
  const { auth, hosts, settings: schema } = declared.connection
  const typedAt = (url: string) => reachedAt(url, settings, schema, basePath)
  const exchanges = [...examples.flatMap((example) => example.exchanges), check]
  const known = exchanges.map(({ request }) => request)
  const { origin } = new URL(definition.baseUrl(open))
  const hostOf = (pathname: string) =>
    hosts.find(({ name }) => `${pathname}/`.startsWith(`${pathOfHost(name)}/`))
  const withoutCredentials = exchanges.filter(
    ({ url, request }) => new URL(url).origin !== origin && hostOf(request.pathname) === undefined,
  )
  let answer: ((call: SandboxCall) => SandboxReply) | undefined
  const answerAt = (url: string) => {
    const main = acceptedCredentials(definition, auth, typedAt(url), url)
    const ofHosts = new Map(
      hosts.map(({ name, auth: own }) => [
        name,
        own === 'same' ? main : acceptedCredentials(ofHost(definition, name), own, typedAt(url), url),
      ]),
    )
    const credentials = credentialParameters(declared.connection)
    const recorded = answerRequests({
      examples: [...examples, { exchanges: [check] }],
      credentials,
      url,
    })
    return (call: SandboxCall): SandboxReply => {
      const accepted = ofHosts.get(hostOf(call.pathname)?.name ?? '') ?? main
      const routes = new Map([main, ...ofHosts.values()].flatMap(({ tokens }) => [...(tokens?.routes ?? [])]))
      const ofTokens = routes.get(`${call.method} ${call.pathname}`)
      if (ofTokens !== undefined) return ofTokens(call)
      const named = [...routes.keys()].map((route) => route.split(' '))
      const others = named.map(([method = '', pathname = '']) => ({ method, pathname }))
      if (others.some(({ pathname }) => pathname === call.pathname)) return missingAnswer(call, others)
      const needsNone = withoutCredentials.some(({ request }) => hasShape(call, request, credentials))
      if (!needsNone && !accepted.accepts(call)) return wrongCredentials
      const found = recorded(call)
      return state(call, found) ?? found ?? missingAnswer(call, known)
    }
  }
  const running = await serveSandbox(() => ({ answer: (call) => answer!(call), faults }), typedAt).start(
    options,
  )
  try {
    answer = answerAt(running.url)
  } catch (error) {
    await running.close()
    throw error
  }
  return running
}
