import { Secret } from '../../../core/plugin/index.ts'
import type { SecretBox, SecretPlace } from '../../secrets/secret-box.ts'

/** No JSON text begins like this. */
export const sealedPrefix = 'sealed:'

/**
 * Sensitive values of runs in text columns, encrypted like the secrets of connections: `sealed:<key version>:<base64>`. Each is sealed
 * together with its place, so that it cannot be opened elsewhere: the path of its step, which a retry keeps, or the id of its run.
 */
export class SealedValues {
  readonly #secrets: SecretBox

  constructor(secrets: SecretBox) {
    this.#secrets = secrets
  }

  /** Or looks so: text of people may begin with anything. */
  static isSealed(text: string): boolean {
    return text.startsWith(sealedPrefix)
  }

  seal(text: string, place: string): string {
    const { keyVersion, bytes } = this.#secrets.seal(placeOf(place), new Secret(text))
    return `${sealedPrefix}${keyVersion}:${Buffer.from(bytes).toString('base64')}`
  }

  /** Throws ConnectionError `secret_unreadable`. */
  open(sealed: string, place: string): string {
    const [, version, text = ''] = sealed.split(':')
    const bytes = Buffer.from(text, 'base64')
    return this.#secrets.open(placeOf(place), { keyVersion: Number(version), bytes }).reveal()
  }
}

/** It belongs to no connection. */
const placeOf = (place: string): SecretPlace => ({
  organizationUuid: '',
  connectionUuid: '',
  field: `run value ${place}`,
})

/** SQL for the value of a column that may be sealed; both are SQL. */
export const opened = (column: string, place: string): string =>
  `iif(substr(${column}, 1, ${sealedPrefix.length}) = '${sealedPrefix}', open_sealed(${column}, ${place}), ${column})`

export interface SealedColumn {
  readonly table: string
  readonly name: string
  /** SQL. */
  readonly place: string
}

/** Wherever sealed values are kept. */
export const sealedColumns = {
  input: { table: 'journal', name: 'input', place: `'input ' || path` },
  output: { table: 'journal', name: 'output', place: `'output ' || path` },
  inputs: { table: 'runs', name: 'inputs', place: `'inputs ' || uuid` },
  result: { table: 'runs', name: 'output', place: `'output ' || uuid` },
  answer: { table: 'checkpoint_answers', name: 'value', place: `'answer ' || checkpoint_id` },
  text: { table: 'checkpoint_answers', name: 'text', place: `'text ' || checkpoint_id` },
} as const satisfies Readonly<Record<string, SealedColumn>>
