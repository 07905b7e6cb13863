import { expect } from 'chai'
import type { NewAuditEntry } from '../../core/domain/audit.ts'
import { Secret } from '../../core/plugin/index.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, failed, startedRun, type GetSubject } from './fixture.ts'

const key = {
  id: 'abcdefabcdef',
  name: 'forwarder',
  role: 'intake',
  organizationUuids: null,
  secretHash: new Uint8Array(32),
  expiresAt: null,
} as const
const begun = {
  path: 'cut',
  stepId: 'cut',
  kind: 'endpoint.isolate',
  input: { id: 7 },
  attempt: 1,
  startedAt: 1,
}
const question = { via: 'operator', input: {}, answers: ['yes'], form: null }

export function auditStoreContract(subject: GetSubject): void {
  describe('audit log', () => {
    const made = 3

    /** Without the entries of the organizations and the provider of every test. */
    const entries = async () =>
      (await subject().stores.audit.list('all', {}, { limit: 200 })).data.toReversed().slice(made)
    const recorded = async () =>
      (await entries()).map(({ action, actor, subject: { kind, name } }) => [action, actor.name, kind, name])

    it('records created and revoked keys, once', async () => {
      const { keys } = subject().stores
      await keys.create(key, somebody('ana'))
      await keys.revoke(key.id, somebody('ben'))
      await keys.revoke(key.id, somebody('cyd'))
      expect(await recorded()).to.deep.equal([
        ['key.created', 'ana', 'api_key', 'forwarder'],
        ['key.revoked', 'ben', 'api_key', 'forwarder'],
      ])
    })

    it('records changes of connections, with names of fields and no values', async () => {
      const { acme, stores } = subject()
      const secrets = { token: new Secret('canary') }
      const settings = { url: 'https://a.example', region: 'eu' }
      const given = { name: 'north', plugin: 'tower', settings, secrets }
      const { uuid } = await stores.connections.create(acme.uuid, given, somebody())
      const changes = { settings: { url: 'https://b.example', region: 'eu' }, secrets, enabled: false }
      await stores.connections.update(acme.uuid, uuid, changes, undefined, somebody())
      await stores.connections.works(acme.uuid, uuid, { asOf: 1, warning: null }, somebody())
      await stores.connections.remove(acme.uuid, uuid, undefined, somebody())
      expect((await entries()).map(({ action, details }) => [action, details])).to.deep.equal([
        ['connection.created', { plugin: 'tower', settings: ['url', 'region'], secrets: ['token'] }],
        ['connection.changed', { plugin: 'tower', settings: ['url'], secrets: ['token'], enabled: false }],
        ['connection.authenticated', { plugin: 'tower' }],
        ['connection.removed', { plugin: 'tower' }],
      ])
      expect(JSON.stringify(await entries())).not.to.contain('canary')
    })

    it('records a playbook when it is published, but not if it is already live', async () => {
      const { playbooks } = subject().stores
      const playbook = { name: 'p', source: 's', origin: 'file', organizationUuid: null } as const
      for (const hash of ['1', '1', '2', '1']) await playbooks.put({ ...playbook, hash }, somebody())
      expect((await entries()).map(({ action, subject: { id } }) => [action, id])).to.deep.equal([
        ['playbook.put_in_force', '1'],
        ['playbook.put_in_force', '2'],
        ['playbook.put_in_force', '1'],
      ])
    })

    it('records actions of people on runs', async () => {
      const { stores, clock, acme } = subject()
      const queued = { organizationUuid: acme.uuid, playbookName: 'p', playbookHash: 'h', alertUuid: null }
      await stores.runs.queue(queued)
      const run = await stores.runs.queue({ ...queued, by: somebody('ana') })
      await stores.runs.start(run.uuid, { title: 'x' })
      await stores.journal.begin(run.uuid, { ...begun, kind: 'x.do' })
      await stores.journal.park(run.uuid, 'cut')
      await stores.journal.resolve(run.uuid, 'cut', { decision: 'skip', output: null, by: somebody('ben') })
      const asked = { path: 'ask', stepId: 'ask', question, timeoutAt: clock.nowMs + 10 }
      const { id } = await stores.checkpoints.open(run.uuid, asked)
      for (const name of ['cyd', 'dan'])
        await stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody(name))
      await stores.runs.cancel('all', run.uuid, somebody('eve'))
      await stores.runs.cancel('all', run.uuid, somebody('fay'))
      const before = await startedRun(subject(), null)
      await stores.runs.end(before.uuid, failed)
      const carriesOver = { runUuid: before.uuid, paths: [] }
      const retried = await stores.runs.queue({ ...queued, carriesOver, by: somebody('gus') })
      expect(await recorded()).to.deep.equal([
        ['run.started', 'ana', 'run', 'p'],
        ['step.resolved', 'ben', 'run', 'p'],
        ['checkpoint.answered', 'cyd', 'checkpoint', 'ask'],
        ['run.cancelled', 'eve', 'run', 'p'],
        ['run.retried', 'gus', 'run', 'p'],
      ])
      expect((await entries()).at(-1)).to.deep.include({
        organization_code: 'Acme',
        subject: { kind: 'run', id: retried.uuid, name: 'p' },
        details: { playbook_hash: 'h', alert: null, retry_of: before.uuid },
      })
    })

    it('records each attempt of a destructive skill and its end, but not of other skills', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      const destructive = { class: 'containment', input: { id: 7 } } as const
      await stores.journal.begin(run.uuid, { ...begun, path: 'look', kind: 'x.look' })
      await stores.journal.begin(run.uuid, { ...begun, destructive })
      await stores.journal.begin(run.uuid, { ...begun, destructive })
      await stores.journal.begin(run.uuid, { ...begun, destructive, attempt: 2 })
      const error = { code: 'timeout', message: 'x' }
      const end = { state: 'failed', output: null, error, attempt: 2, endedAt: 9 } as const
      for (const path of ['look', 'cut']) await stores.journal.end(run.uuid, path, end)
      const call = { skill: 'endpoint.isolate', path: 'cut' }
      expect((await entries()).map(({ action, details }) => [action, details])).to.deep.equal([
        ['skill.called', { ...call, attempt: 1, input: '{"id":7}' }],
        ['skill.called', { ...call, attempt: 2, input: '{"id":7}' }],
        ['skill.ended', { ...call, attempt: 2, state: 'failed', error: 'timeout' }],
      ])
      const [first] = await entries()
      expect(first?.actor).to.deep.equal({ kind: 'run', id: run.uuid, name: run.playbookName })
    })

    it('records the resolved outcome of a destructive skill', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      await stores.journal.begin(run.uuid, { ...begun, destructive: { class: 'containment', input: {} } })
      await stores.journal.park(run.uuid, 'cut')
      const end = { state: 'failed', output: null, error: null, attempt: 1, endedAt: 9 } as const
      await stores.journal.end(run.uuid, 'cut', end)
      expect((await entries()).map(({ action }) => action)).to.deep.equal(['skill.called', 'skill.ended'])
    })

    it('records nothing about refused requests, and stays intact', async () => {
      const { acme, stores } = subject()
      const given = { name: 'north', plugin: 'tower', settings: {}, secrets: {} }
      const create = (name = 'north') => stores.connections.create(acme.uuid, { ...given, name }, somebody())
      await create()
      const refused = create()
      const [, third] = await Promise.all([
        expectRejection(refused, 'ConflictError', 'connection_exists'),
        create('east'),
      ])
      expect((await entries()).map(({ sequence, subject: { name } }) => [sequence, name])).to.deep.equal([
        [made + 1, 'north'],
        [made + 2, third.name],
      ])
      const head = await stores.audit.head()
      expect(await stores.audit.verify()).to.deep.equal({ entries: made + 2, head, broken: null })
    })

    it('contains actor, time, place and request, for permitted readers', async () => {
      const { acme, globex, stores, clock } = subject()
      const by = { ...somebody('ana'), requestId: 'r-9' }
      const only = { ...key, organizationUuids: [acme.uuid] }
      await stores.keys.create(only, by)
      await stores.keys.create({ ...key, id: 'b', organizationUuids: [acme.uuid, globex.uuid] }, by)
      const { data } = await stores.audit.list([acme.uuid], {}, { limit: 10 })
      expect(data.map(({ action }) => action)).to.deep.equal(['key.created', 'organization.created'])
      expect(data[0]).to.deep.include({
        sequence: made + 1,
        at: clock.nowMs,
        actor: { kind: 'api_key', id: '0123456789ab', name: 'ana' },
        request_id: 'r-9',
        organization_uuid: acme.uuid,
        organization_code: 'Acme',
        subject: { kind: 'api_key', id: key.id, name: 'forwarder' },
      })
      expect((await stores.audit.list([globex.uuid], {}, { limit: 10 })).total).to.equal(1)
      expect((await stores.audit.list([], {}, { limit: 10 })).total).to.equal(0)
    })

    it('filters by the skill that was called or resolved', async () => {
      const { stores } = subject()
      const run = await startedRun(subject(), null)
      await stores.journal.begin(run.uuid, { ...begun, destructive: { class: 'containment', input: {} } })
      const found = async (skill: string) =>
        (await stores.audit.list('all', { skill }, { limit: 10 })).data.map(({ action }) => action)
      expect(await found('endpoint.isolate')).to.deep.equal(['skill.called'])
      expect(await found('endpoint')).to.deep.equal([])
      expect(await found('containment')).to.deep.equal([])
    })

    it('filters by time, also if the clock was set back', async () => {
      const { stores, clock } = subject()
      const from = clock.nowMs
      const times = [10, 30, 20, 40].map((later) => from + later)
      for (const [index, time] of times.entries()) {
        clock.nowMs = time
        await stores.keys.create({ ...key, id: String(index) }, somebody())
      }
      const found = async (filter: Parameters<typeof stores.audit.list>[1], oldestFirst = false) => {
        const page = await stores.audit.list(
          'all',
          { action: 'key.created', ...filter },
          { limit: 10, oldestFirst },
        )
        expect(page.total).to.equal(page.data.length)
        return page.data.map(({ at }) => at - from)
      }
      expect(await found({ before: from + 30 })).to.deep.equal([20, 10])
      expect(await found({ after: from + 30 })).to.deep.equal([40, 30])
      expect(await found({ after: from + 20, before: from + 40 }, true)).to.deep.equal([30, 20])
      expect(await found({ before: from })).to.deep.equal([])
      expect(await found({ after: from + 41 })).to.deep.equal([])
    })

    it('filters by action, actor, subject and time', async () => {
      const { stores, clock } = subject()
      await stores.keys.create(key, somebody('ana'))
      clock.nowMs += 10
      await stores.keys.revoke(key.id, somebody('ben'))
      const found = async (filter: Parameters<typeof stores.audit.list>[1]) =>
        (await stores.audit.list('all', filter, { limit: 10 })).data.map(({ action }) => action)
      const [created, revoked]: NewAuditEntry['action'][] = ['key.created', 'key.revoked']
      expect(await found({ action: created })).to.deep.equal([created])
      expect(await found({ actor: 'ben' })).to.deep.equal([revoked])
      expect(await found({ actor: '0123456789ab' })).to.have.length(made + 2)
      expect(await found({ subject: key.id })).to.have.length(2)
      expect(await found({ subject: 'x' })).to.deep.equal([])
      expect(await found({ after: clock.nowMs })).to.deep.equal([revoked])
      expect(await found({ before: clock.nowMs }))
        .to.include(created)
        .and.not.include(revoked)
    })
  })
}
