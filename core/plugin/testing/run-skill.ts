import type {
  AnySkill,
  ConnectionDefinition,
  Infer,
  JsonSchema,
  QuestionOutcome,
  RefusedAnswer,
  SkillDefinition,
} from '../index.ts'
import type { Egress } from '../../ports/egress.ts'
import type { Log } from '../../ports/log.ts'
import { createSkillCaller } from '../../skill/call/caller.ts'
import { createPerformTask } from '../../skill/call/perform-task.ts'
import { cannedEgress, type Replies, type SentRequest } from './canned-egress.ts'
import { testCases, testConnection, testConnections, type TestCases } from './memory-stores.ts'
import { signedIn, testClock, testTraffic } from './test-surroundings.ts'

export interface RunSkillOptions {
  /** Settings as entered by an operator, secrets as plain text; absent: the step has no connection. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Responses of the other system. Default: none, so that every request is an error. */
  readonly replies?: Replies
  /** Instead of `replies`: an egress, e.g. `loopbackEgress` to a sandbox. */
  readonly egress?: Egress
  /**
   * The connection's token; null: none, so that the first request fetches one. Default with `replies`:
   * `test-token`; with `egress`: null.
   */
  readonly token?: string | null
  /** Default `test-run`. */
  readonly run?: { readonly id: string }
  /** Default: new ones. */
  readonly cases?: TestCases
  /** Id of the run's case; null for a run without a case. Default `DEMO-1`. */
  readonly caseId?: string | null
  /**
   * Default `run`. The other three are for skills that ask questions: `input` is the question's input,
   * `asked` the rest.
   */
  readonly purpose?: 'run' | 'verify' | 'settle' | 'remind' | 'refuse'
  /** Output of the skill's `run`; with the outcome for `settle`, or the refused answer for `refuse`. */
  readonly asked?: {
    readonly output: unknown
    readonly outcome?: QuestionOutcome
    readonly answer?: RefusedAnswer
  }
  /** Deadline passed to the skill, in epoch milliseconds; nothing is aborted by it. Default: never. */
  readonly deadlineMs?: number
  /** Default: a signal that aborts after 10 s. */
  readonly signal?: AbortSignal
  /** Epoch milliseconds: the clock then advances only while the call waits. Default: the real time. */
  readonly now?: number
}

/** Result of a call. */
export interface SkillRun<Output> {
  readonly output: Output
  /** Requests sent through `replies`, in order. */
  readonly requests: readonly SentRequest[]
  /** Log entries of the skill, in order. */
  readonly logs: readonly LoggedLine[]
  readonly cases: TestCases
}

export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Calls a skill once, just as the runtime does (same checks of settings, input and output, same errors), against canned
 * replies.
 *
 * @example
 * const { output, requests } = await runSkill(getQuote, { id: '7' }, {
 *   settings: { base_url: 'https://api.example.com', api_key: 'key' },
 *   replies: [{ json: { text: 'Ring the bell.' } }],
 * })
 */
export async function runSkill<
  In extends JsonSchema,
  Out extends JsonSchema,
  S extends JsonSchema,
  R extends Infer<Out>,
>(
  skill: SkillDefinition<In, Out, S, R>,
  input: Infer<In>,
  options: RunSkillOptions = {},
): Promise<SkillRun<Infer<Out>>> {
  const canned = cannedEgress(options.replies ?? [])
  const clock = testClock(options.now)
  const { token = options.egress === undefined ? 'test-token' : null } = options
  const logs: LoggedLine[] = []
  const cases = options.cases ?? testCases()
  const name = `test.${skill.name}`
  const egress = options.egress ?? canned.egress
  const traffic = testTraffic(clock, token)
  const connection = connectionOf(skill as AnySkill, options.settings, { egress, clock, traffic, token })
  const plugin = { name: 'test', title: 'Test', description: 'Test', skills: [skill as AnySkill] }
  const catalogue = { skill: () => ({ name, plugin, skill: skill as AnySkill }) }
  const call = createSkillCaller({
    catalogue,
    stores: { connections: testConnections(connection), cases },
    performTask: createPerformTask({
      catalogue,
      egress,
      clock,
      traffic,
    }),
    log: recordingLog(logs),
    inboundUrls: async (_connection, routes) =>
      Object.fromEntries(routes.map((route) => [route, testWebhook(route)])),
  })
  const runUuid = options.run?.id ?? 'test-run'
  const output = await call({
    purpose: options.purpose ?? 'run',
    skill: name,
    connection: connection?.connection.name,
    input,
    asked: options.asked,
    run: {
      uuid: runUuid,
      organizationUuid: 'test-organization',
      playbookName: 'test',
      openCase: async () => (options.caseId === undefined ? 'DEMO-1' : (options.caseId ?? undefined)),
    },
    attempt: {
      number: 1,
      idempotencyKey: `${runUuid}/step`,
      deadlineMs: options.deadlineMs ?? Infinity,
      signal: options.signal ?? AbortSignal.timeout(10_000),
    },
  })
  return { output: output as Infer<Out>, requests: canned.requests, logs, cases }
}

function connectionOf(
  skill: AnySkill,
  settings: Readonly<Record<string, unknown>> | undefined,
  surroundings: Parameters<typeof signedIn>[2],
): ReturnType<typeof testConnection> | undefined {
  if (settings === undefined) return undefined
  if (skill.connection === undefined)
    throw new Error(`the skill '${skill.name}' has no connection to give settings to`)
  const definition = skill.connection as ConnectionDefinition
  return signedIn(definition, testConnection(definition, 'test', settings), surroundings)
}

/** The address that `inboundUrl` gives. */
const testWebhook = (route: string): string =>
  `https://tocsin.example/api/webhooks/test/v1/${route}?token=events-token-of-this-test`

function recordingLog(lines: LoggedLine[]): Log {
  const write =
    (level: LoggedLine['level']) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      lines.push({ level, message, fields })
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
