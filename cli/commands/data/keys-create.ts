import { Command, InvalidArgumentError, Option } from 'commander'
import { roles, type Role } from '../../../core/domain/api-key.ts'
import { patterns } from '../../../server/http/request/patterns.ts'
import { makeKey } from '../../../server/access/keys.ts'
import { paintError } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { withStores } from '../../with-stores.ts'
import { uuidsOf } from '../../organization-uuids.ts'

interface CreateOptions {
  readonly role: Role
  readonly organization?: readonly string[]
  readonly days?: number
}

export function keysCreateCommand(): Command {
  return new Command('create')
    .description('create an API key in the data directory and show it once')
    .argument('<name>', 'what the key is for, e.g. splunk-forwarder', keyName)
    .addOption(new Option('--role <role>', 'permissions of the key').choices(roles).default('intake'))
    .option('--organization <code...>', 'organizations it may act for; default: all')
    .option('--days <n>', 'days until it expires, 1 to 3650; default: never', wholeDays)
    .addHelpText(
      'after',
      `
Uses the data directory TOCSIN_DATA_DIR (./data) of a server, which must exist; a running server accepts the key immediately.
Only the key is printed to standard output:
  KEY=$(tocsin keys create splunk-forwarder --organization main --days 365)

Roles: intake posts alerts · reader reads everything · analyst does both · admin also manages organizations,
providers, connections and keys`,
    )
    .action(createKey)
}

async function createKey(name: string, options: CreateOptions): Promise<void> {
  const key = makeKey()
  await withStores(async (stores) =>
    stores.keys.create(
      {
        id: key.id,
        name,
        role: options.role,
        organizationUuids: await uuidsOf(stores, options.organization),
        secretHash: key.secretHash,
        expiresAt: options.days === undefined ? null : Date.now() + options.days * 86_400_000,
      },
      thisUser(),
    ),
  )
  const scope = options.organization?.join(', ') ?? 'all organizations'
  process.stderr.write(
    `${paintError.dim(`${options.role} key '${printable(name)}' for ${scope}; shown once:`)}\n`,
  )
  console.log(key.value)
}

function keyName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > 200) throw new InvalidArgumentError('It must have 1 to 200 characters.')
  const { pattern, patternErrorMessage } = patterns.line
  if (!new RegExp(pattern, 'u').test(name)) throw new InvalidArgumentError(`It ${patternErrorMessage}.`)
  return name
}

function wholeDays(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 3_650) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 3650.')
}
