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

/**
 * SQL that opens the value of a column if it is sealed. All arguments are SQL.
 *
 * @param otherwise default: the column
 */
export const opened = (column: string, place: string, otherwise = column): string =>
  `CASE WHEN substr(${column}, 1, ${sealedPrefix.length}) = '${sealedPrefix}' THEN open_sealed(${column}, ${place}) ELSE ${otherwise} END`

export interface SealedColumn {
  readonly table: string
  /** Its integer key. */
  readonly key: string
  readonly name: string
  /** SQL. */
  readonly place: string
}

/** All columns with sealed values. */
export const sealedColumns = {
  input: { table: 'journal', key: 'id', name: 'input', place: `'input ' || path` },
  output: { table: 'journal', key: 'id', name: 'output', place: `'output ' || path` },
  inputs: { table: 'runs', key: 'id', name: 'inputs', place: `'inputs ' || uuid` },
  trigger: { table: 'runs', key: 'id', name: 'trigger_data', place: `'trigger ' || uuid` },
  result: { table: 'runs', key: 'id', name: 'output', place: `'output ' || uuid` },
  answer: { table: 'checkpoint_answers', key: 'id', name: 'value', place: `'answer ' || checkpoint_id` },
  contentKey: { table: 'file_contents', key: 'id', name: 'content_key', place: `'file ' || uuid` },
  stateValue: {
    table: 'state_entries',
    key: 'id',
    name: 'value',
    place: `'state ' || state_id || ' ' || key`,
  },
  undoInput: {
    table: 'containments',
    key: 'id',
    name: 'undo_input',
    place: `'undo ' || run_uuid || ' ' || path`,
  },
  stateCall: {
    table: 'containments',
    key: 'id',
    name: 'state_call',
    place: `'state call ' || run_uuid || ' ' || path`,
  },
  totpSecret: { table: 'account_totp', key: 'account_id', name: 'secret', place: `'totp ' || account_id` },
  text: { table: 'checkpoint_answers', key: 'id', name: 'text', place: `'text ' || checkpoint_id` },
} as const satisfies Readonly<Record<string, SealedColumn>>
