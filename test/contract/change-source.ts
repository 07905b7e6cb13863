import { expect } from 'chai'
import type { ChangeKind } from '../../core/domain/change.ts'
import type { PrunePlace } from '../../core/ports/retention-store.ts'
import { somebody } from '../support/somebody.ts'
import { completed, newAlert, queuedRun, startedRun, unknownUuid, type GetSubject } from './fixture.ts'

type Told = readonly [kind: ChangeKind, organizationUuid: string | null, id: string | undefined]

export function changeSourceContract(subject: GetSubject): void {
  describe('store changes', () => {
    let told: Told[]
    let stop: () => void

    beforeEach(() => {
      told = []
      stop = subject().stores.changes.listen((changes) => {
        for (const { kind, organizationUuid, id } of changes) told.push([kind, organizationUuid, id()])
      })
    })
    afterEach(() => stop())

    const since = async (): Promise<Told[]> => {
      await subject().changesTold()
      return told.splice(0)
    }

    it('are reported once, after the write has resolved', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      expect(await since()).to.deep.equal([['alert', acme.uuid, alert.id]])
      const run = await queuedRun(subject(), alert)
      expect(await since()).to.have.deep.members([
        ['alert', acme.uuid, alert.id],
        ['run', acme.uuid, run.uuid],
      ])
      const started = await stores.runs.start(run.uuid, { title: 'A case' })
      expect(await since()).to.have.deep.members([
        ['alert', acme.uuid, alert.id],
        ['run', acme.uuid, run.uuid],
        ['case', acme.uuid, started?.caseId],
      ])
    })

    it('to steps are changes of their run', async () => {
      const { stores, acme } = subject()
      const { uuid } = await startedRun(subject(), null)
      const ofRun = ['run', acme.uuid, uuid]
      await since()
      const step = { path: 'a', stepId: 'a', kind: 'x.do', input: 1, startedAt: 1, attempt: 1 }
      await stores.journal.begin(uuid, step)
      expect(await since()).to.deep.equal([ofRun])
      const error = { code: 'x', message: 'x' }
      await stores.journal.attemptFailed(uuid, {
        path: 'a',
        attempt: 1,
        error,
        startedAt: 1,
        endedAt: 2,
        retryAt: 3,
      })
      expect(await since()).to.deep.equal([ofRun])
      await stores.journal.end(uuid, 'a', {
        state: 'completed',
        output: 1,
        error: null,
        attempt: 2,
        endedAt: 4,
      })
      expect(await since()).to.deep.equal([ofRun])
      const question = { via: 'operator', input: {}, answers: ['yes'], form: null }
      const { id } = await stores.checkpoints.open(uuid, {
        path: 'c',
        stepId: 'c',
        question,
        timeoutAt: 9e15,
      })
      const asked = await since()
      expect(asked).to.deep.include.members([['checkpoint', acme.uuid, id], ofRun])
      expect(asked.filter(([kind]) => kind !== 'notification')).to.have.length(2)
      await stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody())
      expect(await since()).to.deep.include.members([['checkpoint', acme.uuid, id], ofRun])
      await stores.runs.end(uuid, completed)
      expect(await since()).to.deep.equal([ofRun])
    })

    it('to a retried run are reported when another run continues it', async () => {
      const { stores, acme } = subject()
      const { uuid } = await stores.runs.end((await startedRun(subject(), null)).uuid, completed)
      await since()
      const next = await stores.runs.queue({
        organizationUuid: acme.uuid,
        playbookName: 'p',
        playbookHash: 'b'.repeat(64),
        alertUuid: null,
        carriesOver: { runUuid: uuid, paths: [] },
      })
      expect(await since()).to.have.deep.members([
        ['run', acme.uuid, next.uuid],
        ['run', acme.uuid, uuid],
      ])
    })

    it('to a deleted run with steps are reported in its organization', async () => {
      const { stores, acme, clock } = subject()
      const { uuid } = await startedRun(subject(), null)
      const step = { path: 'a', stepId: 'a', kind: 'x.do', input: 1, startedAt: 1, attempt: 1 }
      const end = { state: 'completed', output: 1, error: null, attempt: 1, endedAt: 2 } as const
      await stores.journal.record(uuid, step, end)
      await stores.runs.end(uuid, completed)
      // Continued, so that it is not the newest run, which is kept.
      await startedRun(subject(), null)
      await since()
      const rule = { before: clock.nowMs + 1, setting: 'a test' }
      let place: PrunePlace | undefined
      do place = (await stores.retention.pruneRuns(rule, place)).next
      while (place !== undefined)
      const ofRuns = (await since()).filter(([kind]) => kind === 'run')
      expect(ofRuns).to.not.be.empty
      for (const [, organizationUuid] of ofRuns) expect(organizationUuid).to.equal(acme.uuid)
    })

    it('to settings and access are reported', async () => {
      const { stores, acme } = subject()
      const secretHash = new Uint8Array(32)
      const made = {
        id: 'k1',
        secretHash,
        name: 'k',
        role: 'reader',
        organizationUuids: [acme.uuid],
      } as const
      const key = await stores.keys.create({ ...made, expiresAt: null }, somebody())
      expect(await since()).to.deep.include(['key', null, 'k1'])
      await stores.keys.recordUse('k1', 5)
      expect(await since()).to.deep.equal([])
      const tokenHash = new Uint8Array(32)
      const limits = { idleMs: 1e9, maxMs: 1e9 }
      const session = await stores.sessions.begin(
        { tokenHash, holder: { keyId: key.id }, method: 'api_key', client: '', replaces: undefined, limits },
        somebody(),
      )
      await since()
      await stores.sessions.end(session.uuid, somebody())
      expect(await since()).to.deep.include(['session', null, undefined])
      await stores.keys.revoke('k1', somebody())
      expect(await since()).to.deep.include(['key', null, 'k1'])
      const connection = { name: 'n', plugin: 'p', settings: {}, secrets: {} }
      const { uuid } = await stores.connections.create(acme.uuid, connection, somebody())
      expect(await since()).to.deep.include(['connection', acme.uuid, uuid])
      await stores.connections.remove(acme.uuid, uuid, undefined, somebody())
      expect(await since()).to.deep.include(['connection', acme.uuid, undefined])
      await stores.pause.pause('x', somebody())
      expect(await since()).to.deep.include(['engine', null, undefined])
    })

    it('are not reported if rolled back', async () => {
      const { stores, acme } = subject()
      const key = { name: 'k', role: 'reader', secretHash: new Uint8Array(32), expiresAt: null } as const
      // Checked when the key has been inserted already.
      const foreign = { ...key, id: 'k1', organizationUuids: [unknownUuid] }
      const outcomes = await Promise.allSettled([
        stores.keys.create({ ...key, id: 'k0', organizationUuids: null }, somebody()),
        stores.keys.create(foreign, somebody()),
        stores.alerts.create(newAlert(acme)),
      ])
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
      expect((await since()).map(([kind]) => kind)).to.have.members(['key', 'audit', 'alert'])
    })

    it('are reported only while there are listeners', async () => {
      const { stores, acme } = subject()
      stop()
      await stores.alerts.create(newAlert(acme))
      expect(await since()).to.deep.equal([])
      const stopBoth = [1, 2].map(() =>
        stores.changes.listen((changes) => told.push(...changes.map(() => 0 as never))),
      )
      await stores.alerts.create(newAlert(acme))
      expect(await since()).to.have.length(2)
      stopBoth[0]?.()
      await stores.alerts.create(newAlert(acme))
      expect(await since()).to.have.length(1)
      stopBoth[1]?.()
    })
  })
}
