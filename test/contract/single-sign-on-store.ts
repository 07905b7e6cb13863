import { expect } from 'chai'
import type { GetSubject } from './fixture.ts'

const hashOf = (n: number) => Uint8Array.from({ length: 32 }, (_, index) => (n + index) % 256)

export function singleSignOnStoreContract(subject: GetSubject): void {
  describe('SingleSignOnStore', () => {
    const begin = async (n: number, lastsMs = 1_000) => {
      const { stores, clock } = subject()
      const attempt = {
        state: `s${n}`,
        nonce: 'n',
        verifier: 'v',
        returnTo: '/cases',
        expiresAt: clock.nowMs + lastsMs,
      }
      await stores.singleSignOn.begin({ ...attempt, browserHash: hashOf(n) })
      return attempt
    }
    const take = (n: number) => subject().stores.singleSignOn.take(hashOf(n))

    it('gives an attempt to its browser once', async () => {
      const [first] = [await begin(1), await begin(2)]
      expect(await take(3)).to.equal(undefined)
      expect(await take(1)).to.deep.equal(first)
      expect(await take(1)).to.equal(undefined)
      expect((await take(2))?.state).to.equal('s2')
    })

    it('gives an attempt to one of two takers', async () => {
      await begin(1)
      const taken = await Promise.all([take(1), take(1), take(1)])
      expect(taken.filter((attempt) => attempt !== undefined)).to.have.length(1)
    })

    it('gives no attempt that has expired', async () => {
      await begin(1)
      subject().clock.nowMs += 1_000
      expect(await take(1)).to.equal(undefined)
    })

    it('accepts a logout token once while it is valid', async () => {
      const { stores, clock } = subject()
      const accept = (n: number) => stores.singleSignOn.acceptLogoutToken(hashOf(n), clock.nowMs + 1_000)
      expect(await Promise.all([accept(1), accept(1)])).to.have.members([true, false])
      expect(await accept(2)).to.equal(true)
      expect(await accept(1)).to.equal(false)
    })
  })
}
