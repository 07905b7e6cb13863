import { createHash, createHmac } from 'node:crypto'
import { canonicalJson } from '../audit/canonical-json.ts'
import type { ApprovalTerms } from '../domain/destructive-use.ts'
import type { Connection } from '../domain/connection.ts'

/** What exactly an approval allows. */
export interface ExactUse {
  readonly skill: string
  readonly connection: BoundConnection | undefined
  /** Of each action, in order, with sensitive values. */
  readonly inputs: readonly unknown[]
}

/** The connection that a call would use. */
export interface BoundConnection {
  readonly name: string
  /** Changes when calls over the connection may reach another system. */
  readonly identity: string
}

/**
 * SHA-256 of exactly what an approval allows, in hexadecimal. With a salt that only the journal knows, it does not help to
 * guess sensitive values.
 */
export function inputHash({ skill, connection, inputs }: ExactUse, salt?: string): string {
  const text = canonicalJson({ skill, connection: connection ?? null, inputs })
  const hash = salt === undefined ? createHash('sha256') : createHmac('sha256', salt)
  return hash.update(text).digest('hex')
}

/** A connection that was created again, or whose settings were edited, is another one; replaced secrets change nothing. */
export const boundConnection = ({
  uuid,
  name,
  settings,
}: Pick<Connection, 'uuid' | 'name' | 'settings'>): BoundConnection => ({
  name,
  identity: createHash('sha256').update(canonicalJson({ uuid, settings })).digest('hex'),
})

/** What was approved together. */
export interface BatchApproval {
  /** Undefined: the question does not say what exactly it is about. */
  readonly terms: ApprovalTerms | undefined
  /** Identity of the connection; undefined: none. */
  readonly connection: string | undefined
}
