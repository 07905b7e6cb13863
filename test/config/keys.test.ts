import { expect } from 'chai'
import { createHash } from 'node:crypto'
import type { ApiKey } from '../../core/domain/api-key.ts'
import type { KeyStore } from '../../core/ports/access/key-store.ts'
import { checkKey, ensureAdminKey, makeKey, readKey } from '../../server/access/keys.ts'

const key: ApiKey = {
  uuid: 'u',
  id: 'x',
  name: 'n',
  role: 'admin',
  organizationUuids: null,
  createdAt: 0,
  createdBy: null,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  ownerUuid: null,
  isOwnerDisabled: false,
  allowedAddresses: null,
  rotatedAt: null,
  revision: 1,
  secretKnownBy: [],
}

describe('API keys', () => {
  it('are toc_<id>_<32 random bytes in base64url>, stored as SHA-256 of the secret', () => {
    const made = makeKey()
    const [, id, secret = ''] = /^toc_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/.exec(made.value) ?? []
    expect(id).to.equal(made.id)
    expect(Buffer.from(secret, 'base64url')).to.have.length(32)
    expect(Buffer.from(made.secretHash)).to.deep.equal(createHash('sha256').update(secret).digest())
  })

  it('are different each time', () => {
    const values = Array.from({ length: 100 }, () => makeKey().value)
    expect(new Set(values).size).to.equal(100)
  })

  it('are read completely or not at all', () => {
    const { value } = makeKey()
    expect(readKey(value)?.value).to.equal(value)
    for (const text of [
      '',
      value.slice(1),
      `${value}A`,
      `${value}\n`,
      value.toUpperCase(),
      value.replace('toc_', 'toc-'),
    ]) {
      expect(readKey(text), text).to.equal(undefined)
    }
  })

  it('are valid until they expire or are revoked', async () => {
    const { value, secretHash } = makeKey()
    const check = (changes: Partial<ApiKey>) =>
      checkKey(
        { find: async () => ({ key: { ...key, ...changes }, secretHash, previous: null }) },
        value,
        1_000,
      )
    expect(await check({})).to.deep.equal(key)
    expect(await check({ expiresAt: 1_001 })).to.not.equal(undefined)
    expect(await check({ expiresAt: 1_000 })).to.equal(undefined)
    expect(await check({ revokedAt: 5_000 })).to.equal(undefined)
  })

  it('are invalid with another secret or an unknown id', async () => {
    const { value } = makeKey()
    expect(
      await checkKey(
        { find: async () => ({ key, secretHash: makeKey().secretHash, previous: null }) },
        value,
        0,
      ),
    ).to.equal(undefined)
    expect(
      await checkKey(
        { find: async () => ({ key, secretHash: new Uint8Array(0), previous: null }) },
        value,
        0,
      ),
    ).to.equal(undefined)
    expect(await checkKey({ find: async () => undefined }, value, 0)).to.equal(undefined)
  })

  it('are invalid with another secret after the right one was used', async () => {
    const { value, secretHash } = makeKey()
    const check = (text: string) =>
      checkKey({ find: async () => ({ key, secretHash, previous: null }) }, text, 0)
    expect(await check(value)).to.deep.equal(key)
    expect(await check(value.slice(0, -1) + (value.endsWith('A') ? 'B' : 'A'))).to.equal(undefined)
  })

  describe('at the start', () => {
    const now = 1_000
    let stored: ApiKey[]
    let isFirst: boolean
    const store: Pick<KeyStore, 'list' | 'find' | 'createFirst'> = {
      list: async () => stored,
      async find(id) {
        const found = stored.find((one) => one.id === id)
        return found && { key: found, secretHash: Buffer.alloc(0), previous: null }
      },
      async createFirst(one) {
        if (!isFirst) return undefined
        const made = { ...key, ...one }
        stored.push(made)
        return made
      },
    }
    const ensure = (given?: string) => ensureAdminKey(store, given, now)
    beforeEach(() => {
      stored = []
      isFirst = true
    })

    it('are not shown if another node was first', async () => {
      isFirst = false
      expect(await ensure()).to.equal(undefined)
      expect(await ensure(makeKey().value)).to.equal(undefined)
    })

    it('are created if none is given, and returned once', async () => {
      const value = (await ensure()) ?? ''
      const whole = { role: 'admin', organizationUuids: null, expiresAt: null }
      expect(stored[0]).to.deep.include({ id: readKey(value)?.id, ...whole })
      expect(JSON.stringify(stored)).to.not.include(value.slice(-43))
      expect(await ensure()).to.equal(undefined)
      expect(stored).to.have.length(1)
    })

    it('are taken from the configuration and not returned', async () => {
      const given = makeKey()
      expect(await ensure(given.value)).to.equal(undefined)
      expect(stored[0]).to.deep.include({ id: given.id, secretHash: given.secretHash })
    })

    it('are refused in any other form', async () => {
      const error = await ensure('hunter2').catch((caught: unknown) => caught)
      expect(error).to.include({ code: 'bootstrap_key_invalid' })
      expect((error as Error).message).to.not.include('hunter2')
    })

    for (const [what, changes] of [
      ['of another role', { role: 'analyst' }],
      ['of one organization', { organizationUuids: ['o'] }],
      ['revoked', { revokedAt: 1 }],
      ['expired', { expiresAt: now }],
    ] as const) {
      it(`are created if the only existing one is ${what}`, async () => {
        stored = [{ ...key, ...changes }]
        expect(await ensure()).to.match(/^toc_/)
        expect(stored).to.have.length(2)
      })
    }

    it('are replaced by a new one if revoked', async () => {
      const given = makeKey()
      stored = [{ ...key, id: given.id, revokedAt: 1 }]
      const value = (await ensure(given.value)) ?? ''
      expect(value).to.match(/^toc_/).and.not.equal(given.value)
      expect(stored.map(({ id }) => id)).to.deep.equal([given.id, readKey(value)?.id])
      expect(stored[0]?.revokedAt).to.equal(1)
    })
  })
})
