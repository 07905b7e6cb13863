import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ConnectionError, SkillError } from '../../core/plugin/index.ts'
import type { OpenConnection } from '../../core/ports/connection-store.ts'
import type { ConnectionPause } from '../../core/ports/nodes/signals.ts'
import type { NodeShares } from '../../core/skill/http/node-share.ts'
import type { SkillTask, TaskHooks } from '../../core/skill/call/perform-task.ts'
import { endEffect, newEffectMemory, type EffectMemory } from './effect-flag.ts'
import {
  Outbox,
  type FromThread,
  type StartedThreadData,
  type TaskReply,
  type ThreadData,
  type ToThread,
  type Wanted,
} from './messages.ts'
import { packError, unpackError } from './packed-error.ts'
import { failLost, failUnstarted, notStarted, type PendingTask } from './pending-task.ts'
import { ThreadWatch } from './thread-watch.ts'

export interface SkillThreadOptions {
  readonly data: ThreadData
  /** Of each thread, its buffers included, in MB. */
  readonly memoryMb: number
  readonly changes: (skill: string) => boolean
  readonly codeOf: (organizationUuid: string) => Promise<string | undefined>
  /** The parts of rate limits that this node uses. Default: no other node sends requests. */
  readonly shares?: NodeShares | undefined
  /** Pauses that have not ended, for a thread that starts. Default: none. */
  readonly pauses?: (() => readonly ConnectionPause[]) | undefined
  /** Another system asked a connection to pause. */
  readonly onPause?: ((pause: ConnectionPause) => void) | undefined
  readonly onSecret: (secret: string) => void
  readonly onRequest: (plugin: string | undefined, status: number | undefined) => void
  /** The thread has ended by itself or was stopped; `skills`: those with active calls. */
  readonly onLost: (reason: string, skills: readonly string[]) => void
}

const entry = new URL(
  import.meta.url.endsWith('.ts') ? './skill-thread.ts' : './skill-thread.js',
  import.meta.url,
)

/** A thread uses the compile cache only if this variable names its folder: without it, it starts in almost twice the time. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/**
 * V8 ends a thread that exceeds its memory limit, but ends the whole process if a single allocation
 * exceeds it. So threads are stopped at a lower limit; V8's is for threads that grow too fast.
 */
const hardLimitFactor = 4
/**
 * Delay in milliseconds before the next thread, if one ended before it could take a task; doubled each
 * time.
 */
const firstPauseMs = 500
const longestPauseMs = 30_000

/**
 * One thread that performs tasks. It starts with its first task, and again with the next task after it was
 * lost.
 */
export class SkillThread {
  readonly #options: SkillThreadOptions
  readonly #pending = new Map<number, PendingTask>()
  #worker: Worker | undefined
  #outbox: Outbox<ToThread> | undefined
  /** Connections that this thread already has, by uuid. */
  #known = new Map<string, OpenConnection>()
  #isReady = false
  #started = Promise.withResolvers<void>()
  #failedStarts = 0
  #startNotBefore = 0
  #lastReason = ''
  #lastId = 0
  readonly #watch: ThreadWatch
  readonly #unwatch: (() => void) | undefined

  constructor(options: SkillThreadOptions) {
    this.#options = options
    this.#unwatch = options.shares?.watch((share) => this.#outbox?.post({ kind: 'share', share }))
    this.#watch = new ThreadWatch({
      memoryMb: options.memoryMb,
      worker: () => (this.#isReady ? this.#worker : undefined),
      ping: () => this.#outbox?.post({ kind: 'ping' }),
      stop: (reason) => this.#stop(reason),
    })
  }

  /** How many tasks it has. */
  get load(): number {
    return this.#pending.size
  }

  /** Rejects with the error of `threadLost` if the thread ends before the task. */
  perform(task: SkillTask, hooks: TaskHooks): Promise<unknown> {
    const waitMs = this.#startNotBefore - Date.now()
    if (this.#worker === undefined && waitMs > 0) return Promise.reject(notStarted(this.#lastReason, waitMs))
    // An abort before the task was posted would not reach the thread.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the engine's own error
    if (hooks.signal.aborted) return Promise.reject(hooks.signal.reason)
    this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    const effect = this.#options.changes(task.skill) ? newEffectMemory() : undefined
    if (effect !== undefined) hooks.onEffect?.(() => endEffect(effect))
    const abort = (): void => this.#abort(id, hooks.signal)
    const forget = (): void => hooks.signal.removeEventListener('abort', abort)
    this.#pending.set(id, { task, hooks, effect, resolve, reject, forget })
    hooks.signal.addEventListener('abort', abort, { once: true })
    this.#post(id, task, effect)
    this.#watch.start()
    return promise
  }

  /** Starts the thread before its first task. Resolves when it can take tasks, or has ended. */
  start(): Promise<void> {
    this.#start()
    return this.#started.promise
  }

  /** Passes on a pause that another node or thread was asked for. */
  pause(pause: ConnectionPause): void {
    this.#outbox?.post({ kind: 'pause', pause })
  }

  /** Ends the thread, even if it is busy. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#unwatch?.()
    this.#started.resolve()
    this.#watch.end()
    await worker?.terminate()
  }

  #start(): void {
    if (this.#worker !== undefined) return
    const { data, shares } = this.#options
    const started: StartedThreadData = { ...data, shares: shares?.held() }
    const worker = new Worker(entry, {
      workerData: started,
      env: { ...process.env, ...compileCache() },
      resourceLimits: { maxOldGenerationSizeMb: hardLimitFactor * this.#options.memoryMb },
    })
    this.#worker = worker
    this.#outbox = new Outbox<ToThread>(worker, (message, error) => this.#notCloneable(message, error))
    for (const pause of this.#options.pauses?.() ?? []) this.pause(pause)
    this.#known = new Map()
    this.#isReady = false
    this.#started = Promise.withResolvers()
    let reason = 'ended by itself'
    worker.on('message', (messages: readonly FromThread[]) => {
      // A stopped thread may have posted more: its requests must not be answered to the next
      // thread.
      const isCurrent = this.#worker === worker
      for (const message of messages) if (isCurrent || message.kind === 'secret') this.#take(message)
    })
    worker.on('error', (error: Error) => {
      reason =
        (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : error.message
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#lost(reason)
    })
  }

  #post(id: number, task: SkillTask, effect: EffectMemory | undefined): void {
    const { connection, ...rest } = task
    const uuid = connection?.connection.uuid
    if (connection !== undefined && uuid !== undefined && this.#known.get(uuid) !== connection) {
      this.#known.set(uuid, connection)
      const secrets = Object.entries(connection.secrets).map(([name, secret]) => [name, secret.reveal()])
      this.#outbox?.post({
        kind: 'connection',
        packed: {
          connection: connection.connection,
          secrets: Object.fromEntries(secrets),
          formerSecrets: connection.formerSecrets,
          client: connection.tokens?.client,
        },
      })
    }
    this.#outbox?.post({ kind: 'task', id, task: { ...rest, connection: uuid }, effect })
  }

  #take(message: FromThread): void {
    const { onSecret, onRequest, onPause } = this.#options
    if (message.kind === 'ready') {
      this.#isReady = true
      this.#failedStarts = 0
      this.#started.resolve()
    } else if (message.kind === 'pong') this.#answered()
    else if (message.kind === 'secret') onSecret(message.secret)
    else if (message.kind === 'paused') onPause?.(message.pause)
    else if (message.kind === 'request') onRequest(message.plugin, message.status)
    else if (message.kind === 'log') {
      this.#pending.get(message.id)?.hooks.log[message.level](message.message, message.fields)
    } else if (message.kind === 'call') void this.#answer(message.call, message.wanted)
    else this.#end(message.id, message.reply)
  }

  #end(id: number, reply: TaskReply): void {
    const pending = this.#drop(id)
    if ('error' in reply) pending?.reject(unpackError(reply.error))
    else pending?.resolve(reply.value)
  }

  #drop(id: number): PendingTask | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    pending?.forget()
    if (this.#pending.size === 0) this.#watch.end()
    return pending
  }

  async #answer(call: number, wanted: Wanted): Promise<void> {
    const outbox = this.#outbox
    try {
      outbox?.post({ kind: 'reply', call, reply: { value: await this.#give(wanted) } })
    } catch (error) {
      outbox?.post({ kind: 'reply', call, reply: { error: packError(error) } })
    }
  }

  async #give(wanted: Wanted): Promise<unknown> {
    if (wanted.of === 'code') return await this.#options.codeOf(wanted.organizationUuid)
    if (wanted.of === 'token') return await this.#token(wanted)
    const cases = this.#pending.get(wanted.id)?.hooks.cases
    if (cases === undefined) throw new SkillError('call_over', 'the call is over')
    const method = cases[wanted.method] as (...args: readonly unknown[]) => Promise<unknown>
    return await method(...wanted.args)
  }

  /** A call that began before the connection changed must not get a token for other addresses. */
  async #token({ connection, client, refused }: Extract<Wanted, { of: 'token' }>): Promise<unknown> {
    const tokens = this.#known.get(connection)?.tokens
    if (tokens?.client !== client)
      throw new ConnectionError('connection_changed', 'the connection has changed during the call', {
        hint: 'retry the step',
      })
    return await (refused === undefined ? tokens.get() : tokens.replace(refused))
  }

  #abort(id: number, { reason }: AbortSignal): void {
    this.#outbox?.post({ kind: 'abort', id, reason: packError(reason) })
    this.#watch.overdue()
  }

  #notCloneable(message: ToThread, error: Error): ToThread | undefined {
    if (message.kind === 'task') {
      const cause = { cause: error }
      this.#drop(message.id)?.reject(
        new SkillError('bad_input', `the input cannot be handed over: ${error.message}`, cause),
      )
    }
    if (message.kind !== 'reply') return undefined
    return { ...message, reply: { error: packError(error) } }
  }

  #answered(): void {
    this.#watch.answered()
    // The thread has received the abort: skills that ignore it are abandoned, and the thread continues.
    for (const [id, { hooks }] of this.#pending) if (hooks.signal.aborted) this.#drop(id)
  }

  #stop(reason: string): void {
    const worker = this.#worker
    this.#lost(reason)
    void worker?.terminate()
  }

  #lost(reason: string): void {
    this.#worker = undefined
    this.#started.resolve()
    this.#lastReason = reason
    const lost = [...this.#pending.values()]
    this.#pending.clear()
    this.#watch.end()
    if (this.#isReady) failLost(lost, reason)
    else {
      // It ended before it could take a task.
      const waitMs = Math.min(firstPauseMs * 2 ** this.#failedStarts++, longestPauseMs)
      this.#startNotBefore = Date.now() + waitMs
      failUnstarted(lost, reason, waitMs)
    }
    this.#options.onLost(reason, this.#isReady ? [...new Set(lost.map(({ task }) => task.skill))] : [])
  }
}
