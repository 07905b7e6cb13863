/** A named set of settings and secrets for a plugin. Secrets are held apart, encrypted. */
export interface Connection {
  readonly uuid: string
  readonly organizationUuid: string
  /** The instance name: unique within the organization, ignoring case. */
  readonly name: string
  readonly plugin: string
  /** Fields of the plugin's schema that are not secret. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly enabled: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}
