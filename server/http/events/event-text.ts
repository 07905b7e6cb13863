import { stringifyJson } from '../../../core/common/json.ts'

export interface StreamEvent {
  /** In snake_case. */
  readonly event: string
  /** Sent as JSON. */
  readonly data: unknown
  /** Returned by a reconnecting client as `Last-Event-ID`; absent: unchanged. */
  readonly id?: string
}

/** Formats as `text/event-stream` (WHATWG HTML, section 9.2.6). JSON on one line needs no splitting. */
export const eventText = ({ event, data, id }: StreamEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${stringifyJson(data)}\n\n`

/** Keeps the stream alive for proxies and clients; scripts of a page do not see comments. */
export const heartbeat = eventText({ event: 'heartbeat', data: {} })

/** Delay before a disconnected client reconnects. */
export const retryText = (ms: number): string => `retry: ${ms}\n\n`
