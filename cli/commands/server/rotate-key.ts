import { Command } from 'commander'
import { withMasterKey } from '../../../server/secrets/open-secret-sources.ts'
import { rotateKey, rotateSharedKey } from '../../../server/store/rotate-key.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { configWithData } from '../../with-stores.ts'

export function rotateKeyCommand(): Command {
  return new Command('rotate-key')
    .description('encrypt the secrets of all connections with a new master key; no server must be running')
    .addHelpText(
      'after',
      `
The new key replaces master.key; the old one stays beside it for older backups. If the key comes from TOCSIN_MASTER_KEY, set
TOCSIN_NEXT_MASTER_KEY to the new one, and afterwards set TOCSIN_MASTER_KEY to it. So do several servers on PostgreSQL, where the key always
comes from there: stop all of them, and set it on each before it starts again.
You can interrupt it at any time: the secrets stay readable, and the next start completes the rotation.

If someone else may have read the old key, also replace the credentials in the other systems.`,
    )
    .action(rotate)
}

async function rotate(): Promise<void> {
  const config = configWithData()
  if (config.store !== undefined) {
    say(await rotateSharedKey(config, thisUser()))
    console.log(
      '   now set TOCSIN_MASTER_KEY to the value of TOCSIN_NEXT_MASTER_KEY on all servers, unset TOCSIN_NEXT_MASTER_KEY, and start them',
    )
    return
  }
  const { secrets, oldKey } = rotateKey(await withMasterKey(config), thisUser())
  say(secrets)
  if (oldKey === undefined)
    console.log(
      '   now set TOCSIN_MASTER_KEY to the value of TOCSIN_NEXT_MASTER_KEY, and unset TOCSIN_NEXT_MASTER_KEY',
    )
  else console.log(`   the old key is ${printable(oldKey)}: keep it as long as its backups, then delete it`)
}

function say(secrets: number): void {
  console.log(`${paint.good('ok')} ${secrets} secrets are encrypted with the new master key`)
}
