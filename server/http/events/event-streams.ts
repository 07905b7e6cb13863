import type { ServerResponse } from 'node:http'
import { isActive } from '../../../core/access/account.ts'
import { isUsable } from '../../../core/domain/api-key.ts'
import type { ChangeKind } from '../../../core/domain/change.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { scopeText } from '../../../core/common/scope.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { AnswerBudget } from '../server/answer-budget.ts'
import { RequestError } from '../request/request-error.ts'
import { EventStream } from './event-stream.ts'
import type { Caller } from '../caller/caller.ts'

export interface EventStreamLimits {
  /** Streams at once; lower than the limit of connections, so that requests still get through. */
  readonly maxStreams: number
  /** Per key, over all its sessions. */
  readonly maxStreamsOfKey: number
  /** Over all keys with the same organizations, so that one customer cannot use up all streams. */
  readonly maxStreamsOfOrganizations: number
  /**
   * Interval of heartbeats and of checks of the key. Proxies close silent connections, many after 60 seconds;
   * the standard recommends 15.
   */
  readonly heartbeatMs: number
}

export interface EventStreams {
  /** Responds with a stream. Throws RequestError `event_streams_full`, `too_many_event_streams`. */
  open(caller: Caller, response: ServerResponse): EventStream
}

interface Options {
  readonly stores: Pick<Stores, 'accounts' | 'keys' | 'changes'>
  readonly sessions: Pick<Sessions, 'isOver'>
  readonly clock: Pick<Clock, 'now'>
  readonly answers: Pick<AnswerBudget, 'watch'>
  readonly limits: EventStreamLimits
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal
}

/** Limits open event streams, and ends those whose key or account loses access or changes its roles. */
export function createEventStreams(options: Options): EventStreams {
  const { stores, answers, limits, closing } = options
  const open = new Map<EventStream, Caller>()
  let timer: NodeJS.Timeout | undefined
  let stopListening = (): void => undefined

  function begin(): void {
    timer = setInterval(() => {
      for (const [stream, caller] of open) void goOn(stream, caller).then(() => stream.beat())
    }, limits.heartbeatMs).unref()
    stopListening = stores.changes.listen((changes) => {
      if (!changes.some(({ kind }) => isOfCallers.has(kind))) return
      for (const [stream, caller] of open) void goOn(stream, caller)
    })
  }

  /** Ends the stream if the caller has lost access. */
  async function goOn(stream: EventStream, caller: Caller): Promise<void> {
    if (!(await mayStill(caller, options).catch(() => false))) stream.cut()
  }

  function over(stream: EventStream): void {
    if (!open.delete(stream) || open.size > 0) return
    clearInterval(timer)
    stopListening()
  }

  function requireShare({ uuid, scope }: Caller): void {
    const callers = [...open.values()]
    const ofKey = callers.filter((other) => other.uuid === uuid).length
    if (ofKey >= limits.maxStreamsOfKey) throw tooManyStreams(`${ofKey} event streams of this key`)
    const party = scopeText(scope)
    const ofParty = callers.filter((other) => scopeText(other.scope) === party).length
    if (ofParty >= limits.maxStreamsOfOrganizations)
      throw tooManyStreams(`${ofParty} event streams of keys with the same organizations`)
  }

  closing.addEventListener('abort', () => {
    for (const stream of open.keys()) stream.cut()
  })

  return {
    open(caller, response) {
      if (closing.aborted || open.size >= limits.maxStreams) throw streamsFull()
      requireShare(caller)
      response.flushHeaders()
      const stream = new EventStream(response, answers)
      if (open.size === 0) begin()
      open.set(stream, caller)
      stream.over.addEventListener('abort', () => over(stream), { once: true })
      return stream
    },
  }
}

const isOfCallers: ReadonlySet<ChangeKind> = new Set(['account', 'key', 'session'])

async function mayStill(caller: Caller, options: Options): Promise<boolean> {
  const { session } = caller
  if (!(await isUnchanged(caller, options))) return false
  return session === undefined || !(await options.sessions.isOver(session))
}

/**
 * A change of roles, of the secret or of the addresses ends the stream too: the client opens another one if it still may.
 */
async function isUnchanged(
  { actor, uuid, account, key }: Caller,
  { stores, clock }: Options,
): Promise<boolean> {
  if (account !== undefined) {
    const found = await stores.accounts.find(uuid)
    return found !== undefined && isActive(found) && found.revision === account.revision
  }
  const now = (await stores.keys.find(actor.id))?.key
  return (
    now?.uuid === uuid &&
    isUsable(now, clock.now()) &&
    now.rotatedAt === key?.rotatedAt &&
    now.revision === key.revision
  )
}

function streamsFull(): RequestError {
  return new RequestError('event_streams_full', undefined, {
    hint: 'reconnect after the time in Retry-After; until then, poll the other operations',
    headers: { 'retry-after': '10' },
  })
}

function tooManyStreams(which: string): RequestError {
  return new RequestError('too_many_event_streams', `${which} are open already.`, {
    hint: 'close unused streams; one stream reports all changes: GET events',
    headers: { 'retry-after': '10' },
  })
}

/** Prevents buffering and caching, and reserves the connection for the stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Tells nginx not to buffer.
  'x-accel-buffering': 'no',
  connection: 'close',
} as const
