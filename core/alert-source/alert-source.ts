import type { ObservableKind, Severity } from '../plugin/index.ts'

/**
 * Where the alerts of one product have their title, severity, time, id and observables. Paths name fields with dots, ignoring case;
 * `[]` means every item of a list:
 * `messages[].subject`.
 */
export interface AlertSource {
  /** snake_case, unique. */
  readonly name: string
  /** The product, as its vendor writes it. */
  readonly title: string
  /** How the product sends alerts in this format; each way has a section in docs/alert-sources.md. */
  readonly sends: SendingWay
  /** The plugin whose webhook receives the product's alerts and verifies them as the vendor specifies. */
  readonly plugin?: string
  /** AlertFields that only this product's alerts have: a value, one of several values, or `true` for any value. All must match. */
  readonly when: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** Paths, or texts with paths in braces, such as `{action} by {user.name}`; the first one without gaps is the title. */
  readonly titles: readonly string[]
  /** Default: the alert has no severity. */
  readonly severity?: SeverityRule
  /** Paths of the time of the event: ISO 8601, `2026-01-22 01:00:00` in UTC, or Unix time in seconds, milliseconds or microseconds. */
  readonly times?: readonly string[]
  /**
   * Paths of the id that the product gives an alert, and repeats if it sends the alert again. Never a value that an attacker
   * chooses: alerts with the same id are investigated once.
   */
  readonly ids?: readonly string[]
  /** Paths of the observables. */
  readonly observables?: Readonly<Partial<Record<ObservableKind, readonly string[]>>>
}

export type SendingWay =
  /** Requests with a custom header or Basic authentication. */
  | 'webhook'
  /** Requests where only the address can be configured. */
  | 'webhook_without_headers'
  /** Amazon EventBridge. */
  | 'event_bus'
  /** A cloud function between a queue and Tocsin. */
  | 'queue'
  /** Lines of syslog, by a collector. */
  | 'syslog'
  /** A log forwarder that reads a file, a bucket or a stream. */
  | 'log_forwarder'
  /** A scheduled function that asks the API of the product. */
  | 'poll'

export interface SeverityRule {
  /** Paths of the severity; the first one that can be read counts, and the highest in a list. */
  readonly at: readonly string[]
  /** The highest severity of all paths counts. Default: of the first one that can be read. */
  readonly isHighest?: true
  /** For numbers: the lowest number of each severity, in ascending order. Words are understood without it. */
  readonly from?: Readonly<Partial<Record<Severity, number>>>
  /** For numbers and words of the product's own, in lower case; other words keep their usual meaning. */
  readonly words?: Readonly<Record<string, Severity>>
}
