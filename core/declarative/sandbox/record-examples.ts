import { isDeepStrictEqual } from 'node:util'
import type { AnySkill } from '../../plugin/index.ts'
import { runSkill, type RunSkillOptions, type SentRequest } from '../../plugin/testing/index.ts'
import { compilePlugin } from '../compile/compile-plugin.ts'
import type { DeclaredConnection, DeclaredPlugin } from '../language/declared.ts'
import type { DeclaredExample, DeclaredResponse } from '../language/declared-example.ts'
import type { MadeUpSettings } from './made-up-settings.ts'
import { requestShape, type RequestShape } from './request-shape.ts'

/** A request of a skill, with the recorded answer to it. */
export interface RecordedExchange {
  readonly request: RequestShape
  /** Absolute. */
  readonly url: string
  readonly response: DeclaredResponse
  /** Whether the request checks if a write took effect. The sandbox answers it only after the write. */
  readonly isVerification: boolean
}

export interface RecordedExample {
  readonly skill: string
  readonly file: string
  /** In the order of the requests. */
  readonly exchanges: readonly RecordedExchange[]
  /** The reason why the example does not fit its skill; undefined if it does. */
  readonly problem: string | undefined
  /** The output that the answers give; undefined if the skill fails. */
  readonly output: unknown
}

/**
 * Two times that differ in every part. Parts of requests that differ between them depend on the time or the
 * call.
 */
export const moments = [Date.UTC(2026, 0, 2, 3, 4, 5, 6), Date.UTC(2027, 10, 13, 14, 25, 36, 789)] as const

/** Names in the query that hold credentials. */
export const credentialParameters = (
  connection: Pick<DeclaredConnection, 'auth' | 'hosts'> | undefined,
): readonly string[] =>
  [connection?.auth, ...(connection?.hosts ?? []).map(({ auth }) => auth)].flatMap((auth) =>
    typeof auth === 'object' && auth.kind === 'query' ? [auth.name] : [],
  )

/** Runs every skill over the recorded answers of its examples, to learn which requests they belong to. */
export async function recordExamples(
  declared: DeclaredPlugin,
  settings: MadeUpSettings,
): Promise<readonly RecordedExample[]> {
  const { skills, connection } = compilePlugin(declared)
  const query = credentialParameters(declared.connection)
  const recorded: RecordedExample[] = []
  for (const [at, { name, examples }] of declared.skills.entries()) {
    for (const example of examples) {
      const given = connection === undefined ? {} : { settings }
      recorded.push({
        skill: name,
        file: example.file,
        ...(await recordExample(skills[at]!, example, given, query)),
      })
    }
  }
  return recorded
}

async function recordExample(
  skill: AnySkill,
  example: DeclaredExample,
  given: Pick<RunSkillOptions, 'settings'>,
  credentials: readonly string[],
): Promise<Pick<RecordedExample, 'exchanges' | 'problem' | 'output'>> {
  const [first, second] = [
    await runOver(skill, example, given, moments[0]),
    await runOver(skill, example, given, moments[1]),
  ]
  const exchanges = first.requests
    .slice(0, example.responses.length)
    .map((request, at): RecordedExchange => ({
      request: requestShape(request, second.requests[at] ?? request, credentials),
      url: request.url,
      response: example.responses[at]!,
      isVerification: at >= first.ofRun,
    }))
  return { exchanges, problem: first.problem, output: first.output }
}

interface Run {
  readonly requests: readonly SentRequest[]
  /** How many of the requests are not a verification. */
  readonly ofRun: number
  readonly problem: string | undefined
  readonly output: unknown
}

async function runOver(
  skill: AnySkill,
  { input, output, responses }: DeclaredExample,
  given: Pick<RunSkillOptions, 'settings'>,
  now: number,
): Promise<Run> {
  const requests: SentRequest[] = []
  const replies = (request: SentRequest) => {
    requests.push(request)
    const response = responses[requests.length - 1]
    if (response !== undefined) return toReply(response)
    return new Error(
      `request ${requests.length}, ${request.method} ${request.path}, has no entry in \`responses\``,
    )
  }
  // Also differs in the idempotency key.
  const options = { ...given, replies, now, run: { id: `recorded-${now}` } }
  let ofRun = 0
  try {
    const run = await runSkill(skill, input, options)
    ofRun = requests.length
    if (ofRun < responses.length && skill.effect === 'write' && skill.repeat === 'verify')
      await runSkill(skill, input, { ...options, purpose: 'verify' })
    const problem = problemOf(run.output, output, requests.length, responses.length)
    return { requests, ofRun, problem, output: run.output }
  } catch (error) {
    return {
      requests,
      ofRun: ofRun === 0 ? requests.length : ofRun,
      problem: (error as Error).message,
      output: undefined,
    }
  }
}

function problemOf(found: unknown, wanted: unknown, sent: number, recorded: number): string | undefined {
  if (sent < recorded)
    return `has ${recorded} entries in \`responses\`, but the skill sends ${sent} request${sent === 1 ? '' : 's'}`
  if (isDeepStrictEqual(found, wanted)) return undefined
  return `the answers give a different \`output\`: ${JSON.stringify(found)}`
}

/** A recorded answer, as a sandbox sends it. */
export const toReply = ({ status, headers, body, text }: DeclaredResponse) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !framing.includes(name))),
  ...(text !== undefined ? { text } : body === undefined ? {} : { json: body }),
})

/** They describe the transfer of an answer, not its content. */
const framing = ['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive']
