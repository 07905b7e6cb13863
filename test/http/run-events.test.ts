import type { Mask } from '../../core/domain/mask.ts'
import { expect } from 'chai'
import { connect } from 'node:net'
import { spy } from 'sinon'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api, type Reply } from './support/api.ts'
import { readEvents, type EventReader } from './support/event-reader.ts'
import { expectFits, expectProblem } from './support/schemas.ts'
import { manualPlaybook } from './support/things.ts'
import { sendRaw } from './support/raw-request.ts'
import { somebody } from '../support/somebody.ts'

const limits = {
  maxStreams: 6,
  maxStreamsOfKey: 4,
  maxStreamsOfOrganizations: 5,
  heartbeatMs: 50,
  answerTimeoutMs: 1_000,
}
const hourMs = 3_600_000

describe('events of a run', () => {
  let api: Api
  const readers: EventReader[] = []

  async function start(changes: Partial<typeof limits> = {}): Promise<void> {
    api = await startApi({
      limits: { ...limits, ...changes },
      sessions: { idleMs: hourMs, maxMs: 10 * hourMs },
    })
    api.playbooks.push(manualPlaybook)
  }
  /** Replaces the running one: keys are checked and events sent only on request. */
  async function startWithoutHeartbeat(): Promise<void> {
    await api.close()
    await start({ heartbeatMs: hourMs })
  }

  beforeEach(() => start())
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close()
    await api.close()
  })

  async function startRun(): Promise<string> {
    const { name: playbookName, hash: playbookHash } = manualPlaybook
    const organizationUuid = api.organizations['acme'] ?? ''
    const given = { organizationUuid, playbookName, playbookHash, alertUuid: null, inputs: { user: 'eve' } }
    const { uuid } = await api.stores.runs.queue(given)
    await api.stores.runs.start(uuid, { title: 'A case' })
    return uuid
  }
  const step = (path: string) => ({
    path,
    stepId: path,
    kind: 'tower.look_up',
    input: { kind: 'ip', value: 'x' },
  })
  const begin = (uuid: string, path: string) =>
    api.stores.journal.begin(uuid, { ...step(path), startedAt: 1, attempt: 1 })
  const end = (uuid: string, path: string, output: unknown = { keeper: 'hunchback' }) =>
    api.stores.journal.end(uuid, path, { state: 'completed', output, error: null, attempt: 1, endedAt: 2 })
  const complete = (uuid: string) =>
    api.stores.runs.end(uuid, { status: 'completed', output: { ok: true }, error: null })

  const pathOf = (uuid: string): string => `/api/runs/${uuid}/events`
  async function follow(uuid: string, lastId?: string, key = api.adminKey): Promise<EventReader> {
    const reader = await readEvents(`${api.url}${pathOf(uuid)}`, { cookie: `Session=${key}` }, lastId)
    readers.push(reader)
    return reader
  }
  const requestOf = (uuid: string): string =>
    `GET ${pathOf(uuid)} HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\n\r\n`
  const said = ({ events }: EventReader) =>
    events.map(({ event, data }) =>
      event === 'step' ? `${data.path} ${data.state}` : `${event} ${data.status}`,
    )
  const cookieOf = (reply: Reply) => /^[^;]+/.exec(reply.headers.get('set-cookie') ?? '')?.[0] ?? ''

  it('replay the past, then follow the run until it ends', async () => {
    const uuid = await startRun()
    await begin(uuid, 'a')
    const reader = await follow(uuid)
    expect(reader.status).to.equal(200)
    expect(Object.fromEntries(reader.headers)).to.include({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    await reader.count(2)
    expect(said(reader)).to.deep.equal(['run running', 'a started'])
    await end(uuid, 'a')
    await reader.count(3)
    await begin(uuid, 'b')
    await complete(uuid)
    await reader.over()
    expect(said(reader).slice(2)).to.deep.equal([
      'a completed',
      'run completed',
      'b started',
      'end completed',
    ])
    expect(reader.text()).to.match(/^retry: \d+\n\n/)
    expect(reader.text()).to.include('\n\nevent: heartbeat\ndata: {}\n\n')
  })

  it('match the run exactly and leave out sensitive values', async () => {
    const uuid = await startRun()
    await begin(uuid, 'a')
    await end(uuid, 'a')
    await complete(uuid)
    const reader = await follow(uuid)
    await reader.over()
    const { steps, steps_total: _, ...run } = (await api.call('GET', `/api/runs/${uuid}`)).json
    expect(reader.events.map(({ event, data }) => [event, data])).to.deep.equal([
      ['run', run],
      ['step', steps[0]],
      ['end', { run_uuid: uuid, status: 'completed' }],
    ])
    expect(JSON.stringify(run) + JSON.stringify(steps)).to.not.include('hunchback')
    expect(reader.text()).to.not.include('hunchback')
  })

  it('continue at the cursor of a reader, and end at once for one that has the last event', async () => {
    const uuid = await startRun()
    await begin(uuid, 'a')
    await begin(uuid, 'b')
    const first = await follow(uuid)
    await first.count(3)
    // Cut after each of them.
    for (const [n, { id }] of first.events.entries()) {
      const again = await follow(uuid, id)
      await again.count(2 - n)
      expect(said(again)).to.deep.equal(said(first).slice(n + 1))
      again.close()
    }
    first.close()
    await end(uuid, 'a')
    await begin(uuid, 'c')
    const second = await follow(uuid, first.lastId())
    await second.count(2)
    expect(said(second)).to.deep.equal(['a completed', 'c started'])
    second.close()
    await complete(uuid)
    const third = await follow(uuid, second.lastId())
    await third.over()
    expect(said(third)).to.deep.equal(['run completed', 'end completed'])
    const { status, text } = await api.call('GET', pathOf(uuid), {
      headers: { 'last-event-id': third.lastId() ?? '' },
    })
    expect([status, text]).to.deep.equal([204, ''])
  })

  it('read a journal once, then only new and unfinished entries', async () => {
    const uuid = await startRun()
    await Promise.all(Array.from({ length: 500 }, (_, n) => begin(uuid, `s${n}`)))
    await Promise.all(Array.from({ length: 498 }, (_, n) => end(uuid, `s${n}`)))
    const reader = await follow(uuid)
    await reader.count(501)
    const [chunk, line] = [spy(api.stores.journalReader, 'readChunk'), spy(api.stores.journalReader, 'line')]
    const read = async () => (await Promise.all(chunk.returnValues)).flatMap(({ lines }) => lines).length
    await end(uuid, 's499')
    await begin(uuid, 'new')
    await reader.count(503)
    expect(said(reader).slice(501)).to.have.members(['s499 completed', 'new started'])
    expect([await read(), line.callCount]).to.deep.equal([1, 1])
    expect(chunk.calledWithMatch(uuid, { after: undefined })).to.equal(false)
    reader.close()
    const again = await follow(uuid, reader.lastId())
    await end(uuid, 's498')
    await again.count(1)
    expect(said(again)).to.deep.equal(['s498 completed'])
    expect(await read()).to.equal(1)
    chunk.restore()
    line.restore()
  })

  it('hide sensitive values by path and keep equal words elsewhere', async () => {
    const uuid = await startRun()
    const reader = await follow(uuid)
    const told = async (path: string, kind: string, output: unknown, mask?: Mask) => {
      const before = reader.events.length
      const sensitive = mask === undefined ? undefined : { output: mask }
      const entry = { path, stepId: path, kind, input: null, sensitive, attempt: 1, startedAt: 1 }
      const over = { state: 'completed', output, error: null, attempt: 1, endedAt: 2 } as const
      await api.stores.journal.record(uuid, entry, over)
      await reader.count(before + 1)
      return reader.events.at(-1)?.data.output as unknown
    }
    await reader.count(1)
    expect(await told('a', 'set', 'a hunchback')).to.equal('a hunchback')
    expect(await told('b', 'tower.look_up', { keeper: 'hunchback' })).to.deep.equal({ keeper: '[redacted]' })
    expect(await told('c', 'set', 'a hunchback')).to.equal('a hunchback')
    const derived = { open: 'hunchback', said: ['a hunchback', 'x'] }
    expect(await told('d', 'set', derived, { fields: { said: { items: true } } })).to.deep.equal({
      open: 'hunchback',
      said: ['[redacted]', '[redacted]'],
    })
    expect(await told('e', 'set', 'a hunchback', true)).to.equal('[redacted]')
    expect(reader.events.at(-1)?.data).to.include({ path: 'e', state: 'completed' })
    const { json } = await api.call('GET', `/api/runs/${uuid}`)
    expectFits('run', json)
    expect(json.inputs).to.deep.equal({ user: 'eve' })
  })

  it('restart for a reader whose cursor is ahead of the run, as after a restore', async () => {
    const uuid = await startRun()
    await begin(uuid, 'a')
    const first = await follow(uuid)
    await first.count(2)
    const again = await follow(uuid, first.lastId()?.replace('.1.', '.7.'))
    await again.count(2)
    expect(said(again)).to.deep.equal(['run running', 'a started'])
  })

  it('include failed attempts and decisions of people', async () => {
    const uuid = await startRun()
    const reader = await follow(uuid)
    await begin(uuid, 'a')
    await reader.count(2)
    const error = { code: 'x', message: 'x' }
    await api.stores.journal.attemptFailed(uuid, {
      path: 'a',
      attempt: 1,
      error,
      startedAt: 1,
      endedAt: 2,
      retryAt: 3,
    })
    await reader.count(3)
    expect(reader.events[2]?.data.failed_attempts).to.have.length(1)
    await api.stores.journal.park(uuid, 'a')
    await reader.count(5)
    expect(said(reader).slice(3)).to.deep.equal(['run waiting', 'a unknown'])
    await api.stores.journal.resolve(uuid, 'a', { decision: 'skip', output: null, by: somebody() })
    await reader.count(7)
    expect(said(reader).slice(5)).to.deep.equal(['run running', 'a skipped'])
  })

  it('answer HEAD without events', async () => {
    const uuid = await startRun()
    const text = await sendRaw(
      api.url,
      `HEAD ${pathOf(uuid)} HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\n\r\n`,
    )
    expect(text).to.match(/^HTTP\/1\.1 200 OK\r\n[^]*content-type: text\/event-stream\r\n[^]*\r\n\r\n$/i)
  })

  it('end at once if the key is revoked', async () => {
    await startWithoutHeartbeat()
    const uuid = await startRun()
    const key = await api.newKey('reader')
    const [revoked, another] = [await follow(uuid, undefined, key), await follow(uuid)]
    await api.stores.keys.revoke(key.split('_')[1] ?? '', somebody())
    await revoked.over()
    await begin(uuid, 'a')
    await another.count(2)
    expectProblem(await api.call('GET', pathOf(uuid), { key }), 401, 'key_invalid')
  })

  it('end at once if the secret or the addresses of the key change', async () => {
    await startWithoutHeartbeat()
    const uuid = await startRun()
    const [rotated, moved] = [await api.newKey('reader'), await api.newKey('reader')]
    const streams = [await follow(uuid, undefined, rotated), await follow(uuid, undefined, moved)] as const
    const headers = { 'if-match': '*' }
    api.clock.time += 1
    await api.call('POST', `/api/keys/${rotated.split('_')[1]}/rotate`, { body: {} })
    await streams[0].over()
    expect(streams[1].isOver()).to.equal(false)
    await api.call('PATCH', `/api/keys/${moved.split('_')[1]}`, {
      body: { allowed_addresses: ['192.0.2.7'] },
      headers,
    })
    await streams[1].over()
  })

  it('end when the key expires', async () => {
    const uuid = await startRun()
    const key = await api.newKey('reader', undefined, api.clock.time + hourMs)
    const [expiring, another] = [await follow(uuid, undefined, key), await follow(uuid)]
    await expiring.count(1)
    api.clock.time += hourMs
    await expiring.over()
    expect(another.isOver()).to.equal(false)
  })

  it('end with the session, by sign-out or idle time, which an open stream does not extend', async () => {
    const uuid = await startRun()
    const signIn = async () =>
      cookieOf(await api.call('POST', '/api/session', { key: null, body: { api_key: api.adminKey } }))
    const open = async (cookie: string) => {
      const reader = await readEvents(`${api.url}${pathOf(uuid)}`, { cookie })
      readers.push(reader)
      await reader.count(1)
      return reader
    }
    const [one, other] = [await signIn(), await signIn()]
    const [signedOut, idle] = [await open(one), await open(other)]
    await api.call('DELETE', '/api/session', { key: null, headers: { cookie: one } })
    await signedOut.over()
    expect(idle.isOver()).to.equal(false)
    api.clock.time += hourMs
    await idle.over()
  })

  it('are limited per key, per set of organizations and in total, and an ended stream makes room', async () => {
    const uuid = await startRun()
    const [reader, ofAcme] = [await api.newKey('reader'), await api.newKey('reader', ['acme'])]
    for (let n = 0; n < limits.maxStreamsOfKey; n++) await follow(uuid)
    expectProblem(await api.call('GET', pathOf(uuid)), 429, 'too_many_event_streams')
    await follow(uuid, undefined, reader)
    expectProblem(await api.call('GET', pathOf(uuid), { key: reader }), 429, 'too_many_event_streams')
    await follow(uuid, undefined, ofAcme)
    const full = await api.call('GET', pathOf(uuid), { key: ofAcme })
    expectProblem(full, 503, 'event_streams_full')
    expect(full.headers.get('retry-after')).to.equal('10')
    expect((await api.call('GET', `/api/runs/${uuid}`)).status).to.equal(200)
    readers[0]?.close()
    await eventually('room', async () => {
      const { status } = await api.call('GET', pathOf(uuid), { key: reader })
      return status === 200 || undefined
    })
  })

  it('are counted per key across its sessions', async () => {
    const uuid = await startRun()
    for (let n = 0; n <= limits.maxStreamsOfKey; n++) {
      const signedIn = await api.call('POST', '/api/session', { key: null, body: { api_key: api.adminKey } })
      const headers = { cookie: cookieOf(signedIn) }
      if (n < limits.maxStreamsOfKey) readers.push(await readEvents(`${api.url}${pathOf(uuid)}`, headers))
      else
        expectProblem(
          await api.call('GET', pathOf(uuid), { key: null, headers }),
          429,
          'too_many_event_streams',
        )
    }
  })

  it('disconnect a stalled reader, which can continue at its cursor', async () => {
    await api.close()
    await start({ maxStreamsOfKey: 1 })
    const uuid = await startRun()
    const large = 'x'.repeat(1_000_000)
    for (let n = 0; n < 20; n++) {
      await begin(uuid, `s${n}`)
      await end(uuid, `s${n}`, { text: large })
    }
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    let received = ''
    let isClosed = false
    socket.on('data', (chunk) => (received += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => (isClosed = true))
    socket.pause()
    socket.write(requestOf(uuid))
    await eventually('the first bytes', () => socket.readableLength > 0 || undefined)
    expect((await follow(uuid)).status, 'while it is not left').to.equal(429)
    const other = await eventually('room for another reader', async () => {
      const reader = await follow(uuid)
      return reader.status === 200 ? reader : undefined
    })
    other.close()
    socket.resume()
    await eventually('the end of the connection', () => isClosed || undefined)
    const ids = [...received.matchAll(/\nid: (\S+)\ndata: .*\n\n/g)]
    expect(ids.length).to.be.within(1, 20)
    const again = await eventually('room for the next one', async () => {
      const reader = await follow(uuid, ids.at(-1)?.[1])
      return reader.status === 200 ? reader : undefined
    })
    await again.count(21 - ids.length)
    expect(said(again)[0]).to.equal(`s${ids.length - 1} completed`)
    expect(said(again)).to.have.length(21 - ids.length)
  })

  it('all reach a slow reader, also after a long idle time', async () => {
    await startWithoutHeartbeat()
    const uuid = await startRun()
    for (let n = 0; n < 40; n++) {
      await begin(uuid, `s${n}`)
      await end(uuid, `s${n}`, { text: 'x'.repeat(200_000) })
    }
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    let steps = 0
    let rest = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      // With the end of the previous chunk, because a counted text may be split between chunks.
      const parts = `${rest}${piece}`.split('event: step')
      steps += parts.length - 1
      rest = parts.at(-1)?.slice(-10) ?? ''
    })
    socket.pause()
    socket.write(requestOf(uuid))
    let pausing: NodeJS.Timeout | undefined
    const slowly = setInterval(() => {
      socket.resume()
      pausing = setTimeout(() => socket.pause(), 5)
    }, 30)
    await eventually('all steps', () => steps >= 40 || undefined)
    clearInterval(slowly)
    clearTimeout(pausing)
    socket.resume()
    await new Promise((resolve) => setTimeout(resolve, 1.5 * limits.answerTimeoutMs))
    await begin(uuid, 'another')
    await eventually('another one', () => steps > 40 || undefined)
    expect(steps).to.equal(41)
    socket.destroy()
  })

  it('do not delay the shutdown of the server', async () => {
    const uuid = await startRun()
    const reader = await follow(uuid)
    const other = await startApi({ limits })
    await reader.count(1)
    const closed = api.close()
    await reader.over()
    await closed
    // For the hook that closes it.
    api = other
  })
})
