/** A request of the other system to a webhook of this connection. Its size, encoding and token have been checked. */
export interface InboundRequest {
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The received bytes, at most 256 KB: what the sender signed. */
  readonly body: Uint8Array
  /** The body as UTF-8 text; not trusted until its signature is verified. */
  readonly text: string
  /** Time of receipt in epoch milliseconds, to refuse old signatures. */
  readonly nowMs: number
}

/**
 * Reads a webhook request: verifies that the other system sent it (its signature over `body`, at most 300 s from
 * `nowMs`), and returns its meaning as plain data. Pure and synchronous, at most 2 s: the result is committed and then
 * answered within 3 s.
 *
 * Throws SkillError if the request is not authentic or unreadable, or if the settings lack the signing secret. The
 * sender always gets the same refusal; the server log has the reason.
 */
export type InboundHandler<Settings> = (request: InboundRequest, settings: Settings) => InboundResult

/** The meaning of a request. `{}` if it has none here. */
export interface InboundResult {
  /** Default: 200 without a body. */
  readonly reply?: InboundReply | undefined
  /** Identifies repeats of the same request, e.g. an event id. A repeat has no effect. */
  readonly dedupeKey?: string | undefined
  /** How long repeats are recognized, in milliseconds. Default: an hour. */
  readonly dedupeMs?: number | undefined
  readonly answers?: readonly InboundAnswer[] | undefined
  /**
   * Why the connection can no longer be used, one sentence for the operator, e.g. that its token was revoked.
   * Steps fail with it until the connection is edited or its credentials work again.
   */
  readonly broken?: string | undefined
  /** A warning for the operator, one sentence; the connection stays in use. */
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
 * A person's answer. It counts if the question was asked over this connection, to this person, and the answer is
 * valid, the first, and in time. Any other answer is recorded without effect.
 */
export interface InboundAnswer {
  /** The `checkpoint_id` of the question, e.g. from the value of a button. */
  readonly checkpointId?: string | undefined
  /**
   * Without an id, as in a text reply: fields that the output of the asking skill must have, deeply equal, e.g.
   * the `channel` and `ts` of the message. If several open questions to this person match, none is answered.
   */
  readonly message?: Readonly<Record<string, unknown>> | undefined
  /** The responder, as `asked` in the output of the asking skill names them. */
  readonly by: string
  /**
   * One of the answers. Absent: `text` is matched against the answers and their `labels`, ignoring case and
   * spaces; an ambiguous text is no answer.
   */
  readonly value?: string | undefined
  /** The text of the responder. */
  readonly text?: string | undefined
}

/** Input of a connection's manifest. */
export interface ManifestAbout {
  /** Name of the connection. */
  readonly name: string
  /** The full address of a webhook, with the secret token of this connection. */
  readonly inboundUrl: (route: string) => string
}
