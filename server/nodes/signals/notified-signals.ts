import { withLogFields } from '../../../core/common/log-context.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { SentSignal, Signal, SignalKind, Signals } from '../../../core/ports/nodes/signals.ts'

/** Sends short texts to all nodes, such as NOTIFY and LISTEN of PostgreSQL. */
export interface NotifyChannel {
  /** Rejects if the text could not be sent. @param payload at most `maxPayloadBytes` */
  notify(payload: string): Promise<void>
  /**
   * @param onPayload called for texts of all nodes, this one included
   * @param onGap called when texts may have been missed, such as after a reconnect
   */
  listen(onPayload: (payload: string) => void, onGap: () => void): () => void
}

export interface NotifiedSignalsOptions {
  /** Id of this node. */
  readonly node: string
  readonly channel: NotifyChannel
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Log
}

/** Signals are gathered for this time: a commit with notifications takes a lock of the whole database. */
const gatherMs = 50
/** PostgreSQL takes less than 8,000 bytes. */
const maxPayloadBytes = 7_500
/** Between two texts that a node sends also to hear them itself: without them, it does not hear the other nodes either. */
const echoMs = 10_000
/** Beyond this, gathered signals are dropped, and the other nodes are told that they missed some. */
const maxGathered = 2_000

/** The message that a text carries. */
interface Packet {
  readonly from: string
  readonly signals: readonly Signal[]
}

const missed: Signal = { kind: 'missed' }

/** Signals over a channel of texts. Equal ones within 50 ms are sent once. */
export class NotifiedSignals implements Signals {
  readonly #options: NotifiedSignalsOptions
  readonly #listeners = new Set<(signal: Signal) => void>()
  readonly #stopping = new AbortController()
  readonly #unlisten: () => void
  /** As JSON. */
  #gathered = new Set<string>()
  /** Signals were dropped, or could not be sent: the other nodes are told that they missed some. */
  #hasLost = false
  #sending: Promise<void> | undefined
  /** Whether this node has heard itself since it last sent an echo. */
  #isHeard = true

  constructor(options: NotifiedSignalsOptions) {
    this.#options = options
    this.#unlisten = options.channel.listen(
      (payload) => this.#take(payload),
      () => this.missed(),
    )
    void this.#listenToItself()
  }

  publish(signal: SentSignal): void {
    if (this.#gathered.size < maxGathered) this.#gathered.add(JSON.stringify(signal))
    else this.#hasLost = true
    // The signals of several runs and requests are sent together.
    if (!this.#stopping.signal.aborted) this.#sending ??= withLogFields({}, () => this.#sendSoon())
  }

  listen(listener: (signal: Signal) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Signals may have been lost, such as the last ones of a node that is gone: listeners look at the rows. */
  missed(): void {
    this.#tell(missed)
  }

  /** Sends what is gathered. Never rejects. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#sending
    await this.#send()
    this.#unlisten()
  }

  /** Never rejects. */
  async #sendSoon(): Promise<void> {
    await this.#options.clock.sleep(gatherMs, this.#stopping.signal).catch(() => undefined)
    await this.#send()
    this.#sending = undefined
    if (this.#gathered.size > 0 && !this.#stopping.signal.aborted) this.#sending = this.#sendSoon()
  }

  async #send(): Promise<void> {
    const { node, channel, log } = this.#options
    const gathered = this.#hasLost ? [JSON.stringify(missed)] : [...this.#gathered]
    this.#gathered = new Set()
    this.#hasLost = false
    try {
      for (const payload of packed(node, gathered)) await channel.notify(payload)
    } catch (error) {
      this.#hasLost = true
      log.warn({ error, count: gathered.length }, 'could not notify the other nodes')
    }
  }

  /** Polls while notifications do not arrive. Never rejects. */
  async #listenToItself(): Promise<void> {
    const { node, channel, clock, log } = this.#options
    let isDeaf = false
    while (await clock.sleep(echoMs, this.#stopping.signal).then(isTrue, isFalse)) {
      if (!this.#isHeard && !isDeaf)
        log.warn({}, 'notifications of the database do not arrive: event streams tell of other nodes late')
      isDeaf = !this.#isHeard
      if (isDeaf) this.missed()
      this.#isHeard = false
      if (this.#hasLost) await this.#send()
      // After a failure, the channel connects again and reports a gap.
      await channel.notify(textOf(node, [])).catch(() => (this.#isHeard = true))
    }
  }

  #take(payload: string): void {
    const packet = readPacket(payload)
    if (packet === undefined) return this.missed()
    if (packet.from === this.#options.node) this.#isHeard = true
    else for (const signal of packet.signals) if (known.has(signal.kind)) this.#tell(signal)
  }

  #tell(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal)
  }
}

/** Nodes of a newer version may send others. */
const known: ReadonlySet<string> = new Set<SignalKind>([
  'runs_due',
  'run_woken',
  'run_cancelled',
  'investigation_ended',
  'pause_changed',
  'configuration_changed',
  'playbooks_changed',
  'folder_asked',
  'changed',
  'connection_paused',
  'pauses_asked',
  'missed',
])

const isTrue = () => true
const isFalse = () => false

const textOf = (from: string, signals: readonly string[]): string =>
  `{"from":${JSON.stringify(from)},"signals":[${signals.join(',')}]}`

/** As few texts as fit. A signal that is too long on its own becomes `missed`. */
function* packed(from: string, signals: readonly string[]): Generator<string> {
  let [list, bytes] = [[] as string[], Buffer.byteLength(textOf(from, []))]
  const emptyBytes = bytes
  for (const given of signals) {
    const signal = emptyBytes + Buffer.byteLength(given) > maxPayloadBytes ? JSON.stringify(missed) : given
    const added = Buffer.byteLength(signal) + 1
    if (bytes + added > maxPayloadBytes) {
      yield textOf(from, list)
      ;[list, bytes] = [[], emptyBytes]
    }
    list.push(signal)
    bytes += added
  }
  if (list.length > 0) yield textOf(from, list)
}

/** Undefined: it is of a newer version, or broken. */
function readPacket(payload: string): Packet | undefined {
  try {
    const { from, signals } = JSON.parse(payload) as Partial<Packet>
    return typeof from === 'string' && Array.isArray(signals) ? { from, signals } : undefined
  } catch {
    return undefined
  }
}
