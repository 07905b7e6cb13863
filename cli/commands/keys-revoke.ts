import { Command } from 'commander'
import { readConfig } from '../../server/config.ts'
import { openStores } from '../../server/open-stores.ts'
import { paintError } from '../output/paint.ts'
import { printable } from '../output/printable.ts'

/** `tocsin keys revoke`: a key that has leaked, or is no longer needed. */
export function keysRevokeCommand(): Command {
  return new Command('revoke')
    .description('make an API key useless, at once and for good')
    .argument('<id>', 'the middle part of toc_<id>_…, as `tocsin keys list` shows it')
    .action(revokeKey)
}

async function revokeKey(id: string): Promise<void> {
  const stores = await openStores(readConfig(process.env), 'shared')
  try {
    const key = await stores.keys.revoke(id)
    process.stderr.write(`${paintError.dim(`${key.role} key '${printable(key.name)}' is revoked`)}\n`)
  } finally {
    await stores.close()
  }
}
