import { Command } from 'commander'
import { rotateKey } from '../../../server/store/rotate-key.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { configWithData } from '../../with-stores.ts'

/** `tocsin rotate-key`: another master key. */
export function rotateKeyCommand(): Command {
  return new Command('rotate-key')
    .description('seal the secrets of all connections with a new master key; the server must not be running')
    .addHelpText(
      'after',
      `
The new key takes the place of master.key; the old one stays beside it, for backups made with it. Where the key comes from
TOCSIN_MASTER_KEY, TOCSIN_NEXT_MASTER_KEY gives the new one: afterwards set TOCSIN_MASTER_KEY to it.
It may be interrupted at any time: the secrets can be opened all the same, and the next start finishes what was begun.

If somebody has read the old key, replace the credentials of the connections in the other systems too.`,
    )
    .action(rotate)
}

async function rotate(): Promise<void> {
  const { secrets, oldKey } = rotateKey(configWithData(), thisUser())
  console.log(`${paint.good('ok')} ${secrets} secrets are sealed with the new master key`)
  if (oldKey === undefined)
    console.log('   now set TOCSIN_MASTER_KEY to the value of TOCSIN_NEXT_MASTER_KEY, and remove that')
  else
    console.log(
      `   the old key is ${printable(oldKey)}: keep it as long as backups made with it, then delete it`,
    )
}
