import { hash, randomBytes } from 'node:crypto'
import type { AccountRole } from '../../../core/access/account.ts'
import { somebody } from '../../support/somebody.ts'
import type { Api, CallOptions, Reply } from './api.ts'

/** A person with a session, who calls the API of a test server. */
export interface TestPerson {
  readonly uuid: string
  readonly email: string
  readonly cookie: string
  call(method: string, path: string, options?: Omit<CallOptions, 'key'>): Promise<Reply>
}

/** A role in an organization of the test server, by its code; without a code: in all. */
export type TestRole = readonly [role: string, code?: string]

let count = 0

/** Creates an account that has joined, and a session for it. */
export async function newPerson(
  api: Pick<Api, 'stores' | 'organizations' | 'call'>,
  name: string,
  ...roles: readonly TestRole[]
): Promise<TestPerson> {
  const { stores, organizations } = api
  const email = `${name.toLowerCase()}${++count}@example.com`
  const held = roles.map(([role, code]): AccountRole => ({
    role,
    organizationUuid: code === undefined ? null : (organizations[code] ?? ''),
  }))
  const { uuid } = await stores.accounts.create({ email, name, roles: held }, somebody())
  await stores.accounts.join(uuid, somebody())
  const cookie = await newSession(api, uuid)
  return {
    uuid,
    email,
    cookie,
    call: (method, path, { headers, ...options } = {}) =>
      api.call(method, path, { ...options, key: null, headers: { ...headers, cookie } }),
  }
}

/** The cookie of a new session of the account. */
async function newSession({ stores }: Pick<Api, 'stores'>, accountUuid: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await stores.sessions.begin(
    {
      tokenHash: hash('sha256', token, 'buffer'),
      holder: { accountUuid },
      method: 'password',
      client: 'a test',
      replaces: undefined,
      limits: { idleMs: 1e12, maxMs: 1e12 },
    },
    somebody(),
  )
  return `tocsin_session=${token}`
}
