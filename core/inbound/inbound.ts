import { type AnswerVerdict, askedOf } from '../domain/checkpoint.ts'
import type { Runner } from '../engine/turns/runner-types.ts'
import { NotFoundError, UnavailableError } from '../errors/errors.ts'
import {
  ConnectionError,
  SkillError,
  TocsinError,
  type InboundAnswer,
  type InboundReply,
  type InboundRequest,
  type InboundResult,
} from '../plugin/index.ts'
import type { AnswerOutcome } from '../ports/runs/checkpoint-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { InboundCall, JudgedAnswer } from '../ports/runs/inbound-store.ts'
import type { Log } from '../ports/log.ts'
import type { OpenConnection } from '../ports/connection-store.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { isThreadLost } from '../engine/context/retry-class.ts'
import { receiveAsTask, type PerformTask } from '../skill/call/perform-task.ts'
import {
  createSecretResolver,
  noSecretSources,
  type SecretResolver,
} from '../skill/connection/secret-resolver.ts'
import { changeCases } from './change-cases.ts'
import { judgeById, judgeReply } from './judge-answer.ts'
import { isOf, isOfConnection, findQuestionPage, type QuestionPage } from './question-page.ts'
import type { SayRefused } from './refusals.ts'
import { maxKeepMs, ProviderMissing, storeAlerts, type AlertIntake } from './store-alerts.ts'

/** A request to the webhook address of a connection. */
export interface InboundPost {
  /** Name of the plugin in the address. */
  readonly plugin: string
  /** Last segment of the address. */
  readonly route: string
  readonly token: string
  /** Id of the request in the log. */
  readonly requestId: string
  readonly method: InboundRequest['method']
  /** The complete public address, with the token. */
  readonly url: string
  /** Without the token. */
  readonly query: Readonly<Record<string, string>>
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The answer. `refused` holds the reason for the log; the sender does not learn which proof failed. */
export type Received =
  | { readonly reply: InboundReply }
  | { readonly page: QuestionPage }
  | { readonly refused: { readonly code: string; readonly connection?: string; readonly error?: unknown } }

/** Receives webhook calls of other systems. */
export interface Inbound {
  /**
   * Checks the token, calls the plugin's handler, which verifies the sender, stores the alerts and the changes of cases, and then
   * records the call, the answers and the state of the connection in one write. Afterwards runs resume and refusals are sent.
   * Throws UnavailableError, and what the intake throws.
   */
  receive(post: InboundPost, intake: AlertIntake): Promise<Received>
}

export interface InboundOptions {
  readonly stores: Pick<Stores, 'connections' | 'checkpoints' | 'inbound' | 'cases'>
  readonly catalogue: Pick<Catalogue, 'connection'>
  readonly runner: Pick<Runner, 'wake'>
  readonly sayRefused: SayRefused
  /** Calls the handlers of plugins. */
  readonly performTask: PerformTask
  /** Reads referenced secrets. Default: connections whose secrets are references receive no requests. */
  readonly secrets?: Pick<SecretResolver, 'resolve'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/** Of a plugin's handler. Senders wait about 3 s for the answer. */
const handlerTimeoutMs = 2_000

/** Of the sources of secrets. */
const secretsTimeoutMs = 1_000

const defaultDedupeMs = 3_600_000
/** Maximum number of questions to one person that a reply without an id is compared with. */
const maxQuestions = 200
/** Maximum length of a plugin's note about a connection and of a person's text. */
const maxReason = 500
const maxText = 4_000

export function createInbound(options: InboundOptions): Inbound {
  return {
    async receive(post, intake) {
      const opened = await openFor(options, post)
      if ('refused' in opened) return opened
      const { open } = opened
      const said = await say(options, open, post)
      if ('refused' in said) return said
      const { reply = {} } = said.result
      if (post.method === 'GET') return await answerWith(options, open, reply)
      try {
        const [first] = await storeMeaning(options, open, post, intake, said.result)
        return await answerWith(options, open, reply, first?.outcome)
      } catch (error) {
        if (error instanceof NotFoundError) return { refused: { code: error.code } }
        if (error instanceof SkillError)
          return { refused: { code: error.code, connection: open.connection.name, error } }
        throw error
      }
    },
  }
}

async function answerWith(
  { stores, clock }: InboundOptions,
  { connection }: OpenConnection,
  reply: InboundReply,
  verdict?: AnswerVerdict,
): Promise<Received> {
  const { question } = reply
  if (question === undefined) return { reply }
  return { page: await findQuestionPage(stores.checkpoints, connection, question, verdict, clock.now()) }
}

/**
 * The call is recorded last: after a failure before it, a repeated request continues where this one ended.
 */
async function storeMeaning(
  options: InboundOptions,
  open: OpenConnection,
  post: InboundPost,
  intake: AlertIntake,
  result: InboundResult,
): Promise<readonly AnswerOutcome[]> {
  const { stores } = options
  const { connection } = open
  const { dedupeKey, dedupeMs = defaultDedupeMs, broken, warning } = result
  const take = (call: Pick<InboundCall, 'once' | 'answers' | 'broken' | 'warning'>) =>
    stores.inbound.take({
      organizationUuid: connection.organizationUuid,
      connectionUuid: connection.uuid,
      requestId: post.requestId,
      ...call,
      broken: call.broken?.slice(0, maxReason),
      warning: call.warning?.slice(0, maxReason),
    })
  try {
    await storeAlerts(intake, connection, post.route, result)
  } catch (error) {
    if (error instanceof ProviderMissing) {
      const lost = `Alerts of its webhook are not stored: ${error.message}.`
      await take({ once: undefined, answers: [], broken: undefined, warning: lost })
    }
    throw error
  }
  await changeCases(stores.cases, { ...post, connection }, result)
  const answers = await judgeAll(options, open, result.answers ?? [])
  const keepMs = Math.min(dedupeMs, maxKeepMs)
  const once = dedupeKey === undefined ? undefined : { key: `${post.route} ${dedupeKey}`, keepMs }
  const outcomes = (await take({ once, answers, broken, warning })) ?? []
  followUp(options, answers, outcomes)
  return outcomes
}

/** Resumes the runs whose questions are answered, and explains why other answers do not count. */
function followUp(
  { runner, sayRefused }: InboundOptions,
  answers: readonly JudgedAnswer[],
  outcomes: readonly AnswerOutcome[],
): void {
  for (const [index, { outcome, checkpoint }] of outcomes.entries()) {
    const { runUuid: uuid, organizationUuid } = checkpoint
    if (outcome === 'accepted') runner.wake({ uuid, organizationUuid })
    else if (outcome !== 'counted')
      sayRefused(checkpoint, { by: answers[index]?.by.id ?? '', reason: outcome })
  }
}

type Refused = Extract<Received, { refused: unknown }>

async function openFor(
  { stores, catalogue, secrets = createSecretResolver(noSecretSources) }: InboundOptions,
  { token, plugin, route }: InboundPost,
): Promise<Refused | { readonly open: OpenConnection }> {
  let open: OpenConnection | undefined
  try {
    open = await stores.connections.openByEventsToken(token)
  } catch (error) {
    if (error instanceof TocsinError && error.code === 'secret_unreadable')
      return { refused: { code: error.code, error } }
    throw error
  }
  if (open === undefined) return { refused: { code: 'token_unknown' } }
  const { connection } = open
  const handlers = catalogue.connection(connection.plugin)?.inbound
  if (
    connection.plugin.replaceAll('_', '-') !== plugin ||
    handlers === undefined ||
    !Object.hasOwn(handlers, route)
  )
    return { refused: { code: 'token_of_another_address', connection: connection.name } }
  if (!connection.enabled) return { refused: { code: 'connection_disabled', connection: connection.name } }
  try {
    return { open: await secrets.resolve(open, { signal: AbortSignal.timeout(secretsTimeoutMs) }) }
  } catch (error) {
    if (error instanceof ConnectionError)
      return { refused: { code: error.code, connection: connection.name, error } }
    // The other system sends the request again.
    throw new UnavailableError(
      'secret_source_unavailable',
      'the secrets of the connection cannot be read now',
      {
        cause: error,
        retryAfterMs: 5_000,
      },
    )
  }
}

/** Anybody may have sent the request, so an error of the handler refuses it and is not a server error. */
async function say(
  { performTask, clock, log }: InboundOptions,
  open: OpenConnection,
  { route, method, url, query, headers, body }: InboundPost,
): Promise<Refused | { readonly result: InboundResult }> {
  const { name, plugin } = open.connection
  const text = decoded(body)
  if (text === undefined) return { refused: { code: 'body_not_utf8', connection: name } }
  const call = { route, method, url, query, headers, body, text, nowMs: clock.now() }
  const hooks = { signal: AbortSignal.timeout(handlerTimeoutMs), onSecret: undefined }
  try {
    return { result: await receiveAsTask(performTask, open, call, hooks) }
  } catch (error) {
    if (isThreadLost(error)) throw notRead(error)
    if (error instanceof TocsinError) return { refused: { code: error.code, connection: name, error } }
    log.error({ plugin, connection: name, error }, 'a plugin could not read an inbound request')
    return { refused: { code: 'handler_failed', connection: name } }
  }
}

/** Another skill ended the thread of the handler. */
function notRead(cause: unknown): UnavailableError {
  return new UnavailableError('webhook_not_read', 'the request could not be read now', {
    hint: 'send it again',
    retryAfterMs: 1_000,
    cause,
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decoded(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

async function judgeAll(
  { stores, clock }: InboundOptions,
  { connection }: OpenConnection,
  answers: readonly InboundAnswer[],
): Promise<readonly JudgedAnswer[]> {
  const { organizationUuid, name, plugin } = connection
  const judged: JudgedAnswer[] = []
  for (const given of answers) {
    const answer = given.text === undefined ? given : { ...given, text: given.text.slice(0, maxText) }
    const now = clock.now()
    if (answer.checkpointId === undefined) {
      const person = { organizationUuid, connection: name, asked: answer.by }
      const questions = await stores.checkpoints.toPerson(person, maxQuestions)
      const one = judgeReply(questions.filter(isOf(plugin)), answer, now)
      if (one !== undefined) judged.push(one)
      continue
    }
    const checkpoint = await stores.checkpoints.find([organizationUuid], answer.checkpointId)
    // A question of another connection is treated as not existing.
    if (checkpoint === undefined || !isOfConnection(checkpoint, connection)) continue
    if (askedOf(checkpoint) === undefined) {
      if (checkpoint.state === 'waiting') throw notAskedYet()
      continue
    }
    judged.push(judgeById(checkpoint, answer, now))
  }
  return judged
}

/** The answer arrived before the question was recorded as sent, so it cannot be judged yet. */
function notAskedYet(): UnavailableError {
  return new UnavailableError('question_going_out', 'the question is still being sent', {
    retryAfterMs: 1_000,
  })
}
