import { type Checkpoint, askedOf } from '../domain/checkpoint.ts'
import type { Runner } from '../engine/turns/runner.ts'
import { NotFoundError, UnavailableError } from '../errors/errors.ts'
import { TocsinError, type InboundAnswer, type InboundReply, type InboundResult } from '../plugin/index.ts'
import type { AnswerOutcome } from '../ports/runs/checkpoint-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { JudgedAnswer } from '../ports/runs/inbound-store.ts'
import type { Log } from '../ports/log.ts'
import type { OpenConnection } from '../ports/connection-store.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { openSettings } from '../skill/connection/settings.ts'
import { Redactor } from '../skill/redaction/redactor.ts'
import { judgeById, judgeReply } from './judge-answer.ts'
import type { SayRefused } from './refusals.ts'

/** A request to the address of a connection, as it came. */
export interface InboundPost {
  /** Name of the plugin, as it stands in the address. */
  readonly plugin: string
  /** Last word of the address. */
  readonly route: string
  readonly token: string
  /** As the log has it. */
  readonly requestId: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What is answered. `refused`: why, for the log alone; the sender is not told which part of the proof is missing. */
export type Received =
  | { readonly reply: InboundReply }
  | { readonly refused: { readonly code: string; readonly connection?: string; readonly error?: unknown } }

/** What other systems send to us. */
export interface Inbound {
  /**
   * Token, then the handler of the plugin (which proves who sent it), then one write: that it came, what was answered, what became
   * known of the connection. Runs go on, and polite words go out, when it has been written. Throws UnavailableError.
   */
  receive(post: InboundPost): Promise<Received>
}

export interface InboundOptions {
  readonly stores: Pick<Stores, 'connections' | 'checkpoints' | 'inbound'>
  readonly catalogue: Pick<Catalogue, 'connection'>
  readonly runner: Pick<Runner, 'wake'>
  readonly sayRefused: SayRefused
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

const defaultDedupeMs = 3_600_000
/** Questions to one person that a reply without an id is compared with. */
const maxQuestions = 200
/** Of what a plugin says about a connection, and of what a person wrote, in characters. */
const maxReason = 500
const maxText = 4_000

export function createInbound(options: InboundOptions): Inbound {
  const { stores, runner, sayRefused } = options
  return {
    async receive(post) {
      const opened = await openFor(options, post)
      if ('refused' in opened) return opened
      const { connection } = opened.open
      const said = say(options, opened.open, post)
      if ('refused' in said) return said
      const { reply = {}, dedupeKey, dedupeMs = defaultDedupeMs, broken, warning } = said.result
      const answers = await judgeAll(options, opened.open, said.result.answers ?? [])
      let outcomes: readonly AnswerOutcome[] | undefined
      try {
        outcomes = await stores.inbound.take({
          organizationUuid: connection.organizationUuid,
          connectionUuid: connection.uuid,
          requestId: post.requestId,
          once: dedupeKey === undefined ? undefined : { key: `${post.route} ${dedupeKey}`, keepMs: dedupeMs },
          answers,
          broken: broken?.slice(0, maxReason),
          warning: warning?.slice(0, maxReason),
        })
      } catch (error) {
        if (error instanceof NotFoundError) return { refused: { code: error.code } }
        throw error
      }
      for (const [index, { outcome, checkpoint }] of (outcomes ?? []).entries()) {
        const { runUuid: uuid, organizationUuid } = checkpoint
        if (outcome === 'accepted') runner.wake({ uuid, organizationUuid })
        else sayRefused(checkpoint, { by: answers[index]?.by.id ?? '', reason: outcome })
      }
      return { reply }
    },
  }
}

type Refused = Extract<Received, { refused: unknown }>

async function openFor(
  { stores, catalogue }: InboundOptions,
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
  return { open }
}

/** Nothing that a handler does with what anybody may have sent is a failure of ours: whatever it throws is a refusal. */
function say(
  { catalogue, clock, log }: InboundOptions,
  open: OpenConnection,
  { route, headers, body }: InboundPost,
): Refused | { readonly result: InboundResult } {
  const { name, plugin } = open.connection
  const redactor = new Redactor(Object.values(open.secrets).map((secret) => secret.reveal()))
  const text = decoded(body)
  if (text === undefined) return { refused: { code: 'body_not_utf8', connection: name } }
  try {
    const definition = catalogue.connection(plugin)
    const { settings } = openSettings(definition!, open)
    return { result: definition!.inbound![route]!({ headers, body, text, nowMs: clock.now() }, settings) }
  } catch (thrown) {
    const error = redactor.error(thrown, (one) => one instanceof TocsinError)
    if (error instanceof TocsinError) return { refused: { code: error.code, connection: name, error } }
    log.error({ plugin, connection: name, error }, 'a plugin could not read what was sent to it')
    return { refused: { code: 'handler_failed', connection: name } }
  }
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
    // Not asked over this connection: not there, as far as it is concerned.
    if (checkpoint === undefined || checkpoint.connection !== name || !isOf(plugin)(checkpoint)) continue
    if (askedOf(checkpoint) === undefined) {
      if (checkpoint.state === 'waiting') throw notAskedYet()
      continue
    }
    judged.push(judgeById(checkpoint, answer, now))
  }
  return judged
}

const isOf =
  (plugin: string) =>
  ({ question }: Checkpoint): boolean =>
    question.via.startsWith(`${plugin}.`)

/** The answer was faster than our own note of whom we asked: it is not known yet whether it counts. */
function notAskedYet(): UnavailableError {
  return new UnavailableError('question_going_out', 'the question is still on its way', {
    retryAfterMs: 1_000,
  })
}
