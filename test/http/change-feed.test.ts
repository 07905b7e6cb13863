import { expect } from 'chai'
import { EventEmitter } from 'node:events'
import { permissionsOf } from '../../core/access/permissions.ts'
import type { Role } from '../../core/domain/api-key.ts'
import type { Change, ChangeSource } from '../../core/domain/change.ts'
import type { OrganizationScope } from '../../core/ports/common.ts'
import { createChangeFeed } from '../../server/http/events/change-feed.ts'
import type { StreamEvent } from '../../server/http/events/event-text.ts'
import { visibleChanges } from '../../server/http/events/feed-view.ts'
import { GatheredChanges } from '../../server/http/events/gathered-changes.ts'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api } from './support/api.ts'
import { readEvents, type EventReader } from './support/event-reader.ts'
import { thingsOf } from './support/things.ts'

const reader = (role: Role, scope: OrganizationScope) => ({
  grants: [{ role, permissions: permissionsOf(role, []), scope }],
})

const shared = ['playbook', 'organization', 'provider', 'engine']
const kinds: Readonly<Record<'reader' | 'analyst' | 'admin', readonly string[]>> = {
  reader: ['alert', 'run', 'case', 'checkpoint', 'containment', 'connection', ...shared],
  analyst: ['alert', 'run', 'case', 'checkpoint', 'containment', 'connection', ...shared],
  admin: [
    'alert',
    'run',
    'case',
    'checkpoint',
    'containment',
    'connection',
    ...shared,
    'key',
    'account',
    'audit',
  ],
}

describe('the stream of changes', () => {
  let api: Api
  const readers: EventReader[] = []

  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close()
    await api.close()
  })

  async function follow(key = api.adminKey): Promise<EventReader> {
    const reader = await readEvents(`${api.url}/api/events`, { cookie: `Session=${key}` })
    readers.push(reader)
    await reader.count(1)
    return reader
  }
  const post = (organization_code: string) =>
    api.call('POST', '/api/alerts', {
      body: { alert_content: 'secret', alert_provider: 'SIEM', organization_code },
    })
  const said = ({ events }: EventReader) =>
    events.slice(1).map(({ event, data }) => [event, data.organization_code, data.id])

  it('starts with every kind that the reader may see, because earlier changes are unknown', async () => {
    for (const role of ['reader', 'analyst', 'admin'] as const) {
      const reader = await follow(await api.newKey(role))
      const { event, data } = reader.events[0]!
      expect(event).to.equal('many')
      expect(data.kinds).to.have.members(kinds[role])
    }
  })

  it('names the changed objects without their content', async () => {
    const reader = await follow()
    const { json } = await post('acme')
    await reader.count(2)
    expect(said(reader)).to.deep.equal([['alert', 'acme', json.alert_id]])
    expect(reader.text()).to.not.include('secret')
    const [checkpoint = ''] = (await thingsOf(api, 'globex').checkpoint())['checkpoint'] ?? []
    await eventually(
      'the checkpoint',
      () => reader.events.some(({ data }) => data.id === checkpoint) || undefined,
    )
    expect(said(reader).map(([kind, code]) => `${kind} ${code}`)).to.include.members([
      'alert globex',
      'run globex',
      'case globex',
      'checkpoint globex',
    ])
  })

  it('hides other organizations and kinds that the role may not read', async () => {
    // Creates all keys before the first stream, because streams report new keys with a delay.
    const ownKey = await api.newKey('reader', ['acme'])
    const foreignKey = await api.newKey('admin', ['globex'])
    const [own, foreign, all] = await Promise.all([follow(ownKey), follow(foreignKey), follow()])
    const things = thingsOf(api, 'acme')
    await things.checkpoint()
    await things.connection()
    await things.key()
    await eventually('all of it', () => {
      const seen = new Set(all.events.map(({ event }) => event))
      return (
        ['checkpoint', 'connection', 'key', 'audit', 'alert', 'run'].every((kind) => seen.has(kind)) ||
        undefined
      )
    })
    // The last changes prove that these streams have received the earlier ones, too.
    await api.call('POST', '/api/providers', { body: { code: 'next', name: 'Next' } })
    for (const reader of [own, foreign])
      await eventually(
        'the provider',
        () => reader.events.some(({ event }) => event === 'provider') || undefined,
      )
    expect(said(foreign)).to.deep.equal([['provider', null, 'next']])
    expect(new Set(said(own).map(([kind]) => kind))).to.deep.equal(
      new Set(['alert', 'run', 'case', 'checkpoint', 'connection', 'provider']),
    )
  })

  it('summarizes a storm', async () => {
    const reader = await follow()
    const alerts = 2_000
    const write = () =>
      api.stores.alerts.create({
        content: 'x',
        provider: 'SIEM',
        organizationUuid: api.organizations['acme'] ?? '',
        type: 't',
        createdAtSource: null,
        createdBy: 'x',
      })
    for (let n = 0; n < alerts; n += 100) await Promise.all(Array.from({ length: 100 }, write))
    await eventually('the end of the storm', async () => {
      await post('globex')
      await new Promise((resolve) => setTimeout(resolve, 600))
      return reader.text().includes('"globex"') || undefined
    })
    const many = reader.events.slice(1).filter(({ event }) => event === 'many')
    expect(many.length).to.be.within(1, alerts / 100)
    for (const { data } of many) expect(data).to.deep.equal({ kinds: ['alert'] })
    expect(reader.events.length).to.be.below(alerts / 20)
  })
})

describe('a change stream with a stalled reader', () => {
  it('sends less, and a summary once the reader continues', async () => {
    const changes = new EventEmitter<{ changed: [readonly Change[]] }>()
    const source: ChangeSource = {
      listen(listener) {
        changes.on('changed', listener)
        return () => void changes.off('changed', listener)
      },
    }
    const feed = createChangeFeed(source, { organizationCode: async () => 'acme' })
    const { promise: room, resolve: makeRoom } = Promise.withResolvers<void>()
    const over = new AbortController()
    const sent: StreamEvent[] = []
    const stream = {
      isFull: false,
      over: over.signal,
      taken: () => room,
      send: (event: StreamEvent) => void sent.push(event),
    }
    const followed = feed.follow(stream, reader('admin', 'all'))
    const other: StreamEvent[] = []
    void feed.follow({ ...stream, send: (event) => void other.push(event) }, reader('admin', 'all'))
    stream.isFull = true
    for (const kind of ['alert', 'run', 'alert'] as const) {
      const before = other.length
      changes.emit('changed', [{ kind, organizationUuid: 'a', id: () => 'x' }])
      await eventually('the next window', () => other.length > before || undefined)
    }
    expect(sent.splice(0).map(({ event }) => event)).to.deep.equal(['many'])
    stream.isFull = false
    makeRoom()
    await eventually('what was missed', () => sent[0])
    expect(sent).to.deep.equal([{ event: 'many', data: { kinds: ['alert', 'run'] } }])
    over.abort()
    await followed
    expect(changes.listenerCount('changed')).to.equal(0)
  })
})

describe('collected changes', () => {
  const change = (kind: Change['kind'], organizationUuid: string | null, id: string): Change => ({
    kind,
    organizationUuid,
    id: () => id,
  })
  const admin = reader('admin', 'all')
  const told = (changes: readonly Change[], reader: Parameters<typeof visibleChanges>[1] = admin) => {
    const gathered = new GatheredChanges()
    for (const one of changes) gathered.add(one)
    return visibleChanges(gathered.take(), reader)
  }
  const alerts = (count: number, organization = 'a') =>
    Array.from({ length: count }, (_, n) => change('alert', organization, `${organization}-${n}`))

  it('count each object once and name up to five per kind', () => {
    const { named, many } = told([...alerts(5), ...alerts(5), change('run', 'a', 'r')])
    expect(named.map(({ id }) => id)).to.deep.equal(['a-0', 'a-1', 'a-2', 'a-3', 'a-4', 'r'])
    expect(many).to.deep.equal([])
    expect(told([...alerts(6), change('run', 'a', 'r')])).to.deep.equal({
      named: [{ kind: 'run', organizationUuid: 'a', id: 'r' }],
      many: ['alert'],
    })
  })

  it('are summarized separately per reader scope', () => {
    const changes = [...alerts(3, 'a'), ...alerts(3, 'b')]
    expect(told(changes).many).to.deep.equal(['alert'])
    expect(told(changes, reader('reader', ['b'])).named.map(({ id }) => id)).to.deep.equal([
      'b-0',
      'b-1',
      'b-2',
    ])
  })

  it('skip the lookup of the organization once a kind is summarized', () => {
    let asked = 0
    const counting = { kind: 'alert', organizationUuid: 'a', id: () => `x${asked++}` } as const
    expect(told(Array.from({ length: 1_000 }, () => counting)).many).to.deep.equal(['alert'])
    expect(asked).to.equal(6)
  })

  it('without an organization reach every reader if the kind is shared, else unscoped readers only', () => {
    const changes = [change('key', null, 'k'), change('playbook', null, 'p'), change('audit', null, '1')]
    const idsFor = (scope: 'all' | readonly string[]) =>
      told(changes, reader('admin', scope)).named.map(({ id }) => id)
    expect(idsFor('all')).to.deep.equal(['k', 'p', '1'])
    expect(idsFor(['a'])).to.deep.equal(['p'])
  })
})
