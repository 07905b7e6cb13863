import { match, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { checkSettings } from '../../skill/connection/settings.ts'
import type { AnySkill, ConnectionDefinition, InboundRequest, InboundResult, Sandbox } from '../index.ts'
import { checkConnection, type ConnectionCheck } from './check-connection.ts'
import { webhookRequest } from './describe-plugin.ts'
import type { CannedReply } from './canned-egress.ts'
import type { AddTest } from './failures/describe-failures.ts'
import type { SandboxState } from './routes.ts'
import { runSkill, type RunSkillOptions, type SkillRun } from './run-skill.ts'

/** A failed call, as a run and its operator see it. */
export interface FailureSeen {
  /** `ConnectionError`: the operator acts; `RetryableError`: a later attempt may succeed; `SkillError`: the step fails. */
  readonly kind: string
  readonly code: string
  /** Message and hint. */
  readonly text: string
  /** Of a write: `none` if a retry is safe, `unknown` if it may have taken effect; undefined: what the code implies. */
  readonly effect: unknown
  readonly retryAfterMs: number | undefined
}

/** The plugin of a `plugin.yaml`, for its tests: without limits of rate, and polling at short intervals. */
export interface DeclaredPluginUnderTest {
  /** Calls a skill; rejects as it fails. */
  run(skill: string, input: object, options?: RunSkillOptions): Promise<SkillRun<Record<string, unknown>>>
  /** How a call fails; throws if it does not. */
  failureOf(skill: string, input: object, options?: RunSkillOptions): Promise<FailureSeen>
  /** Tests the connection; rejects as that fails. */
  check(replies: RunSkillOptions['replies']): Promise<ConnectionCheck>
  /** How the test of the connection fails; throws if it does not. */
  checkFailureOf(replies: RunSkillOptions['replies']): Promise<FailureSeen>
  /** The meaning of a request to a webhook; throws as its handler does. */
  receive(word: string, text: string, changes?: Partial<InboundRequest>): InboundResult
}

/**
 * Loads the `plugin.yaml` of a folder, to test it against answers that no example records.
 *
 * @param folder of the plugin: `import.meta.dirname`
 * @param settings of the connection, as an operator types them
 * @example
 * const badlist = await openDeclaredPlugin(import.meta.dirname, { api_key: 'a-key' })
 * const failure = await badlist.failureOf('lookup', { kind: 'ip', value: '203.0.113.7' }, { replies: [{ status: 401 }] })
 */
export async function openDeclaredPlugin(
  folder: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<DeclaredPluginUnderTest> {
  // Loaded here, because the sandboxes of declarative plugins use this kit.
  const { compilePlugin, inHaste, loadPlugin } = await import('../../declarative/index.ts')
  const { declared, problems } = loadPlugin({ path: join(folder, 'plugin.yaml'), isThorough: false })
  if (declared === undefined) throw new Error(`${folder}: ${problems[0]?.message ?? 'is not a plugin'}`)
  const definition = compilePlugin(inHaste(declared))
  const named = (name: string): AnySkill => {
    const skill = definition.skills.find((each) => each.name === name)
    if (skill === undefined) throw new Error(`${definition.name} has no skill '${name}'`)
    return skill
  }
  const connection = (): ConnectionDefinition => {
    if (definition.connection === undefined) throw new Error(`${definition.name} needs no connection`)
    return definition.connection as ConnectionDefinition
  }
  const nowMs = Date.parse('2026-11-20T12:00:00Z')
  const run = async (name: string, input: object, options: RunSkillOptions = {}) => {
    const connected = definition.connection === undefined ? {} : { settings }
    return (await runSkill(named(name), input, { now: nowMs, ...connected, ...options })) as SkillRun<
      Record<string, unknown>
    >
  }
  const check = async (replies: RunSkillOptions['replies']) =>
    await checkConnection(connection(), { settings, now: nowMs, ...(replies && { replies }) })
  return {
    run,
    failureOf: (...call) => failureOf(run(...call)),
    check,
    checkFailureOf: (replies) => failureOf(check(replies)),
    receive(word, text, changes) {
      const handler = connection().inbound?.[word]
      if (handler === undefined) throw new Error(`${definition.name} has no webhook '${word}'`)
      const { settings: open, secrets } = checkSettings(connection(), settings)
      return handler(webhookRequest(text, { nowMs, ...changes }), { ...open, ...secrets })
    },
  }
}

/** A name, the answer of the other system, and how the call fails: its kind, and what its message and hint say. */
export type ExpectedFailure = readonly [name: string, reply: CannedReply, kind: string, text: RegExp]

/** Adds a test of mocha for each answer: that a skill fails with it as expected. */
export function testFailures(
  plugin: DeclaredPluginUnderTest,
  skill: string,
  input: object,
  failures: readonly ExpectedFailure[],
): void {
  const { it } = globalThis as unknown as { readonly it: AddTest }
  for (const [name, reply, kind, text] of failures) {
    it(`explains ${name}`, async () => {
      const failure = await plugin.failureOf(skill, input, { replies: [reply] })
      strictEqual(failure.kind, kind, failure.text)
      match(failure.text, text)
    })
  }
}

async function failureOf(work: Promise<unknown>): Promise<FailureSeen> {
  const error = await work.then(
    (result) => {
      throw new Error(`the call should fail, but gives ${JSON.stringify(result).slice(0, 300)}`)
    },
    (thrown: Error & Partial<FailureSeen> & { hint?: string; details?: { effect?: unknown } }) => thrown,
  )
  return {
    kind: error.name,
    code: error.code ?? '',
    text: [error.message, error.hint].filter((part) => part !== undefined).join('; '),
    effect: error.details?.effect,
    retryAfterMs: error.retryAfterMs,
  }
}

/**
 * The sandbox of a `plugin.yaml` whose system has a state: it answers as the examples do, changed by the state.
 *
 * @param folder of the plugin: `import.meta.dirname`
 * @param makeState called at every start
 * @example
 * export default sandboxWithState(import.meta.dirname, () => {
 *   let isBlocked = false
 *   return ({ pathname }, recorded) => {
 *     if (pathname === '/block') isBlocked = true
 *     return pathname === '/state' ? { json: { blocked: isBlocked } } : recorded
 *   }
 * })
 */
export function sandboxWithState(folder: string, makeState: () => SandboxState): Sandbox {
  const load = async () => {
    const { declaredSandbox, loadPlugin } = await import('../../declarative/index.ts')
    const { declared } = loadPlugin({ path: join(folder, 'plugin.yaml'), isThorough: false })
    return { declared, declaredSandbox }
  }
  let loaded: ReturnType<typeof load> | undefined
  return {
    async start(options) {
      const { declared, declaredSandbox } = await (loaded ??= load())
      const sandbox = declared && declaredSandbox(declared, makeState)
      if (sandbox === undefined) throw new Error(`${folder} has no plugin with a connection`)
      return await sandbox.start(options)
    },
  }
}
