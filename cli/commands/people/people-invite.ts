import { Command, InvalidArgumentError, Option } from 'commander'
import { peopleRoles } from '../../../core/access/permissions.ts'
import { patterns } from '../../../server/http/request/patterns.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'
import { uuidsOf } from '../../organization-uuids.ts'
import { printLink } from './print-link.ts'

interface InviteOptions {
  readonly name?: string
  readonly role: string
  readonly organization?: readonly string[]
}

export function peopleInviteCommand(): Command {
  return new Command('invite')
    .description('create an account and print a link with which the person sets a password')
    .argument('<email>', 'e-mail address of the person', emailAddress)
    .option('--name <name>', 'name of the person; default: the e-mail address')
    .addOption(new Option('--role <role>', 'role of the person').choices(peopleRoles).default('reader'))
    .option('--organization <code...>', 'organizations of the role; default: all')
    .addHelpText(
      'after',
      `
Uses the data directory TOCSIN_DATA_DIR (./data) of a server, which must exist. Only the link is printed to standard
output; it works once. Set TOCSIN_PUBLIC_URL as for the server:
  tocsin people invite anna@example.com --name Anna --role analyst --organization main`,
    )
    .action(invite)
}

async function invite(email: string, { name = email, role, organization }: InviteOptions): Promise<void> {
  await withStores(async (stores) => {
    const uuids = await uuidsOf(stores, organization)
    const roles = (uuids ?? [null]).map((organizationUuid) => ({ role, organizationUuid }))
    const account = await stores.accounts.create({ email, name, roles }, thisUser())
    const scope = organization?.join(', ') ?? 'all organizations'
    process.stderr.write(`${paintError.dim(`${printable(name)}, ${role} of ${scope}`)}\n`)
    await printLink(stores, account)
  })
}

function emailAddress(text: string): string {
  if (text.length <= 254 && new RegExp(patterns.email.pattern, 'u').test(text)) return text
  throw new InvalidArgumentError('It must be an e-mail address.')
}
