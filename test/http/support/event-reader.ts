import { eventually } from '../../support/eventually.ts'

export interface ReadEvent {
  readonly event: string
  readonly id: string | undefined
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into events of every shape
  readonly data: any
}

/** Reads a stream of events as it arrives. */
export interface EventReader {
  readonly status: number
  readonly headers: Headers
  /** All events except `heartbeat`, whose time varies. */
  readonly events: readonly ReadEvent[]
  readonly text: () => string
  readonly isOver: () => boolean
  /** The id that an `EventSource` sends when it reconnects. */
  readonly lastId: () => string | undefined
  /** Resolves when this many events have arrived. */
  count(events: number): Promise<void>
  over(): Promise<void>
  close(): void
}

/** Opens a stream as an `EventSource` does. */
export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>>,
  lastEventId?: string,
): Promise<EventReader> {
  const gone = new AbortController()
  const answer = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      ...headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: gone.signal,
  })
  const events: ReadEvent[] = []
  const read = { text: '', isOver: false }
  void take()

  async function take(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of answer.body ?? []) {
        const text = decoder.decode(chunk as Uint8Array, { stream: true })
        read.text += text
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) events.push(...parsed(block))
      }
    } catch {
      // The connection was cut.
    }
    read.isOver = true
  }

  return {
    status: answer.status,
    headers: answer.headers,
    events,
    text: () => read.text,
    isOver: () => read.isOver,
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id ?? lastEventId,
    async count(wanted) {
      await eventually(`${wanted} events`, () => events.length >= wanted || undefined)
    },
    async over() {
      await eventually('the end of the stream', () => read.isOver || undefined)
    },
    close: () => gone.abort(),
  }
}

function parsed(block: string): ReadEvent[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
    }),
  )
  const [event, data] = [fields.get('event'), fields.get('data')]
  if (event === undefined || data === undefined || event === 'heartbeat') return []
  return [{ event, id: fields.get('id'), data: JSON.parse(data) as unknown }]
}
