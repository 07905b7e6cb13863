import { expect } from 'chai'
import { readdir, readFile } from 'node:fs/promises'
import { expectRejection } from '../contract/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'

describe('idempotent requests across processes', () => {
  it('return the first result, and do not repeat work whose response was lost', async () => {
    const folder = await makeTemporaryFolder()
    const first = await openStoresIn(folder.path)
    const second = await openStoresIn(folder.path, { claim: 'shared' })
    const request = (key: string) => ({ apiKeyUuid: 'u', key, asks: 'x', keepMs: 1_000_000 })
    const make = (code: string) => first.organizations.create({ code, name: 'x' }, somebody())
    let again = 0
    try {
      await first.requests.once(request('whole'), async () => (await make('whole')).code)
      // As if the process was killed right after the commit, before its answer.
      void first.requests.once(request('cut'), async () => {
        await make('cut')
        await new Promise(() => {})
      })
      await eventually('the commit', async () =>
        (await second.organizations.list('all')).length === 2 ? true : undefined,
      )
      const work = async () => again++
      expect(await second.requests.once(request('whole'), work)).to.deep.equal({
        answer: 'whole',
        replayed: true,
      })
      await expectRejection(
        second.requests.once(request('cut'), work),
        'ConflictError',
        'request_interrupted',
      )
      expect(again).to.equal(0)

      const recall = {
        keeps: (written: unknown) => ({ code: (written as { code: string }).code }),
        answer: async (kept: unknown) => `made again of ${JSON.stringify(kept)}`,
      }
      void first.requests.once(
        request('recalled'),
        async () => {
          await make('recalled')
          return await new Promise<string>(() => {})
        },
        recall,
      )
      await eventually('the commit', async () =>
        (await second.organizations.list('all')).length === 3 ? true : undefined,
      )
      const expected = { answer: 'made again of {"code":"recalled"}', replayed: true }
      const never = async () => `${again++}`
      expect(await second.requests.once(request('recalled'), never, recall)).to.deep.equal(expected)
      const unasked = { ...recall, answer: () => Promise.reject(new Error('it is kept by now')) }
      expect(await second.requests.once(request('recalled'), never, unasked)).to.deep.equal(expected)
      expect(again).to.equal(0)

      const begun = Promise.withResolvers<undefined>()
      void first.requests.once(
        request('begun'),
        async () => {
          await first.requests.begin({ code: 'chosen' })
          begun.resolve(undefined)
          return await new Promise<string>(() => {})
        },
        recall,
      )
      await begun.promise
      expect(await second.requests.once(request('begun'), never, recall)).to.deep.equal({
        answer: 'made again of {"code":"chosen"}',
        replayed: true,
      })
      expect(again).to.equal(0)
      await first.requests.begin('outside of a request')
    } finally {
      await second.close()
      await first.close()
      await folder.remove()
    }
  })

  it('store neither the key nor the request', async () => {
    const folder = await makeTemporaryFolder()
    const stores = await openStoresIn(folder.path)
    const asks = JSON.stringify({ settings: { token: 'canary-of-the-request' } })
    await stores.requests.once(
      { apiKeyUuid: 'u', key: 'canary-of-the-key', asks, keepMs: 1_000_000 },
      async () => 'done',
    )
    await stores.close()
    for (const name of await readdir(folder.path)) {
      const bytes = await readFile(`${folder.path}/${name}`)
      for (const canary of ['canary-of-the-request', 'canary-of-the-key'])
        expect(bytes.includes(canary), name).to.equal(false)
    }
    await folder.remove()
  })
})
