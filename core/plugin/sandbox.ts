/**
 * A small, faithful emulator of a plugin's other system: the default export of the plugin's `sandbox.ts`. Used by
 * tests, `tocsin demo` and `tocsin sandbox`. Listens on loopback only and keeps its state in memory.
 */
export interface Sandbox {
  start(options?: SandboxOptions): Promise<RunningSandbox>
}

/** Options of a running sandbox. */
export interface SandboxOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Called for each request when its status, or the name of its failure, is known. */
  readonly onAnswer?: (request: SandboxRequest, outcome: number | string) => void
  /** Called with what a person in the other system would see, e.g. a message; may have several lines. */
  readonly onNews?: (news: string) => void
}

export interface RunningSandbox {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Connection settings that reach it, with secrets as plain text. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Received requests, oldest first. */
  readonly requests: readonly SandboxRequest[]
  /** Commands that a person can type there. Default: none. */
  readonly commands?: readonly SandboxCommand[]
  /**
   * Installs the document of the connection's `manifest`, as an administrator would. Default: not supported.
   *
   * @throws Error if the addresses in it do not answer as required
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

/** A command that a person can type in the other system. */
export interface SandboxCommand {
  /**
   * A word and its arguments: `cancel <booking>`, `reply <message> <text>`, `list [kind]`. The last argument may
   * be several words.
   */
  readonly usage: string
  /** Shown with the usage. */
  readonly description: string
  /**
   * Runs the command with its arguments; missing optional ones are empty.
   *
   * @returns output of one or more lines
   * @throws Error with the problem as its message
   */
  run(...words: readonly string[]): string | Promise<string>
}
