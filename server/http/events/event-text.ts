import { stringifyJson } from '../../../core/common/json.ts'

/** What a stream tells. */
export interface StreamEvent {
  /** In snake_case. */
  readonly event: string
  /** Sent as JSON. */
  readonly data: unknown
  /** What a reader that was cut off sends back as `Last-Event-ID`; absent: it stays what it was. */
  readonly id?: string
}

/** As `text/event-stream` has it (WHATWG HTML, section 9.2.6). JSON on one line has no line breaks that would have to be split. */
export const eventText = ({ event, data, id }: StreamEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${stringifyJson(data)}\n\n`

/** Says nothing but that the stream lives, to proxies and to readers: a page sees no comments. */
export const heartbeat = eventText({ event: 'heartbeat', data: {} })

/** How long a reader that was cut off waits before it comes again. */
export const retryText = (ms: number): string => `retry: ${ms}\n\n`
