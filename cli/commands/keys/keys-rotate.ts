import { Command, InvalidArgumentError } from 'commander'
import { makeKey } from '../../../server/access/keys.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'
import { endMs, endOfKey, validityOf, type GivenEnd } from './key-options.ts'

export function keysRotateCommand(): Command {
  return new Command('rotate')
    .description('replace the secret of an API key, and show the new value once')
    .argument('<id>', 'the middle part of toc_<id>_…, as `tocsin keys list` shows it')
    .option('--overlap <minutes>', 'how long the earlier value is accepted too, 0 to 10080', minutes, 0)
    .option(
      '--expires <when>',
      'day on which it then ends, such as 2027-03-01, or never; default: as before',
      endOfKey,
    )
    .addHelpText(
      'after',
      `
Id, role, organizations and owner stay. Only the new key is printed to standard output:
  KEY=$(tocsin keys rotate 3f9a0c417be2 --overlap 60)`,
    )
    .action(rotateKey)
}

interface RotateOptions {
  /** Minutes. */
  readonly overlap: number
  readonly expires?: GivenEnd
}

async function rotateKey(id: string, { overlap, expires }: RotateOptions): Promise<void> {
  const { value, secretHash } = makeKey(id)
  const rotation = {
    secretHash,
    previousUntil: Date.now() + overlap * 60_000,
    expiresAt: expires && endMs(expires),
  }
  const key = await withStores((stores) => stores.keys.rotate(id, rotation, thisUser()))
  const earlier = overlap === 0 ? 'is refused now' : `is accepted for ${overlap} more minutes`
  process.stderr.write(
    `${paintError.dim(`${key.role} key '${printable(key.name)}', ${validityOf(key)}; the earlier value ${earlier}; shown once:`)}\n`,
  )
  console.log(value)
}

function minutes(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 10_080) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 10080.')
}
