import { Command, InvalidArgumentError, Option } from 'commander'
import { defaultEnd } from '../../../core/access/key-expiry.ts'
import { roles, type Role } from '../../../core/domain/api-key.ts'
import { patterns } from '../../../server/http/request/patterns.ts'
import { makeKey } from '../../../server/access/keys.ts'
import { requireAccountOf } from '../../account-of.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { configWithData, withStores } from '../../with-stores.ts'
import { uuidsOf } from '../../organization-uuids.ts'
import { addressRanges, endAfterDays, endMs, endOfKey, validityOf, type GivenEnd } from './key-options.ts'

interface CreateOptions {
  readonly role: Role
  readonly organization?: readonly string[]
  readonly expires?: GivenEnd
  /** When it ends, in epoch milliseconds. */
  readonly days?: number
  readonly owner?: string
  readonly address?: readonly string[]
}

export function keysCreateCommand(): Command {
  return new Command('create')
    .description('create an API key in the data directory and show it once')
    .argument('<name>', 'what the key is for, e.g. splunk-forwarder', keyName)
    .addOption(new Option('--role <role>', 'permissions of the key').choices(roles).default('intake'))
    .option('--organization <code...>', 'organizations it may act for; default: all')
    .addOption(
      new Option(
        '--expires <when>',
        'day on which it ends, such as 2027-03-01, or never; default: after TOCSIN_KEY_DAYS (365), never for intake',
      )
        .argParser(endOfKey)
        .conflicts('days'),
    )
    .option('--days <n>', 'days until it expires, 1 to 3650', endAfterDays)
    .option('--owner <email>', 'person who answers for the key; it is refused while the account is disabled')
    .option(
      '--address <range...>',
      'addresses and ranges from which it is accepted; default: all',
      addressRanges,
    )
    .addHelpText(
      'after',
      `
Uses the data directory TOCSIN_DATA_DIR (./data) of a server, which must exist; a running server accepts the key immediately.
Only the key is printed to standard output:
  KEY=$(tocsin keys create splunk-forwarder --organization main --address 10.1.0.0/16)

Roles: intake posts alerts · reader reads everything · responder works on cases and answers questions · author
publishes playbooks, e.g. from CI · connection_admin manages connections · analyst posts, reads, runs and
answers · admin does everything`,
    )
    .action(createKey)
}

async function createKey(name: string, options: CreateOptions): Promise<void> {
  const { role, organization, owner, address } = options
  const { keyLifetimeMs: lifetimeMs } = configWithData()
  const given = options.expires ?? options.days
  const expiresAt = given === undefined ? defaultEnd(role, { now: Date.now(), lifetimeMs }) : endMs(given)
  const { value, id, secretHash } = makeKey()
  const key = await withStores(async (stores) =>
    stores.keys.create(
      {
        id,
        name,
        role,
        organizationUuids: await uuidsOf(stores, organization),
        secretHash,
        expiresAt,
        ...(owner !== undefined && { ownerUuid: (await requireAccountOf(stores, owner)).uuid }),
        ...(address !== undefined && { allowedAddresses: address }),
      },
      thisUser(),
    ),
  )
  const scope = organization?.join(', ') ?? 'all organizations'
  process.stderr.write(
    `${paintError.dim(`${role} key '${printable(name)}' for ${scope}, ${validityOf(key)}; shown once:`)}\n`,
  )
  console.log(value)
}

function keyName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > 200) throw new InvalidArgumentError('It must have 1 to 200 characters.')
  const { pattern, patternErrorMessage } = patterns.line
  if (!new RegExp(pattern, 'u').test(name)) throw new InvalidArgumentError(`It ${patternErrorMessage}.`)
  return name
}
