import { Command } from 'commander'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'
import { requireAccountOf } from '../../account-of.ts'

export function peopleDisableCommand(): Command {
  return new Command('disable')
    .description('disable an account immediately: end its sessions and refuse its sign-ins')
    .argument('<email>', 'e-mail address of the person')
    .action(disable)
}

async function disable(email: string): Promise<void> {
  const { name } = await withStores(async (stores) => {
    const { uuid } = await requireAccountOf(stores, email)
    return await stores.accounts.disable(uuid, thisUser())
  })
  process.stderr.write(`${paintError.dim(`the account of ${printable(name)} is disabled`)}\n`)
}
