import { Command, InvalidArgumentError } from 'commander'
import type { AccountRole } from '../../../core/access/account.ts'
import { peopleRoles } from '../../../core/access/permissions.ts'
import { ValidationError } from '../../../core/errors/errors.ts'
import type { Stores } from '../../../core/ports/stores.ts'
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

const firstLinkEnded =
  'this is the first account, so the link for the first administrator that the server printed no longer works; invite an administrator with --role admin'

const isAdminOfAll = ({ role, organizationUuid }: AccountRole): boolean =>
  role === 'admin' && organizationUuid === null

export function peopleInviteCommand(): Command {
  return new Command('invite')
    .description('create an account and print a link with which the person sets a password')
    .argument('<email>', 'e-mail address of the person', emailAddress)
    .option('--name <name>', 'name of the person; default: the e-mail address')
    .option('--role <role>', `role of the person: ${peopleRoles.join(', ')}, or a custom one`, 'reader')
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
    await requireRole(stores, role, uuids)
    const roles = (uuids ?? [null]).map((organizationUuid) => ({ role, organizationUuid }))
    const isFirst = (await stores.accounts.list()).length === 0
    const account = await stores.accounts.create({ email, name, roles }, thisUser())
    const scope = organization?.join(', ') ?? 'all organizations'
    process.stderr.write(`${paintError.dim(`${printable(name)}, ${role} of ${scope}`)}\n`)
    if (isFirst && !roles.some(isAdminOfAll)) process.stderr.write(`${paintError.warn(firstLinkEnded)}\n`)
    await printLink(stores, account)
  })
}

/** Throws ValidationError `role_unknown` for a role that is not known, or not in one of the organizations. */
async function requireRole({ roles }: Stores, role: string, uuids: readonly string[] | null): Promise<void> {
  const custom = (await roles.list()).filter(({ organizationUuid: own }) =>
    (uuids ?? [null]).every((uuid) => own === null || own === uuid),
  )
  const names = [...peopleRoles, ...custom.map(({ name }) => name)]
  if (names.includes(role)) return
  throw new ValidationError('role_unknown', `there is no role '${printable(role)}' there`, [], {
    hint: `roles: ${names.join(', ')}`,
  })
}

function emailAddress(text: string): string {
  if (text.length <= 254 && new RegExp(patterns.email.pattern, 'u').test(text)) return text
  throw new InvalidArgumentError('It must be an e-mail address.')
}
