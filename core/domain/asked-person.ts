import { textAt, valueAt } from '../plugin/index.ts'
import type { Author } from './audit.ts'
import type { Checkpoint } from './checkpoint.ts'

type Asked = Pick<Checkpoint, 'reference'>

const maxName = 200

/** Who was asked, as the other system knows them. */
export const askedOf = ({ reference }: Asked): unknown => valueAt(reference, 'asked')

/**
 * How people know the person who answered, such as an e-mail address, where the skill that asked has said so of them. Null: not
 * known. An API key may have the name of anybody: it is never that person.
 */
export const nameOfAnswerer = (checkpoint: Asked, { kind, id }: Author): string | null =>
  kind === 'person' && askedOf(checkpoint) === id ? nameOfAsked(checkpoint) : null

/** How people know who was asked. Null: not known. */
export const nameOfAsked = ({ reference }: Asked): string | null =>
  textAt(reference, 'asked_name')?.slice(0, maxName).toWellFormed() ?? null
