import { expect } from 'chai'
import type { GetSubject } from './fixture.ts'

const first = { name: 'triage', hash: 'a'.repeat(64), source: 'name: triage\n', origin: 'file' } as const
const second = { ...first, hash: 'b'.repeat(64), source: 'name: triage\n# 2\n' } as const

export function playbookStoreContract(subject: GetSubject): void {
  describe('PlaybookStore', () => {
    it('keeps every version, and knows the newest of a name', async () => {
      const { stores, clock } = subject()
      await stores.playbooks.put(first)
      clock.nowMs += 5
      await stores.playbooks.put(second)
      await stores.playbooks.put({ ...first, name: 'made-1', hash: 'c'.repeat(64), origin: 'made' })
      const newest = { ...second, createdAt: clock.nowMs }
      expect(await stores.playbooks.find('triage')).to.deep.equal(newest)
      expect((await stores.playbooks.list()).map(({ name }) => name)).to.deep.equal(['made-1', 'triage'])
      const old = await stores.playbooks.findByHash(first.hash)
      expect(old).to.deep.equal({ ...first, createdAt: clock.nowMs - 5 })
    })

    it('changes nothing when the newest version is put again', async () => {
      const { stores, clock } = subject()
      await stores.playbooks.put(first)
      clock.nowMs += 5
      await stores.playbooks.put(first)
      expect(await stores.playbooks.list()).to.deep.equal([{ ...first, createdAt: clock.nowMs - 5 }])
    })

    it('makes an old version the newest when it is put again', async () => {
      const { stores } = subject()
      for (const version of [first, second, first]) await stores.playbooks.put(version)
      expect((await stores.playbooks.find('triage'))?.hash).to.equal(first.hash)
      expect(await stores.playbooks.list()).to.have.length(1)
      expect((await stores.playbooks.findByHash(second.hash))?.source).to.equal(second.source)
    })

    it('finds nothing under an unknown name or hash', async () => {
      const { stores } = subject()
      expect(await stores.playbooks.find('nobody')).to.equal(undefined)
      expect(await stores.playbooks.findByHash('')).to.equal(undefined)
    })
  })
}
