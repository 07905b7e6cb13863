/**
 * A small, faithful emulator of a plugin's other system: the default export of the plugin's `sandbox.ts`. Used by tests, by
 * `tocsin demo`, by `tocsin sandbox` and by authors. It listens on loopback only and keeps its state in memory.
 */
export interface Sandbox {
  start(options?: SandboxOptions): Promise<RunningSandbox>
}

/** What somebody who watches a sandbox wants of it. */
export interface SandboxOptions {
  /** Default 0: any free one. */
  readonly port?: number
  /** Told of each request as soon as it is certain what becomes of it: a status, or the name of a failure. */
  readonly onAnswer?: (request: SandboxRequest, outcome: number | string) => void
  /** Told what happened in the other system that a person there would see, e.g. a message. May have several lines. */
  readonly onNews?: (news: string) => void
}

export interface RunningSandbox {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Connection settings that reach it, secrets as plain text: what an operator would type in. */
  readonly settings: Readonly<Record<string, unknown>>
  /** What has been received so far, oldest first. */
  readonly requests: readonly SandboxRequest[]
  /** What a person may do there by hand. Default: nothing. */
  readonly commands?: readonly SandboxCommand[]
  /**
   * Takes the document that the connection's `manifest` makes, as an administrator of the other system would. Default: it takes none.
   *
   * @throws Error when the addresses in it do not answer as they must
   */
  readonly install?: (manifest: unknown) => Promise<void>
  close(): Promise<void>
}

export interface SandboxRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Something a person may do by hand in the other system, as one line that is typed. */
export interface SandboxCommand {
  /** A word and what follows it: `cancel <booking>`, `reply <message> <text>`, `list [kind]`. What comes last may be several words. */
  readonly usage: string
  /** Shown beside the usage. */
  readonly description: string
  /**
   * Does it with what was typed; what is optional and was left out is empty.
   *
   * @returns what to show, in one or more lines
   * @throws Error whose message says what was wrong
   */
  run(...words: readonly string[]): string | Promise<string>
}
