/**
 * A small, faithful emulator of a plugin's other system: the default export of the plugin's `sandbox.ts`. Used by tests, by
 * `tocsin demo` and by authors. It listens on loopback only and keeps its state in memory.
 */
export interface Sandbox {
  start(): Promise<RunningSandbox>
}

export interface RunningSandbox {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Connection settings that reach it, secrets as plain text: what an operator would type in. */
  readonly settings: Readonly<Record<string, unknown>>
  /** What has been received so far, oldest first. */
  readonly requests: readonly SandboxRequest[]
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
