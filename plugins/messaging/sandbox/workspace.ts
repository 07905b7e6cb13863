import type { JsonObject } from 'tocsin/plugin'
import { showMessage, showPost, type SandboxMessage } from './messages/show-message.ts'
import { botUser, knownById, personByEmail, type WorkspaceUser } from './people.ts'

export const teamId = 'T0SANDBOX'
export const appId = 'A0TOCSIN'
export const botId = 'B0TOCSIN'
/** A post through the webhook. */
export type WebhookPost = JsonObject & { readonly text?: string }

/** State of a running sandbox. */
export class Workspace {
  readonly posts: WebhookPost[] = []
  readonly #tell: (news: string) => void
  readonly #people = new Map<string, WorkspaceUser>()
  readonly #messages = new Map<string, SandboxMessage>()
  #seconds = 1_767_225_600

  /** @param tell called with every message as people see it. Default: no callback. */
  constructor(tell: (news: string) => void = () => undefined) {
    this.#tell = tell
  }

  /** In the order of posting. */
  get messages(): readonly SandboxMessage[] {
    return [...this.#messages.values()]
  }

  byEmail(email: string): WorkspaceUser | undefined {
    const person = personByEmail(email)
    if (person !== undefined) this.#people.set(person.id, person)
    return person
  }

  byId(id: string): WorkspaceUser | undefined {
    return this.#people.get(id) ?? knownById(id)
  }

  /** The direct conversation with a person, opened once. */
  conversationWith(id: string): string {
    return `D${id.slice(1)}`
  }

  /** The person of a direct conversation; `undefined` for any other channel. */
  personIn(channel: string): WorkspaceUser | undefined {
    return channel.startsWith('D') ? this.byId(`U${channel.slice(1)}`) : undefined
  }

  find(channel: string, ts: string): SandboxMessage | undefined {
    return this.#messages.get(`${channel} ${ts}`)
  }

  /** @param user default: the bot */
  post(message: Omit<SandboxMessage, 'ts' | 'user'>, user: string = botUser.id): SandboxMessage {
    const posted = { ...message, user, ts: this.nextTs() }
    this.put(posted)
    return posted
  }

  put(message: SandboxMessage): void {
    this.#messages.set(`${message.channel} ${message.ts}`, message)
    this.#tell(this.show(message))
  }

  /** The message with this number, as a person reads it. */
  show(message: SandboxMessage): string {
    const { channel } = message
    const person = this.personIn(channel)?.email ?? channel
    return showMessage(message, { number: this.numberOf(message), person })
  }

  /** Stores a post through the webhook. */
  postToChannel(post: WebhookPost): void {
    this.posts.push(post)
    this.#tell(showPost(post))
  }

  /** From 1, in the order of posting. */
  numberOf({ channel, ts }: SandboxMessage): number {
    return [...this.#messages.keys()].indexOf(`${channel} ${ts}`) + 1
  }

  /** Ids of messages are increasing timestamps, as strings. */
  nextTs(): string {
    return `${this.#seconds++}.000100`
  }
}
