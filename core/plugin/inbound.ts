/** One request that the other system sent to a route of this connection. Size, encoding and token have been checked. */
export interface InboundRequest {
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as they came, at most 256 KB: what the sender signed. */
  readonly body: Uint8Array
  /** The same as text (UTF-8). Anybody may have written it until its signature has been checked. */
  readonly text: string
  /** When it came, epoch milliseconds: to refuse what was signed long ago. */
  readonly nowMs: number
}

/**
 * Reads a request of one route: proves first that the other system sent it (its signature over `body`, no further than 300 s from
 * `nowMs`), then says what it means. Pure and synchronous: what it says is committed, and then answered within 3 s.
 *
 * Throws SkillError for what is not proven or cannot be read, also where the settings hold nothing to prove it with. The sender
 * gets one and the same refusal whatever the reason; the log of the server says which.
 */
export type InboundHandler<Settings> = (request: InboundRequest, settings: Settings) => InboundResult

/** What a request means. `{}` for one that is fine and means nothing here. */
export interface InboundResult {
  /** Default: 200 without a body. */
  readonly reply?: InboundReply | undefined
  /** What is the same when the other system sends the same once more, such as the id of an event. A repeat has no effect. */
  readonly dedupeKey?: string | undefined
  /** For how long a repeat is known, in milliseconds. Default: an hour. */
  readonly dedupeMs?: number | undefined
  readonly answers?: readonly InboundAnswer[] | undefined
  /**
   * Why the connection cannot be used from now on, one sentence for the operator, e.g. that its token was revoked. Steps that use it
   * fail with this sentence until it was edited, or its credentials were found to work.
   */
  readonly broken?: string | undefined
  /** What the operator should know about the connection, one sentence; it stays in use. */
  readonly warning?: string | undefined
}

/** At most one of `json` and `text`. */
export interface InboundReply {
  /** From 200 to 299. Default 200. */
  readonly status?: number | undefined
  readonly json?: unknown
  /** Sent as `text/plain`. */
  readonly text?: string | undefined
}

/**
 * What a person answered. It counts when the question was asked over this connection, this very person was asked, it is one of the
 * answers, and it comes first and in time. Everything else is recorded without effect.
 */
export interface InboundAnswer {
  /** The `checkpoint_id` that the question carried, e.g. in the value of a button. */
  readonly checkpointId?: string | undefined
  /**
   * Where there is no id, as with a text reply: fields that the output of the asking skill must have, deeply equal, e.g. the
   * `channel`, or `channel` and `ts` of the message that was replied to. Where several questions to this person fit and wait, none is
   * answered.
   */
  readonly message?: Readonly<Record<string, unknown>> | undefined
  /** Who, as the other system knows them: compared with `asked` in the output of the asking skill. */
  readonly by: string
  /**
   * One of the answers, as the question carried it. Absent: `text` is taken for one, or for its label in the input `labels` of the
   * asking skill, ignoring case and blanks; what fits several answers is none.
   */
  readonly value?: string | undefined
  /** What they wrote. */
  readonly text?: string | undefined
}

/** What a connection's manifest is made for. */
export interface ManifestAbout {
  /** Instance name of the connection. */
  readonly name: string
  /** The whole address of a route of `inbound`, with the token that belongs to this connection alone: a secret. */
  readonly inboundUrl: (route: string) => string
}
