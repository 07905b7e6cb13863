import type { Connection } from '../../core/domain/connection.ts'
import type { CaseAccess } from '../../core/plugin/index.ts'
import type { PluginSources } from '../../core/registry/plugin-modules.ts'
import type { ConnectionPause } from '../../core/ports/nodes/signals.ts'
import type { SkillTask } from '../../core/skill/call/perform-task.ts'
import type { HeldShare, NodeShare } from '../../core/skill/http/node-share.ts'
import type { PrivateEgress } from '../egress/allow-lists.ts'
import type { ClockMemory } from '../nodes/database-clock.ts'
import type { LeaseMemory } from '../nodes/shared-lease.ts'
import type { EffectMemory } from './effect-flag.ts'
import type { PackedError } from './packed-error.ts'

/** The start data of a thread. */
export interface ThreadData {
  readonly plugins: PluginSources
  readonly allowPrivate: PrivateEgress
  /** Default: this process may always send. */
  readonly lease?: LeaseMemory | undefined
  /** Default: the clock of this machine. */
  readonly clock?: ClockMemory | undefined
}

/** With the parts of rate limits that this node uses when the thread starts. Default: no other node sends requests. */
export interface StartedThreadData extends ThreadData {
  readonly shares: readonly HeldShare[] | undefined
}

/** A task as it is posted, without a connection that the thread already has. */
export interface PackedTask extends Omit<SkillTask, 'connection'> {
  /** Uuid. */
  readonly connection: string | undefined
}

/** With secrets in plain text: threads of one process share their memory anyway. */
export interface PackedConnection {
  readonly connection: Connection
  readonly secrets: Readonly<Record<string, string>>
  readonly formerSecrets: readonly string[] | undefined
  /** See `SignInTokens`; undefined: the plugin has no sign-in. */
  readonly client: string | undefined
}

/** From the main thread. `id` names the task. */
export type ToThread =
  | { readonly kind: 'connection'; readonly packed: PackedConnection }
  | {
      readonly kind: 'task'
      readonly id: number
      readonly task: PackedTask
      /** Undefined: the effect is not tracked. */
      readonly effect: EffectMemory | undefined
    }
  | { readonly kind: 'abort'; readonly id: number; readonly reason: PackedError }
  | { readonly kind: 'reply'; readonly call: number; readonly reply: TaskReply }
  | { readonly kind: 'ping' }
  | { readonly kind: 'share'; readonly share: NodeShare }
  /** Another node was asked to pause. */
  | { readonly kind: 'pause'; readonly pause: ConnectionPause }

/** From a thread that performs tasks. `id` names the task. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'end'; readonly id: number; readonly reply: TaskReply }
  | {
      readonly kind: 'log'
      readonly id: number
      readonly level: 'info' | 'warn'
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>> | undefined
    }
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'request'; readonly plugin: string | undefined; readonly status: number | undefined }
  /** Another system asked to pause. */
  | { readonly kind: 'paused'; readonly pause: ConnectionPause }
  | { readonly kind: 'call'; readonly call: number; readonly wanted: Wanted }

/** Operations that only the main thread can do. */
export type Wanted =
  | {
      readonly of: 'cases'
      readonly id: number
      readonly method: keyof CaseAccess
      readonly args: readonly unknown[]
    }
  | { readonly of: 'code'; readonly organizationUuid: string }
  | {
      readonly of: 'token'
      /** Uuid. */
      readonly connection: string
      readonly client: string
      /** Undefined: none was refused. */
      readonly refused: string | undefined
    }

export type TaskReply = { readonly value: unknown } | { readonly error: PackedError }

export interface Port<Message> {
  postMessage(messages: readonly Message[], transferred: readonly never[]): void
}

/**
 * Posts messages in order, once per turn of the event loop, because waking the other thread costs more than a
 * message.
 *
 * @param instead returns the replacement for a message that cannot be copied into the other thread;
 * undefined: none
 */
export class Outbox<Message> {
  readonly #port: Port<Message>
  readonly #instead: (message: Message, error: Error) => Message | undefined
  #waiting: Message[] = []

  constructor(port: Port<Message>, instead: (message: Message, error: Error) => Message | undefined) {
    this.#port = port
    this.#instead = instead
  }

  post(message: Message): void {
    if (this.#waiting.push(message) === 1) setImmediate(() => this.flush())
  }

  flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    try {
      if (messages.length > 0) this.#port.postMessage(messages, [])
    } catch {
      for (const message of messages) this.#postAlone(message)
    }
  }

  #postAlone(message: Message): void {
    try {
      this.#port.postMessage([message], [])
    } catch (error) {
      const instead = this.#instead(message, error as Error)
      if (instead !== undefined) this.#port.postMessage([instead], [])
    }
  }
}
