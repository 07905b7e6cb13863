import { Secret } from '../../../core/plugin/index.ts'
import type { SecretBox, SecretPlace } from '../../secrets/secret-box.ts'

/** JSON never begins like this. */
export const sealedPrefix = 'sealed:'

/**
 * Sensitive values of runs in text columns, encrypted like the secrets of connections: `sealed:<key version>:<base64>`. A value
 * can be opened only at its place: the path of its step, which a retry keeps, or the id of its run.
 */
export class SealedValues {
  readonly #secrets: SecretBox

  constructor(secrets: SecretBox) {
    this.#secrets = secrets
  }

  /** True also for text of people that begins like a sealed value. */
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

/** The place belongs to no connection. */
const placeOf = (place: string): SecretPlace => ({
  organizationUuid: '',
  connectionUuid: '',
  field: `run value ${place}`,
})

/** SQL that opens the value of a column if it is sealed. Both arguments are SQL. */
export const opened = (column: string, place: string): string =>
  `iif(substr(${column}, 1, ${sealedPrefix.length}) = '${sealedPrefix}', open_sealed(${column}, ${place}), ${column})`

export interface SealedColumn {
  readonly table: string
  readonly name: string
  /** SQL. */
  readonly place: string
}

/** All columns with sealed values. */
export const sealedColumns = {
  input: { table: 'journal', name: 'input', place: `'input ' || path` },
  output: { table: 'journal', name: 'output', place: `'output ' || path` },
  inputs: { table: 'runs', name: 'inputs', place: `'inputs ' || uuid` },
  trigger: { table: 'runs', name: 'trigger_data', place: `'trigger ' || uuid` },
  result: { table: 'runs', name: 'output', place: `'output ' || uuid` },
  answer: { table: 'checkpoint_answers', name: 'value', place: `'answer ' || checkpoint_id` },
  contentKey: { table: 'file_contents', name: 'content_key', place: `'file ' || uuid` },
  stateValue: { table: 'state_entries', name: 'value', place: `'state ' || state_id || ' ' || key` },
  undoInput: { table: 'containments', name: 'undo_input', place: `'undo ' || run_uuid || ' ' || path` },
  stateCall: { table: 'containments', name: 'state_call', place: `'state call ' || run_uuid || ' ' || path` },
  totpSecret: { table: 'account_totp', name: 'secret', place: `'totp ' || account_id` },
  text: { table: 'checkpoint_answers', name: 'text', place: `'text ' || checkpoint_id` },
} as const satisfies Readonly<Record<string, SealedColumn>>
