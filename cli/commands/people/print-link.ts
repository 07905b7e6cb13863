import { isLoopback } from '../../../server/config/loopback.ts'
import type { Account } from '../../../core/access/account.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { createInvitation, invitationHours } from '../../../server/access/invitations.ts'
import { paintError } from '../../output/paint.ts'
import { thisUser } from '../../this-user.ts'
import { configWithData } from '../../with-stores.ts'

/** Makes a link with which the person sets a password, and prints it to standard output. */
export async function printLink(stores: Stores, { uuid }: Account): Promise<void> {
  const { publicUrl, host, port } = configWithData()
  const address = publicUrl ?? `http://${isLoopback(host) ? '127.0.0.1' : host}:${port}`
  const { url } = await createInvitation(stores, uuid, address, { by: thisUser(), now: Date.now() })
  process.stderr.write(
    `${paintError.dim(`the link works once, for ${invitationHours} hours; shown once:`)}\n`,
  )
  console.log(url)
}
