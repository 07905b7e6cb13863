import { createSecretKey } from 'node:crypto'
import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import { createSecretBox, type SealedSecret, type SecretPlace } from '../../server/secrets/secret-box.ts'

const masterKey = { key: createSecretKey(Buffer.alloc(32, 1)), version: 1, origin: 'file' } as const
const box = createSecretBox(masterKey)
const place: SecretPlace = { organizationUuid: 'o', connectionUuid: 'c', field: 'token' }

function expectUnreadable(open: () => unknown): void {
  expect(open).to.throw().with.property('code', 'secret_unreadable')
}

describe('SecretBox', () => {
  it('opens what it sealed', () => {
    for (const text of ['', 'plain', 'ü🔔\u0000', 'x'.repeat(100_000)]) {
      expect(box.open(place, box.seal(place, new Secret(text))).reveal()).to.equal(text)
    }
  })

  it('seals the same secret differently each time, and never in plain text', () => {
    const [one, two] = [1, 2].map(() => Buffer.from(box.seal(place, new Secret('same secret')).bytes))
    expect(one?.equals(two ?? Buffer.of())).to.equal(false)
    expect(one?.includes('same secret')).to.equal(false)
  })

  it('opens nothing under another field', () => {
    const sealed = box.seal(place, new Secret('x'))
    for (const change of [{ organizationUuid: 'p' }, { connectionUuid: 'd' }, { field: 'other' }]) {
      expectUnreadable(() => box.open({ ...place, ...change }, sealed))
    }
    const shifted = box.seal({ organizationUuid: 'a","b', connectionUuid: 'c', field: 'd' }, new Secret('x'))
    expectUnreadable(() => box.open({ organizationUuid: 'a', connectionUuid: 'b","c', field: 'd' }, shifted))
  })

  it('refuses changed, truncated and foreign ciphertext', () => {
    const { bytes, keyVersion } = box.seal(place, new Secret('secret'))
    const spoilt: SealedSecret[] = [...bytes.keys()].map((index) => ({
      keyVersion,
      bytes: bytes.map((byte, at) => (at === index ? byte ^ 1 : byte)),
    }))
    const cut = [0, 11, 12, 27, 28, bytes.length - 1].map((length) => ({
      keyVersion,
      bytes: bytes.slice(0, length),
    }))
    for (const sealed of [...spoilt, ...cut, { keyVersion: 2, bytes }])
      expectUnreadable(() => box.open(place, sealed))
    const other = createSecretBox({ ...masterKey, key: createSecretKey(Buffer.alloc(32, 2)) })
    expectUnreadable(() => other.open(place, { keyVersion, bytes }))
  })

  it('names the field that cannot be opened, but not its content', () => {
    const sealed = box.seal(place, new Secret('canary'))
    const open = () => box.open({ ...place, field: 'moved' }, sealed)
    expect(open)
      .to.throw(/'moved'/)
      .that.satisfies((error: Error) => !error.message.includes('canary'))
  })
})
