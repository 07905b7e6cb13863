import { ok } from 'node:assert/strict'
import { inspect } from 'node:util'
import type { PluginDefinition, Sandbox, JsonSchema } from '../../index.ts'
import type { Failure } from './failures.ts'
import { callsOf, givenToken, meetFailure, nameOf, type Call } from './meet-failure.ts'
import type { ServedSandbox } from '../serve-sandbox.ts'
import type { SandboxReply } from '../routes.ts'

/** These failures never reach the code of a skill that reads the answer. */
const ofTransport: readonly Failure[] = ['reset', 'huge', 'gzip_bomb', 'hang', 'drip']
const ofAnswers: readonly (Failure | SandboxReply)[] = [
  'garbage',
  ...[401, 403, 429, 500, 503].map((status) => ({ status, text: '' })),
]

/** Adds a test; the other parameters are those of mocha's `it`. */
export type AddTest = (
  name: string,
  body: () => void | Promise<void>,
) => { timeout?(ms: number): void } | void

/** Timeout of a test; there are many requests, and machines are busy. */
const timeoutMs = 30_000

/**
 * Runs the connection test and every skill with an example against a system that fails in all the ways the
 * kit knows. They may fail with an error that says who has to act and how, or do without the response, but
 * must not have a bug, exceed their deadline, or repeat a secret in an error.
 */
export function describeFailures(
  plugin: PluginDefinition,
  { sandbox, isDeclared = false }: { readonly sandbox?: Sandbox; readonly isDeclared?: boolean },
  it: AddTest,
): void {
  if (sandbox === undefined) return
  const calls = callsOf(plugin)
  for (const [at, call] of calls.entries()) {
    const failures = isDeclared && at > 0 ? ofAnswers : [...ofTransport, ...ofAnswers]
    it(`${call.name} handles malformed responses`, () =>
      withServed(sandbox, (running) => meetAll(running, call, failures)))?.timeout?.(timeoutMs)
    if (isDeclared && at > 0 && at < calls.length - 1) continue
    it(`${call.name} never repeats a secret that the system echoes`, () =>
      withServed(sandbox, (running) => hearAll(running, call, plugin)))?.timeout?.(timeoutMs)
  }
}

async function meetAll(
  running: ServedSandbox<unknown>,
  call: Call,
  failures: readonly (Failure | SandboxReply)[],
): Promise<void> {
  for (const how of failures) {
    const error = await meetFailure(running, how, call)
    if (error !== undefined) ok(error.hint, `${nameOf(how)}: '${error.message}' does not say what to do`)
  }
}

async function hearAll(
  running: ServedSandbox<unknown>,
  call: Call,
  { connection }: PluginDefinition,
): Promise<void> {
  const names = namesOfSecrets(connection?.settings ?? {})
  const values = names.map((name) => running.settings[name]).filter((value) => typeof value === 'string')
  const hasToken = (connection?.token ?? connection?.signIn) !== undefined
  const secrets = hasToken ? [...values, givenToken] : values
  for (const how of echoes(secrets)) {
    const shown = inspect(await meetFailure(running, how, call), { depth: 9 })
    for (const secret of secrets) ok(!shown.includes(secret), `${nameOf(how)}: a secret is shown: ${shown}`)
  }
}

/** Systems that repeat the request, credentials included, in an error message. */
function echoes(secrets: readonly string[]): readonly SandboxReply[] {
  const text = `refused: ${secrets.join(' ')}`
  const said = { message: text, error_description: text, response_metadata: { messages: [text] } }
  return [200, 400, 401, 404, 500].flatMap((status) => [
    { status, json: { ok: false, is_success: false, error: 'refused', ...said } },
    { status, json: { error: { code: 'Refused', ...said } } },
    { status, text },
  ])
}

async function withServed(
  sandbox: Sandbox,
  work: (running: ServedSandbox<unknown>) => Promise<void>,
): Promise<void> {
  const running = await sandbox.start()
  try {
    if (isServed(running)) await work(running)
  } finally {
    await running.close()
  }
}

function isServed(running: object): running is ServedSandbox<unknown> {
  return 'failNext' in running
}

/** The secret fields of a connection's settings. */
export function namesOfSecrets(settings: JsonSchema): readonly string[] {
  const properties = Object.entries(settings.properties ?? {})
  return properties.filter(([, schema]) => schema['x-secret'] === true).map(([name]) => name)
}
