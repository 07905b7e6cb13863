import type { JsonObject } from 'tocsin/plugin'
import { showMessage, showPost, type SandboxMessage } from './messages/show-message.ts'
import { botUser, knownById, personByEmail, type Person } from './people.ts'

export const teamId = 'T0SANDBOX'
export const appId = 'A0TOCSIN'
export const botId = 'B0TOCSIN'
/** What was posted by the webhook. */
export type WebhookPost = JsonObject & { readonly text?: string }

/** What the sandbox remembers while it runs. */
export class Workspace {
  readonly posts: WebhookPost[] = []
  readonly #tell: (news: string) => void
  readonly #people = new Map<string, Person>()
  readonly #messages = new Map<string, SandboxMessage>()
  #seconds = 1_767_225_600

  /** @param tell is told of every message, as people see it. Default: nobody is. */
  constructor(tell: (news: string) => void = () => undefined) {
    this.#tell = tell
  }

  /** In the order in which they were posted. */
  get messages(): readonly SandboxMessage[] {
    return [...this.#messages.values()]
  }

  byEmail(email: string): Person | undefined {
    const person = personByEmail(email)
    if (person !== undefined) this.#people.set(person.id, person)
    return person
  }

  byId(id: string): Person | undefined {
    return this.#people.get(id) ?? knownById(id)
  }

  /** Of the direct conversation with a person: they are opened once and for all. */
  conversationWith(id: string): string {
    return `D${id.slice(1)}`
  }

  /** Whose direct conversation it is; `undefined` for any other channel. */
  personIn(channel: string): Person | undefined {
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

  /** The message under its number, as a person would read it. */
  show(message: SandboxMessage): string {
    const { channel } = message
    const person = this.personIn(channel)?.email ?? channel
    return showMessage(message, { number: this.numberOf(message), person })
  }

  /** Takes what came by the webhook. */
  postToChannel(post: WebhookPost): void {
    this.posts.push(post)
    this.#tell(showPost(post))
  }

  /** From 1, in the order in which they were posted. */
  numberOf({ channel, ts }: SandboxMessage): number {
    return [...this.#messages.keys()].indexOf(`${channel} ${ts}`) + 1
  }

  /** Names of messages and moments rise; they are texts. */
  nextTs(): string {
    return `${this.#seconds++}.000100`
  }
}
