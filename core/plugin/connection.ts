import type { HttpClient } from './http.ts'
import type { Infer, JsonSchema } from './json-schema.ts'

/** How a plugin reaches its other system. Settings are data; secrets among them are marked `x-secret` in the schema. */
export interface ConnectionDefinition<S extends JsonSchema = JsonSchema> {
  readonly title: string
  readonly description: string
  /** Where the vendor documents how its credentials are made. */
  readonly docs?: string
  /** An object schema: the fields an operator fills in. */
  readonly settings: S
  /** Origin and base path of every call, without trailing slash. Calls never leave this origin. */
  readonly baseUrl: (settings: Infer<S>) => string
  /**
   * Further origins that a call may name with an absolute address, e.g. the identity provider that hands out tokens or the
   * store that holds downloads. They are never sent the connection's headers. Default: none.
   */
  readonly otherOrigins?: (settings: Infer<S>) => readonly string[]
  /** Headers that carry the credentials. */
  readonly headers?: (settings: Infer<S>) => Readonly<Record<string, string>>
  /** What a status of the other system means, in the operator's words; shown as the hint of the error. */
  readonly errors?: Readonly<Record<number, string>>
  /** Asks the other system whether the credentials work; throws what the call throws. */
  readonly authenticate: (context: ConnectionContext<Infer<S>>) => Promise<void>
}

export interface ConnectionContext<Settings> {
  readonly settings: Settings
  readonly http: HttpClient
  readonly signal: AbortSignal
}

/** Declares a connection. The types of `settings` follow from its schema. */
export function defineConnection<const S extends JsonSchema>(
  definition: ConnectionDefinition<S>,
): ConnectionDefinition<S> {
  return definition
}
