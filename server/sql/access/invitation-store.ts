import type { Work } from '../database/work.ts'
import type { Account } from '../../../core/access/account.ts'
import { isInvitationUsable, type Invitation } from '../../../core/access/credentials.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type {
  AcceptedInvitation,
  InvitationStore,
  NewInvitation,
} from '../../../core/ports/access/invitation-store.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertRow } from '../context/rows.ts'
import { SqlStore } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'
import type { Database } from '../database/database.ts'
import { recordAccount, requireAccount, type FoundAccount } from './account-rows.ts'
import { insertAccount, joinAccount } from './account-store.ts'
import { removeCredentials, setPassword } from './credential-store.ts'
import { endSessionsOf } from './session-store.ts'

interface InvitationRow extends Invitation {
  readonly id: number
}

const select = `
  SELECT i.id, i.uuid, a.uuid AS "accountUuid", i.created_at AS "createdAt", i.expires_at AS "expiresAt", i.used_at AS "usedAt"
  FROM invitations i LEFT JOIN accounts a ON a.id = i.account_id`

/** The person who accepts: known by the account alone. */
const self = ({ uuid, name }: Account, requestId: string | null): Actor => ({
  kind: 'account',
  id: uuid,
  name,
  requestId,
})

export class SqlInvitationStore extends SqlStore implements InvitationStore {
  create({ accountUuid, tokenHash, expiresAt }: NewInvitation, by: Actor): Promise<Invitation> {
    return this.write(function* () {
      const found = accountUuid === null ? undefined : yield* requireAccount(this.database, accountUuid)
      const accountId = found?.id ?? null
      yield* this.database.run(
        'DELETE FROM invitations WHERE account_id IS NOT DISTINCT FROM ? AND used_at IS NULL',
        accountId,
      )
      const createdAt = this.clock.now()
      const uuid = makeUuid(createdAt)
      yield* insertRow(this.database, 'invitations', { uuid, tokenHash, accountId, createdAt, expiresAt })
      if (found !== undefined)
        yield* recordAccount(this.context, 'account.invited', found.account, by, { expires_at: expiresAt })
      else {
        const subject = { kind: 'account', id: '', name: 'first administrator' } as const
        const details = { expires_at: expiresAt }
        yield* recordAudit(this.context, {
          action: 'account.invited',
          by,
          organizationUuid: null,
          subject,
          details,
        })
      }
      return { uuid, accountUuid, createdAt, expiresAt, usedAt: null }
    })
  }

  find(tokenHash: Uint8Array): Promise<Invitation | undefined> {
    return this.read(function* () {
      const row = yield* this.#find(tokenHash)
      if (row === undefined) return undefined
      const { id: _, ...invitation } = row
      return invitation
    })
  }

  accept(tokenHash: Uint8Array, accepted: AcceptedInvitation, requestId: string | null): Promise<Account> {
    return this.writeConfiguration(function* () {
      const now = this.clock.now()
      const invitation = yield* this.#find(tokenHash)
      if (invitation === undefined || !isInvitationUsable(invitation, now)) throw notUsable()
      yield* this.database.run('UPDATE invitations SET used_at = ? WHERE id = ?', now, invitation.id)
      const { id, account } = yield* this.#accountOf(invitation, accepted, requestId)
      if (account.disabledAt !== null) throw notUsable()
      const by = self(account, requestId)
      yield* removeCredentials(this.database, id)
      yield* setPassword(this.context, id, accepted.passwordHash)
      yield* endSessionsOf(this.context, account.uuid, undefined, by)
      yield* recordAccount(this.context, 'account.password_changed', account, by, {
        invitation: invitation.uuid,
      })
      return yield* joinAccount(this.context, account.uuid, by)
    })
  }

  *#accountOf(
    { accountUuid }: Invitation,
    { person }: AcceptedInvitation,
    requestId: string | null,
  ): Work<FoundAccount> {
    if (accountUuid !== null) return yield* requireAccount(this.database, accountUuid)
    if (person === undefined) throw notUsable()
    const roles = [{ role: 'admin', organizationUuid: null }]
    const by = { kind: 'stranger', id: person.email, name: person.name, requestId } as const
    const { uuid } = yield* insertAccount(this.context, { ...person, roles }, by)
    return yield* requireAccount(this.database, uuid)
  }

  *#find(tokenHash: Uint8Array): Work<InvitationRow | undefined> {
    return yield* this.database.get<InvitationRow>(`${select} WHERE i.token_hash = ?`, tokenHash)
  }
}

/** Inside of a write: deletes ended invitations. Gives their number. */
export const forgetInvitations = (database: Database, now: number, atMost: number): Work<number> =>
  database.run(
    'DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= ? OR used_at IS NOT NULL LIMIT ?)',
    now,
    atMost,
  )

const notUsable = (): NotFoundError =>
  new NotFoundError('invitation_not_found', 'the link is unknown, used or expired', {
    hint: 'ask an administrator for a new one',
  })
