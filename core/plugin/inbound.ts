import type { CaseStatus } from './case-access.ts'

/** A request of the other system to a webhook of this connection. Its size, encoding and token have been checked. */
export interface InboundRequest {
  /** `GET` reaches only an {@link InboundHandshake}. */
  readonly method: 'GET' | 'POST'
  /**
   * The complete public address with its query, as the other system was told it: what some vendors sign. It contains
   * the secret token.
   */
  readonly url: string
  /** The parameters of the query, decoded, without the token. */
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The received bytes, at most 1 MB: what the sender signed. Empty for `GET`. */
  readonly body: Uint8Array
  /** The body as UTF-8 text; not trusted until its signature is verified. */
  readonly text: string
  /** Time of receipt in epoch milliseconds, to refuse old signatures. */
  readonly nowMs: number
}

/**
 * Reads a webhook request: verifies that the other system sent it (see {@link verifyHmac}; its time at most 300 s from
 * `nowMs`, see {@link verifyRecent}), and returns its meaning as plain data. Pure and synchronous, at most 2 s: the
 * result is committed and then answered within 3 s.
 *
 * Throws SkillError if the request is not authentic or unreadable, or if the settings lack the signing secret. The
 * sender always gets the same refusal; the server log has the reason.
 */
export type InboundHandler<Settings> = (request: InboundRequest, settings: Settings) => InboundResult

/**
 * Answers a GET by which the other system tests the address of a webhook, such as the challenge of Meta or Okta. Pure and synchronous.
 * Throws SkillError like an {@link InboundHandler}.
 */
export type InboundHandshake<Settings> = (request: InboundRequest, settings: Settings) => InboundReply

/** The meaning of a request. `{}` if it has none here. */
export interface InboundResult {
  /** Default: 200 without a body. */
  readonly reply?: InboundReply | undefined
  /** Identifies repeats of the same request, e.g. an event id. A repeat has no effect. */
  readonly dedupeKey?: string | undefined
  /**
   * How long repeats are recognized, in milliseconds; at most a week. Default: an hour, for alerts and changes of
   * cases a day.
   */
  readonly dedupeMs?: number | undefined
  readonly answers?: readonly InboundAnswer[] | undefined
  /** Alerts to store and investigate: at most 1,000, with at most 8 million characters of content. */
  readonly alerts?: readonly InboundAlert[] | undefined
  /** Changes of cases, in order: at most 100. They need `dedupeKey`. */
  readonly cases?: readonly InboundCaseChange[] | undefined
  /**
   * Why the connection can no longer be used, one sentence for the operator, e.g. that its token was revoked.
   * Steps fail with it until the connection is edited or its credentials work again.
   */
  readonly broken?: string | undefined
  /** A warning for the operator, one sentence; the connection stays in use. */
  readonly warning?: string | undefined
}

/**
 * An alert of the organization of the connection. All alerts of a request are on disk before the sender gets its
 * answer; if some cannot be stored, the sender gets 503 and should send the request again.
 */
export interface InboundAlert {
  /**
   * Code of a provider that the server knows, ignoring case: a fixed word or a setting, never text of the request. With an unknown code,
   * no alert of the request is stored.
   */
  readonly provider: string
  /**
   * Chooses the playbook. Made one line of at most 200 characters. Default: the alert is stored and not
   * investigated.
   */
  readonly type?: string | undefined
  /** At most 1,048,576 characters, usually JSON. */
  readonly content: string
  /** The vendor's time, in its own unit; a whole number. */
  readonly createdAtSource?: number | undefined
  /**
   * The vendor's id of the alert. An alert with the same key, from this address, is not stored again. Default: the
   * `dedupeKey` of the request and the place in the list; without both, a repeated request stores its alerts again.
   */
  readonly dedupeKey?: string | undefined
}

/** A change of a case of the organization. */
export interface InboundCaseChange {
  /** The external record that the case is about, as given to `case.create`. Without such a case, nothing changes. */
  readonly reference: string
  /** A note for the timeline; at most 4,000 characters are kept. */
  readonly comment?: string | undefined
  readonly status?: CaseStatus | undefined
}

/** A question that a link leads to; everything in it is proven by the link. */
export interface LinkedQuestion {
  /** The `checkpoint_id` of the question. */
  readonly checkpointId: string
  /** The responder, as `asked` in the output of the asking skill names them. */
  readonly by: string
  /** The answer that the link gives. */
  readonly value: string
}

/** At most one of `json`, `text` and `question`. */
export interface InboundReply {
  /** From 200 to 299. Default 200. */
  readonly status?: number | undefined
  readonly json?: unknown
  /** Sent as `text/plain`. */
  readonly text?: string | undefined
  /**
   * Sent as a page for the responder. After a GET it shows the question and a button that posts the answer to the same
   * address, with `answer=confirmed` and an optional `comment` as a form; a GET never answers, because mail scanners
   * open links. After a POST it says whether the answer counts. Shows the inputs `message` and `labels` of the question.
   */
  readonly question?: LinkedQuestion | undefined
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
