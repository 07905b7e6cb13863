import { Command } from 'commander'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import { endsSoon } from '../../../core/access/key-expiry.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { withStores } from '../../with-stores.ts'
import { day } from './key-options.ts'

export function keysListCommand(): Command {
  return new Command('list')
    .description('list the API keys of the data directory, without their values')
    .action(listKeys)
}

async function listKeys(): Promise<void> {
  const [keys, organizations, accounts] = await withStores((stores) =>
    Promise.all([stores.keys.list(), stores.organizations.list('all'), stores.accounts.list()]),
  )
  const owners = new Map(accounts.map(({ uuid, email }) => [uuid, email]))
  const codes = new Map(organizations.map(({ uuid, code }) => [uuid, code]))
  const now = Date.now()
  const rows = keys.map((key) => [
    paint.strong(key.id),
    printable(key.name),
    key.role,
    key.organizationUuids?.map((uuid) => codes.get(uuid) ?? uuid).join(' ') ?? 'all',
    key.ownerUuid === null ? 'none' : printable(owners.get(key.ownerUuid) ?? key.ownerUuid),
    key.allowedAddresses?.join(' ') ?? 'any',
    day(key.createdAt),
    key.lastUsedAt === null ? 'never' : day(key.lastUsedAt),
    stateOf(key, now),
  ])
  console.log(
    table(['ID', 'NAME', 'ROLE', 'ORGANIZATIONS', 'OWNER', 'ADDRESSES', 'MADE', 'LAST USED', 'STATE'], rows),
  )
}

function stateOf(key: ApiKey, now: number): string {
  const { revokedAt, expiresAt } = key
  if (revokedAt !== null) return paint.bad(`revoked ${day(revokedAt)}`)
  if (expiresAt !== null && expiresAt <= now) return paint.bad(`expired ${day(expiresAt)}`)
  if (key.isOwnerDisabled) return paint.bad('owner disabled')
  if (expiresAt === null) return paint.good('usable')
  const until = `valid until ${day(expiresAt)}`
  return endsSoon(key, now) ? paint.warn(until) : paint.good(until)
}
