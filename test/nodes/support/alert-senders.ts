import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../../support/server/start-server.ts'
import type { SupervisedNode, SupervisedCluster } from './supervised-cluster.ts'

/** How long a sender waits for an answer, in milliseconds: a stopped node gives none. */
const answerMs = 3_000
const resendMs = 100
/** For this time a node gets nothing after it gave no answer, as behind a balancer, in milliseconds. */
const avoidedMs = 3_000
/** Answers `request_interrupted` to one alert. */
const maxInterrupted = 50

interface Acknowledged {
  readonly id: string
  readonly content: string
  readonly at: number
}

/** Post alerts through any node; an alert without an answer is sent again with the same key, as real senders do. */
export class AlertSenders {
  readonly acknowledged: Acknowledged[] = []
  /** Answers that no sender expects. */
  readonly problems: string[] = []
  /** Requests that were sent again. */
  resent = 0
  readonly #cluster: SupervisedCluster
  readonly #over = new AbortController()
  /** Nodes that gave no answer, with the time until which they get nothing. */
  readonly #avoided = new Map<SupervisedNode, number>()
  readonly #sending: readonly Promise<void>[]

  /** @param pauseMs of each sender between two alerts */
  constructor(cluster: SupervisedCluster, count: number, pauseMs: number) {
    this.#cluster = cluster
    this.#sending = Array.from({ length: count }, (_, sender) => this.#send(sender, pauseMs))
  }

  /** Of the first alert that was acknowledged after that time, in milliseconds of `performance.now()`. */
  async firstAfter(at: number): Promise<number> {
    for (;;) {
      let index = this.acknowledged.length
      while ((this.acknowledged[index - 1]?.at ?? 0) > at) index--
      const first = this.acknowledged[index]
      if (first !== undefined) return first.at
      await sleep(20)
    }
  }

  async stop(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#sending)
  }

  async #send(sender: number, pauseMs: number): Promise<void> {
    for (let n = 0; !this.#over.signal.aborted; n++) {
      const content = `alert ${n} of ${sender}`
      const id = await this.#post(content)
      if (id !== undefined) this.acknowledged.push({ id, content, at: performance.now() })
      await sleep(pauseMs)
    }
  }

  /** Undefined: not answered before the end. */
  async #post(content: string): Promise<string | undefined> {
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'act',
      alert_content: content,
    }
    const headers = { 'idempotency-key': randomUUID() }
    for (let interrupted = 0; ; this.resent++) {
      const node = this.#anyNode()
      let reply: Reply | undefined
      try {
        const signal = AbortSignal.timeout(answerMs)
        reply = await this.#cluster.call(node, '/alerts', { body, headers, signal })
      } catch {
        // Not listening, cut off, or stopped.
        this.#avoided.set(node, performance.now() + avoidedMs)
      }
      if (reply?.status === 201) return reply.body.alert_id
      if (reply?.body.code === 'request_interrupted') interrupted++
      else if (reply !== undefined && reply.status < 500) interrupted = Infinity
      if (reply !== undefined && interrupted > maxInterrupted) {
        this.problems.push(`'${content}': ${reply.status} ${JSON.stringify(reply.body)}`)
        return undefined
      }
      if (this.#over.signal.aborted) return undefined
      await sleep(resendMs)
    }
  }

  #anyNode(): SupervisedNode {
    const { nodes } = this.#cluster
    const answering = nodes.filter((node) => (this.#avoided.get(node) ?? 0) < performance.now())
    const list = answering.length > 0 ? answering : nodes
    return list[Math.floor(Math.random() * list.length)]!
  }
}
