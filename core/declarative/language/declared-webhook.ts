import type { Program } from '../../expression/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'

/** A webhook that receives alerts. */
export interface DeclaredWebhook {
  /** The last word of its address. */
  readonly word: string
  readonly verify: DeclaredProof
  readonly handshake: DeclaredHandshake | undefined
  /** Reads `request`; undefined: the body is the only item. */
  readonly each: Program | undefined
  /** Reads `item`, like the following. */
  readonly when: Program | undefined
  /** Reads `settings` only; undefined: no item is an alert. */
  readonly provider: Template | undefined
  readonly type: Template | undefined
  /** Undefined: the item. */
  readonly content: Template | undefined
  /** Undefined: the content. */
  readonly id: Template | undefined
  readonly change: DeclaredCaseChange | undefined
}

/** The templates read `item`. */
export interface DeclaredCaseChange {
  readonly reference: Template
  readonly comment: Template | undefined
  readonly status: Template | undefined
}

/** A header, with its name in lower case, or a parameter of the query that must equal a secret. */
export interface DeclaredSecretParameter {
  readonly kind: 'header' | 'query'
  readonly name: string
  readonly value: Template
}

interface DeclaredHmacProof {
  readonly kind: 'hmac'
  readonly key: Template
  /** In lower case. */
  readonly header: string
  readonly prefix: string
  /** Reads `request` with `url`; undefined: the body. */
  readonly text: Template | undefined
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64'
  readonly keyEncoding: 'text' | 'base64'
}

interface ProofAge {
  readonly time: Template | undefined
  readonly toleranceMs: number
}

export type DeclaredProof = (DeclaredSecretParameter | DeclaredHmacProof) & ProofAge

export interface DeclaredHandshake {
  readonly when: Program | undefined
  /** Whether it has no condition: then it answers every GET. */
  readonly isOptional: boolean
  readonly proof: DeclaredSecretParameter | undefined
  readonly answer: 'text' | 'json'
  readonly value: Template
}
