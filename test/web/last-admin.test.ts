import { expect } from 'chai'
import { isLastAdmin } from '../../server/web/keys/key.ts'
import type { ListedKey } from '../../server/web/api/types.ts'

const now = 1_000
const week = 7 * 86_400_000

const key = (id: string, changes: Partial<ListedKey> = {}): ListedKey => ({
  key_uuid: id,
  key_id: id,
  name: id,
  role: 'admin',
  organization_codes: null,
  created_at: 1,
  created_by: null,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  owner: null,
  allowed_addresses: null,
  rotated_at: null,
  revision: 1,
  owner_name: null,
  owner_accepted: false,
  ...changes,
})

describe('isLastAdmin', () => {
  const mine = key('mine')

  it('is true for the only lasting admin of all organizations', () => {
    for (const others of [
      [],
      [key('b', { role: 'analyst' })],
      [key('b', { organization_codes: ['main'] })],
      [key('b', { revoked_at: 1 })],
      [key('b', { expires_at: now + week })],
    ])
      expect(isLastAdmin(mine, [mine, ...others], now), JSON.stringify(others)).to.equal(true)
  })

  it('is false if another one stays valid', () => {
    for (const other of [key('b'), key('b', { expires_at: now + week + 1 })])
      expect(isLastAdmin(mine, [mine, other], now)).to.equal(false)
  })

  it('is false for one that expires soon if there is another', () => {
    const ending = key('ending', { expires_at: now + 5 })
    expect(isLastAdmin(ending, [ending, key('b', { expires_at: now + 9 })], now)).to.equal(false)
    expect(isLastAdmin(ending, [ending], now)).to.equal(true)
  })

  it('is false for other roles and for admins of some organizations', () => {
    for (const other of [key('a', { role: 'reader' }), key('a', { organization_codes: ['main'] })])
      expect(isLastAdmin(other, [other], now)).to.equal(false)
  })
})
