import type { Secret } from '../plugin/index.ts'
import type { SecretReference } from '../skill/connection/secret-reference.ts'

/** Reads secrets that are kept outside of Tocsin. */
export interface SecretSource {
  /**
   * The value of a reference, from the area of the organization. Rejects with ConnectionError `secret_unresolved` (missing, refused, not
   * configured), RetryableError `secret_source_unavailable`, or the reason of the signal. Errors name the reference, never the value.
   */
  read(organizationUuid: string, reference: SecretReference, options: ReadSecretOptions): Promise<Secret>
}

export interface ReadSecretOptions {
  readonly signal: AbortSignal
  /** Asks the source even if a value is cached, because the other system refused that value. Default false. */
  readonly isRefused?: boolean
}
