import { Command } from 'commander'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { withStores } from '../../with-stores.ts'

export function keysListCommand(): Command {
  return new Command('list')
    .description('list the API keys of the data directory, without their values')
    .action(listKeys)
}

async function listKeys(): Promise<void> {
  const [keys, organizations] = await withStores((stores) =>
    Promise.all([stores.keys.list(), stores.organizations.list('all')]),
  )
  const codes = new Map(organizations.map(({ uuid, code }) => [uuid, code]))
  const now = Date.now()
  const rows = keys.map((key) => [
    paint.strong(key.id),
    printable(key.name),
    key.role,
    key.organizationUuids?.map((uuid) => codes.get(uuid) ?? uuid).join(' ') ?? 'all',
    day(key.createdAt),
    key.lastUsedAt === null ? 'never' : day(key.lastUsedAt),
    stateOf(key, now),
  ])
  console.log(table(['ID', 'NAME', 'ROLE', 'ORGANIZATIONS', 'MADE', 'LAST USED', 'STATE'], rows))
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== null) return paint.bad(`revoked ${day(revokedAt)}`)
  if (expiresAt === null) return paint.good('usable')
  return expiresAt > now
    ? paint.good(`valid until ${day(expiresAt)}`)
    : paint.bad(`expired ${day(expiresAt)}`)
}

/** In UTC: 2026-03-01. */
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
