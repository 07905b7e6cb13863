import type { ServerResponse } from 'node:http'
import { isUsable } from '../../../core/domain/api-key.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { scopeText } from '../../../core/common/scope.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { AnswerBudget } from '../server/answer-budget.ts'
import { RequestError } from '../request/request-error.ts'
import { EventStream } from './event-stream.ts'
import type { Caller } from '../caller/caller.ts'

export interface EventStreamLimits {
  /** At once; further ones are refused. Fewer than connections, so that requests still come in. */
  readonly maxStreams: number
  /** Of one key, over all its sessions: a key begins as many as it likes. */
  readonly maxStreamsOfKey: number
  /** Of all keys that see the same organizations: however many keys one customer makes, others have streams as well. */
  readonly maxStreamsOfOrganizations: number
  /**
   * How often each is told something, and its key looked at again, in milliseconds. Proxies close what is silent, many after 60 seconds; the
   * standard recommends 15.
   */
  readonly heartbeatMs: number
}

export interface EventStreams {
  /** Answers with a stream. Throws RequestError `event_streams_full`, `too_many_event_streams`. */
  open(caller: Caller, response: ServerResponse): EventStream
}

interface Options {
  readonly stores: Pick<Stores, 'keys' | 'changes'>
  readonly sessions: Pick<Sessions, 'isOver'>
  readonly clock: Pick<Clock, 'now'>
  readonly answers: Pick<AnswerBudget, 'watch'>
  readonly limits: EventStreamLimits
  /** Aborted when the server begins to close: no stream holds that up. */
  readonly closing: AbortSignal
}

/** All streams of events that are open: how many there may be, and who may still read them. */
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
      if (!changes.some(({ kind }) => kind === 'key' || kind === 'session')) return
      for (const [stream, caller] of open) void goOn(stream, caller)
    })
  }

  /** Ends the stream of who may not read it any more. */
  async function goOn(stream: EventStream, caller: Caller): Promise<void> {
    if (!(await mayStill(caller, options).catch(() => false))) stream.cut()
  }

  function over(stream: EventStream): void {
    if (!open.delete(stream) || open.size > 0) return
    clearInterval(timer)
    stopListening()
  }

  function requireShare({ keyUuid, scope }: Caller): void {
    const callers = [...open.values()]
    const ofKey = callers.filter((other) => other.keyUuid === keyUuid).length
    if (ofKey >= limits.maxStreamsOfKey) throw tooManyStreams(`${ofKey} streams of events of this key`)
    const party = scopeText(scope)
    const ofParty = callers.filter((other) => scopeText(other.scope) === party).length
    if (ofParty >= limits.maxStreamsOfOrganizations)
      throw tooManyStreams(`${ofParty} streams of events of keys that see the same organizations`)
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

async function mayStill(
  { actor, keyUuid, session }: Caller,
  { stores, sessions, clock }: Options,
): Promise<boolean> {
  const found = await stores.keys.find(actor.id)
  if (found?.key.uuid !== keyUuid || !isUsable(found.key, clock.now())) return false
  return session === undefined || !(await sessions.isOver(session))
}

function streamsFull(): RequestError {
  return new RequestError('event_streams_full', undefined, {
    hint: 'come again after the time in Retry-After; what the stream would tell, the other operations answer',
    headers: { 'retry-after': '10' },
  })
}

function tooManyStreams(which: string): RequestError {
  return new RequestError('too_many_event_streams', `${which} are open already.`, {
    hint: 'close those that nobody reads; one stream tells of everything: GET events',
    headers: { 'retry-after': '10' },
  })
}

/** Headers of a stream: nothing on the way keeps it or gathers it up, and its connection is for nothing else. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Of nginx: what comes is passed on at once.
  'x-accel-buffering': 'no',
  connection: 'close',
} as const
