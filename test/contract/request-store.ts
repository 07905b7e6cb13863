import { expect } from 'chai'
import type { OnceRequest } from '../../core/ports/access/request-store.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, type GetSubject } from './fixture.ts'

const request: OnceRequest = { apiKeyUuid: 'u', key: 'k', asks: '{"a":1}', keepMs: 1_000 }

export function requestStoreContract(subject: GetSubject): void {
  describe('RequestStore', () => {
    let calls: number
    beforeEach(() => (calls = 0))
    const once = (
      changes: Partial<OnceRequest> = {},
      work = async (): Promise<unknown> => ({ n: ++calls }),
    ) => subject().stores.requests.once({ ...request, ...changes }, work)

    it('does the same work once and returns the first result', async () => {
      expect(await once()).to.deep.equal({ answer: { n: 1 }, replayed: false })
      expect(await once()).to.deep.equal({ answer: { n: 1 }, replayed: true })
      expect(await once({ key: 'l' })).to.deep.equal({ answer: { n: 2 }, replayed: false })
      expect(await once({ apiKeyUuid: 'v' })).to.deep.equal({ answer: { n: 3 }, replayed: false })
    })

    it('refuses a key used for another request', async () => {
      await once()
      await expectRejection(once({ asks: '{"a":2}' }), 'ConflictError', 'idempotency_key_reused')
      expect(calls).to.equal(1)
    })

    it('expires a key after its time', async () => {
      await once()
      subject().clock.nowMs += request.keepMs - 1
      expect((await once()).replayed).to.equal(true)
      subject().clock.nowMs += 1
      expect(await once({ asks: 'other' })).to.deep.equal({ answer: { n: 2 }, replayed: false })
    })

    it('makes a concurrent request wait for the first', async () => {
      const both = await Promise.all([once(), once()])
      expect(both.map(({ replayed }) => replayed)).to.deep.equal([false, true])
      expect(calls).to.equal(1)
    })

    it('keeps nothing of failed work, so that it can be retried', async () => {
      const fail = () => Promise.reject(new Error('no'))
      const [first, second] = await Promise.allSettled([once({}, fail), once()])
      expect(first.status).to.equal('rejected')
      expect(second).to.deep.include({ value: { answer: { n: 1 }, replayed: false } })
    })

    it('remembers work even if a concurrent write is rolled back', async () => {
      const { organizations } = subject().stores
      const create = (code: string) => organizations.create({ code, name: 'x' }, somebody())
      await create('old')
      let refused: Promise<unknown> | undefined
      const make = () => {
        const made = create('new')
        refused = create('old')
        refused.catch(() => undefined)
        return made
      }
      expect((await once({}, make)).replayed).to.equal(false)
      await expectRejection(refused!, 'ConflictError', 'organization_exists')
      expect((await once({}, make)).replayed).to.equal(true)
    })

    it('remembers work in the commit of its first write, even if it fails after that', async () => {
      const { organizations } = subject().stores
      const make = async () => {
        await organizations.create({ code: 'new', name: 'x' }, somebody())
        throw new Error('after the write')
      }
      const keepMs = 60_000
      await once({ keepMs }, make).catch(() => undefined)
      subject().clock.nowMs += 30_000 // another node would have answered
      await expectRejection(once({ keepMs }), 'ConflictError', 'request_interrupted')
      const refused = () => organizations.create({ code: 'new', name: 'x' }, somebody())
      await expectRejection(once({ key: 'm' }, refused), 'ConflictError', 'organization_exists')
      expect((await once({ key: 'm' })).replayed).to.equal(false)
    })

    it('returns integers of any size', async () => {
      const big = { n: 2n ** 60n }
      await once({}, async () => big)
      expect((await once()).answer).to.deep.equal(big)
    })
  })
}
