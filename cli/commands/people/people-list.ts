import { Command } from 'commander'
import { accountState, type Account } from '../../../core/access/account.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { withStores } from '../../with-stores.ts'

export function peopleListCommand(): Command {
  return new Command('list').description('list the accounts of the data directory').action(listPeople)
}

async function listPeople(): Promise<void> {
  const [accounts, organizations] = await withStores((stores) =>
    Promise.all([stores.accounts.list(), stores.organizations.list('all')]),
  )
  const codes = new Map(organizations.map(({ uuid, code }) => [uuid, code]))
  const rows = accounts.map((account) => [
    paint.strong(printable(account.email)),
    printable(account.name),
    account.roles
      .map(
        ({ role, organizationUuid: uuid }) => `${role}:${uuid === null ? 'all' : (codes.get(uuid) ?? uuid)}`,
      )
      .join(' '),
    account.lastUsedAt === null ? 'never' : new Date(account.lastUsedAt).toISOString().slice(0, 10),
    stateText(account),
  ])
  console.log(table(['E-MAIL', 'NAME', 'ROLES', 'LAST USED', 'STATE'], rows))
}

function stateText(account: Account): string {
  const state = accountState(account)
  if (state === 'disabled') return paint.bad(state)
  return state === 'active' ? paint.good(state) : state
}
