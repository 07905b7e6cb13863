/** The one way out to other systems. */
export interface Egress {
  /**
   * Sends one request, follows no redirect, retries nothing. Rejects with RetryableError (network, TLS, name resolution),
   * ForbiddenError `egress_forbidden` (address or scheme not allowed), SkillError `response_too_large` or `bad_header`, or the
   * signal's reason.
   */
  send(request: EgressRequest): Promise<EgressResponse>
}

export interface EgressRequest {
  /** On whose behalf, for the figures; default: nobody's. */
  readonly plugin?: string | undefined
  /** Whose request it is: it travels on no socket that carries requests of others. Default: nobody's. */
  readonly organizationUuid?: string | undefined
  /**
   * Whether the address is that of a connection, which an administrator has made. Only then may it be private, where the operator allows
   * it. Default false: a playbook's author chose the address.
   */
  readonly isConnection?: boolean | undefined
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Names in lower case; none that frames the message, which is the way out's own. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
  /** Told once, before the other system can have any of the request. Default: nobody is. */
  readonly onSent?: (() => void) | undefined
}

export interface EgressResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed, at most 10 MB. */
  readonly body: string
}
