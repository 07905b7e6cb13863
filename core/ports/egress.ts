import type { Duplex } from 'node:stream'

/** The only way to send requests to other systems. */
export interface Egress {
  /**
   * Sends one request, without redirects and retries. Rejects with RetryableError (network, TLS, name
   * resolution), ForbiddenError `egress_forbidden` (address or scheme not allowed), SkillError
   * `response_too_large` or `bad_header`, or the reason of the signal.
   */
  send(request: EgressRequest): Promise<EgressResponse>
  /**
   * Opens a TLS connection for a protocol other than HTTP, under the same rules for addresses. Rejects like `send`, and
   * with ConnectionError `tls_refused`. Default: none can be opened.
   */
  connect?(request: SocketRequest): Promise<Duplex>
}

/** How TLS begins: with the first byte, or with the STARTTLS of a protocol. */
export type TlsStart = 'immediate' | 'starttls_imap' | 'starttls_smtp'

/** A TLS connection to an address of a connection, which an administrator has created. */
export interface SocketRequest extends Pick<EgressRequest, 'plugin' | 'organizationUuid' | 'network'> {
  /** A name or a literal address, without brackets. */
  readonly host: string
  readonly port: number
  /** After STARTTLS, the stream begins with a new greeting, as if TLS had begun with the first byte. */
  readonly tls: TlsStart
  /** Maximum number of bytes to receive; the stream then fails with SkillError `response_too_large`. */
  readonly maxBytes: number
  /** Destroys the stream, also after it is open. */
  readonly signal: AbortSignal
}

/** How requests of a connection travel. */
export interface NetworkSettings {
  /** URL of a proxy, with its credentials. */
  readonly proxy: string | undefined
  /** Certificates of authorities that are trusted beside the public ones, in PEM. */
  readonly ca: string | undefined
  /** Client certificate and its key, in PEM. */
  readonly certificate: string | undefined
  readonly key: string | undefined
}

export interface EgressRequest {
  /** The owner of the request in metrics. Default: none. */
  readonly plugin?: string | undefined
  /** Requests of different owners share no socket. Default: none. */
  readonly organizationUuid?: string | undefined
  /**
   * Whether the address comes from a connection, which an administrator has created. Only such an address may
   * be private, if the operator allows it. Default false: a playbook chose the address.
   */
  readonly isConnection?: boolean | undefined
  /** Default: directly, with public authorities. The same object for all requests of a connection. */
  readonly network?: NetworkSettings | undefined
  /** Leads to another origin than the connection's, which must not get its client certificate. Default false. */
  readonly isElsewhere?: boolean | undefined
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Names in lower case, without headers that frame the message. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  /** Maximum size of the answer in bytes, after decompression; returns it as bytes. Default: as text. */
  readonly maxBytes?: number | undefined
  readonly signal: AbortSignal
  /** Called once, before the first byte leaves. Default: none. */
  readonly onSent?: (() => void) | undefined
}

export interface EgressResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed, at most 10 MB; empty if the request wanted bytes. */
  readonly body: string
  /** Decompressed; present if the request wanted bytes. */
  readonly bytes?: Uint8Array | undefined
}
