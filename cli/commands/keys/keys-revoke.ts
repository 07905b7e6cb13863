import { Command } from 'commander'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'

export function keysRevokeCommand(): Command {
  return new Command('revoke')
    .description('revoke an API key immediately and permanently')
    .argument('<id>', 'the middle part of toc_<id>_…, as `tocsin keys list` shows it')
    .action(revokeKey)
}

async function revokeKey(id: string): Promise<void> {
  const key = await withStores((stores) => stores.keys.revoke(id, thisUser()))
  process.stderr.write(`${paintError.dim(`${key.role} key '${printable(key.name)}' is revoked`)}\n`)
}
