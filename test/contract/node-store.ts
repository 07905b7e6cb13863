import { expect } from 'chai'
import { UnavailableError } from '../../core/errors/errors.ts'
import type { NodeReport } from '../../core/ports/nodes/node-store.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, queuedRun, type GetSubject } from './fixture.ts'

const one = { name: 'a:1', program: '1.0.0' }
const two = { name: 'b:1', program: '1.0.1' }

const report: NodeReport = {
  role: 'active',
  runs: 2,
  queued: 1,
  cpuPercent: 20,
  memoryBytes: 100,
  lastError: null,
}

export function nodeStoreContract(subject: GetSubject): void {
  describe('NodeStore', () => {
    const nodes = () => subject().stores.nodes
    const write = () => subject().stores.organizations.create({ code: 'More', name: 'More' }, somebody())

    it('lists processes by their start, with the time of the last renewal', async () => {
      const { clock } = subject()
      expect(await nodes().list()).to.deep.equal([])
      await nodes().join(one)
      const startedAt = clock.nowMs
      clock.nowMs += 1_000
      await nodes().renew()
      const { id } = nodes()
      const fresh = { peers: [], report: null, gone: null }
      expect(await nodes().list()).to.deep.equal([
        { ...one, id, startedAt, renewedAt: startedAt + 1_000, ...fresh },
      ])
    })

    it('keeps what a renewal tells until another one tells more', async () => {
      await nodes().join(one)
      await nodes().renew({ report })
      await nodes().renew({ peers: ['a', 'b'] })
      expect((await nodes().list())[0]).to.deep.include({ peers: ['a', 'b'], report })
    })

    it('shows each renewal, also after the clock was set back', async () => {
      const { clock } = subject()
      await nodes().join(one)
      const before = (await nodes().list())[0]!.renewedAt
      clock.nowMs -= 3_600_000
      await nodes().renew()
      expect((await nodes().list())[0]!.renewedAt).to.be.greaterThan(before)
    })

    it('refuses every write of a process that was removed, its renewals included', async () => {
      await nodes().join(one)
      await write()
      await removedByAnother()
      await expectRejection(nodes().renew(), 'UnavailableError', 'node_removed')
      await expectRejection(nodes().leave(), 'UnavailableError', 'node_removed')
      const late = subject().stores.organizations.create({ code: 'Late', name: 'Late' }, somebody())
      await expectRejection(late, 'UnavailableError', 'node_removed')
      expect(subject().stores.gone()).to.be.instanceOf(UnavailableError).and.include({ code: 'node_removed' })
      expect((await subject().stores.organizations.list('all')).map(({ code }) => code)).to.not.include(
        'Late',
      )
    })

    it('removes no process that has renewed its lease since it was read', async () => {
      await nodes().join(one)
      await withAnother(async (other) => {
        const read = await other.nodes.list()
        subject().clock.nowMs += 1_000
        await nodes().renew()
        await other.nodes.remove(read, 'lost')
      })
      await nodes().renew()
    })

    it('accepts writes of a process that left by itself, such as the last ones before its end', async () => {
      await nodes().join(one)
      await nodes().leave()
      await write()
      expect(subject().stores.gone()).to.equal(undefined)
    })

    it('lists processes that are gone for an hour, and why', async () => {
      const { clock } = subject()
      await withAnother(async (other) => {
        await other.nodes.join(two)
        await nodes().join(one)
        await removedByAnother()
        await other.nodes.leave()
        const gone = (await other.nodes.list()).map(({ gone }) => gone)
        expect(gone).to.have.deep.members([
          { at: clock.nowMs, why: 'lost' },
          { at: clock.nowMs, why: 'left' },
        ])
        clock.nowMs += 3_600_000
        expect(await other.nodes.list()).to.deep.equal([])
      })
    })

    it('gives a job to one process at a time, and to another one when that is gone', async () => {
      await withAnother(async (other) => {
        await nodes().join(one)
        await other.nodes.join(two)
        const all = async (job: 'pruning' | 'shadows') => [
          await nodes().takeJob(job),
          await other.nodes.takeJob(job),
        ]
        expect(await all('pruning')).to.deep.equal([true, false])
        expect([await other.nodes.takeJob('shadows'), await nodes().takeJob('shadows')]).to.deep.equal([
          true,
          false,
        ])
        expect(await all('pruning')).to.deep.equal([true, false])
        await removedByAnother()
        expect(await other.nodes.takeJob('pruning')).to.equal(true)
      })
    })

    it('gives up the turns of a process that is removed, and leaves those of others', async () => {
      const { stores, acme } = subject()
      await withAnother(async (other) => {
        await nodes().join(one)
        await other.nodes.join(two)
        const [mine, theirs] = [await queued(), await queued()]
        await stores.runs.take(mine)
        await other.runs.take(theirs)
        expect(await other.runs.take(mine)).to.equal(undefined)
        await removedByAnother()
        expect((await other.runs.due(acme.uuid, 10)).map(({ uuid }) => uuid)).to.deep.equal([mine])
        expect(await other.runs.take(mine)).to.deep.include({ turn: 4 })
        await other.runs.recover()
        expect(await other.runs.due(acme.uuid, 10)).to.deep.equal([])
      })
    })

    it('makes a run that was woken during its turn due for other processes only after that turn', async () => {
      const { stores, acme } = subject()
      await withAnother(async (other) => {
        await nodes().join(one)
        await other.nodes.join(two)
        const uuid = await queued()
        await stores.runs.take(uuid)
        await stores.runs.start(uuid, { title: 't' })
        await other.runs.cancel('all', uuid, somebody())
        expect(await other.runs.due(acme.uuid, 10)).to.deep.equal([])
        expect(await other.runs.take(uuid)).to.equal(undefined)
        expect(await stores.runs.park(uuid, Infinity)).to.equal(false)
        expect(await other.runs.take(uuid)).to.deep.include({ turn: 3 })
      })
    })

    const queued = async () => (await queuedRun(subject(), null)).uuid

    async function withAnother(work: (other: Stores) => Promise<void>): Promise<void> {
      const other = await subject().another()
      try {
        await work(other)
      } finally {
        await other.close()
      }
    }

    /** The process of the subject, as known to be lost. */
    const removedByAnother = () =>
      withAnother(async (other) => {
        const found = (await other.nodes.list()).filter(({ id }) => id === nodes().id)
        await other.nodes.remove(found, 'lost')
      })
  })
}
