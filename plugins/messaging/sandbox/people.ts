import { createHash } from 'node:crypto'

/** A member of the sandbox's workspace. */
export interface WorkspaceUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly deleted: boolean
  readonly is_bot: boolean
}

export const botUser: WorkspaceUser = person('U0TOCSINBOT', 'tocsin', 'tocsin@bots.example', { is_bot: true })

const known: readonly WorkspaceUser[] = [
  person('U0ANASILVA', 'ana.silva', 'ana.silva@example.com'),
  person('U0BENOKORO', 'ben.okoro', 'ben.okoro@example.com'),
  person('U0CHENWEI', 'chen.wei', 'chen.wei@example.com'),
  person('U0LEFTUS', 'dora.left', 'dora.left@example.com', { deleted: true }),
  botUser,
]

/** Every address at example.com also belongs to a member, so that any alert finds a responder. */
export function personByEmail(email: string): WorkspaceUser | undefined {
  const wanted = email.toLowerCase()
  const found = known.find((one) => one.email === wanted)
  if (found !== undefined) return found
  const [, name] = /^([a-z0-9._+-]+)@example\.com$/.exec(wanted) ?? []
  if (name === undefined || name.startsWith('nobody')) return undefined
  const id = createHash('sha256').update(wanted).digest('hex').slice(0, 9).toUpperCase()
  return person(`U${id}`, name, wanted)
}

export const knownById = (id: string): WorkspaceUser | undefined => known.find((one) => one.id === id)

function person(
  id: string,
  name: string,
  email: string,
  more: { readonly deleted?: boolean; readonly is_bot?: boolean } = {},
): WorkspaceUser {
  return { id, name, email, deleted: false, is_bot: false, ...more }
}
