import { Command, Option } from 'commander'
import { roles, type Role } from '../../core/domain/api-key.ts'
import { TocsinError } from '../../core/plugin/index.ts'
import type { Stores } from '../../core/ports.ts'
import { readConfig } from '../../server/config.ts'
import { makeKey } from '../../server/keys.ts'
import { openStores } from '../../server/open-stores.ts'
import { paint, printable } from '../output/paint.ts'

interface CreateOptions {
  readonly role: Role
  readonly organization?: readonly string[]
  readonly days?: string
}

/** `tocsin keys`: API keys, made beside a running server or without one. */
export function keysCommand(): Command {
  const create = new Command('create')
    .description('make an API key in the data directory and show it once')
    .argument('<name>', 'what the key is for, e.g. splunk-forwarder')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).default('intake'))
    .option('--organization <code...>', 'organizations it may act for; all of them when left out')
    .option('--days <n>', 'days until it expires; never when left out')
    .action(createKey)
  return new Command('keys').description('API keys').addCommand(create)
}

async function createKey(name: string, options: CreateOptions): Promise<void> {
  const expiresAt = expiry(options.days)
  const stores = await openStores(readConfig(process.env), 'shared')
  try {
    const organizationUuids = await uuidsOf(stores, options.organization)
    const key = makeKey()
    await stores.keys.create({
      id: key.id,
      name,
      role: options.role,
      organizationUuids,
      secretHash: key.secretHash,
      expiresAt,
    })
    const scope = options.organization?.join(', ') ?? 'all organizations'
    process.stderr.write(
      `${paint.dim(`${options.role} key '${printable(name)}' for ${scope}; shown once:`)}\n`,
    )
    console.log(key.value)
  } finally {
    await stores.close()
  }
}

function expiry(days: string | undefined): number | null {
  if (days === undefined) return null
  const count = Number(days)
  if (!Number.isInteger(count) || count < 1 || count > 3_650) {
    throw new TocsinError('bad_option', `--days is '${printable(days)}'`, {
      hint: 'give a whole number, 1 to 3650',
    })
  }
  return Date.now() + count * 86_400_000
}

async function uuidsOf(stores: Stores, codes: readonly string[] | undefined): Promise<string[] | null> {
  if (codes === undefined) return null
  const known = await stores.organizations.list('all')
  return codes.map((code) => {
    const organization = known.find((one) => one.code.toLowerCase() === code.toLowerCase())
    if (organization !== undefined) return organization.uuid
    throw new TocsinError('organization_not_found', `no organization has the code '${printable(code)}'`, {
      hint: `there are: ${known.map((one) => one.code).join(', ')}`,
    })
  })
}
