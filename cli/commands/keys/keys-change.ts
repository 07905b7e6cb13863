import { Command, Option } from 'commander'
import { ValidationError } from '../../../core/errors/errors.ts'
import { requireAccountOf } from '../../account-of.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'
import { addressRanges } from './key-options.ts'

interface ChangeOptions {
  /** E-mail address of the new owner; false: remove the owner. */
  readonly owner?: string | false
  readonly address?: readonly string[]
  readonly anyAddress?: true
}

export function keysChangeCommand(): Command {
  return new Command('change')
    .description('change the owner or the addresses of an API key')
    .argument('<id>', 'the middle part of toc_<id>_…, as `tocsin keys list` shows it')
    .option('--owner <email>', 'person who answers for the key; it is refused while the account is disabled')
    .option('--no-owner', 'remove the owner of the key')
    .option('--address <range...>', 'addresses and ranges from which it is accepted', addressRanges)
    .addOption(new Option('--any-address', 'it is accepted from every address').conflicts('address'))
    .addHelpText(
      'after',
      `
  tocsin keys change 3f9a0c417be2 --owner anna@example.com --address 10.1.0.0/16 192.0.2.7`,
    )
    .action(changeKey)
}

async function changeKey(id: string, { owner, address, anyAddress }: ChangeOptions): Promise<void> {
  // Commander sets `owner` to true for the default of `--no-owner`.
  const isOwnerGiven = typeof owner === 'string' || owner === false
  if (!isOwnerGiven && address === undefined && anyAddress === undefined)
    throw new ValidationError('nothing_to_change', 'nothing to change', [], {
      hint: 'give --owner, --no-owner, --address or --any-address',
    })
  const key = await withStores(async (stores) =>
    stores.keys.change(
      id,
      {
        ...(isOwnerGiven && {
          ownerUuid: owner === false ? null : (await requireAccountOf(stores, owner)).uuid,
        }),
        ...((address ?? anyAddress) !== undefined && { allowedAddresses: address ?? null }),
      },
      undefined,
      thisUser(),
    ),
  )
  const from = key.allowedAddresses?.join(', ') ?? 'every address'
  process.stderr.write(
    `${paintError.dim(`${key.role} key '${printable(key.name)}' is accepted from ${from}; ${key.ownerUuid === null ? 'it has no owner' : 'it has an owner'}`)}\n`,
  )
}
