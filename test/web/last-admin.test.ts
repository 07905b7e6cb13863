import { expect } from 'chai'
import { isLastAdmin, type Key } from '../../server/web/keys/key.ts'

const now = 1_000
const week = 7 * 86_400_000

const key = (id: string, changes: Partial<Key> = {}): Key => ({
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
  ...changes,
})

describe('isLastAdmin', () => {
  const mine = key('mine')

  it('is so of the only administrator of all organizations that goes on', () => {
    for (const others of [
      [],
      [key('b', { role: 'analyst' })],
      [key('b', { organization_codes: ['main'] })],
      [key('b', { revoked_at: 1 })],
      [key('b', { expires_at: now + week })],
    ])
      expect(isLastAdmin(mine, [mine, ...others], now), JSON.stringify(others)).to.equal(true)
  })

  it('is not so where another one goes on', () => {
    for (const other of [key('b'), key('b', { expires_at: now + week + 1 })])
      expect(isLastAdmin(mine, [mine, other], now)).to.equal(false)
  })

  it('is not so of one that ends soon, as long as there is any other', () => {
    const ending = key('ending', { expires_at: now + 5 })
    expect(isLastAdmin(ending, [ending, key('b', { expires_at: now + 9 })], now)).to.equal(false)
    expect(isLastAdmin(ending, [ending], now)).to.equal(true)
  })

  it('is not so of keys that administrate nothing, or not all', () => {
    for (const other of [key('a', { role: 'reader' }), key('a', { organization_codes: ['main'] })])
      expect(isLastAdmin(other, [other], now)).to.equal(false)
  })
})
