import { Command } from 'commander'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'
import { requireAccountOf } from '../../account-of.ts'
import { printLink } from './print-link.ts'

export function peopleResetCommand(): Command {
  return new Command('reset')
    .description(
      'print a link for a person who cannot sign in any more, and enable the account if it is disabled',
    )
    .argument('<email>', 'e-mail address of the person')
    .addHelpText(
      'after',
      `
The person sets a new password with the link. Until then, nothing changes; then every other way to sign in is removed.`,
    )
    .action(reset)
}

async function reset(email: string): Promise<void> {
  await withStores(async (stores) => {
    const account = await requireAccountOf(stores, email)
    await stores.accounts.enable(account.uuid, thisUser())
    process.stderr.write(`${paintError.dim(`for ${printable(account.name)}:`)}\n`)
    await printLink(stores, account)
  })
}
