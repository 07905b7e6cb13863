/** A recorded answer, as in an example file. */
export interface DeclaredExample {
  /** The path below the folder of the plugin. */
  readonly file: string
  readonly title: string
  /** The source of the answer. */
  readonly source: string | undefined
  /** Whether the answer is invented. */
  readonly synthetic: boolean
  readonly input: Readonly<Record<string, unknown>>
  /** One for each request, in order. */
  readonly responses: readonly DeclaredResponse[]
  readonly output: Readonly<Record<string, unknown>>
}

export interface DeclaredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; undefined: see `text`. */
  readonly body: unknown
  /** A body that is not JSON. */
  readonly text: string | undefined
}
