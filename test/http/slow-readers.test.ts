import { expect } from 'chai'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { stub as stubMethod } from 'sinon'
import { eventually } from '../support/eventually.ts'
import { startApi, type Api } from './support/api.ts'

const alerts = 12
const asked = 24

describe('slow readers', () => {
  let api: Api
  const sockets: Socket[] = []
  /** Server sides of connections. */
  const accepted: Socket[] = []
  const accept = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
  const limits = { maxAnswersBytes: 3 * 1_048_576, answerTimeoutMs: 1_000 }

  before(async () => {
    subscribe('net.server.socket', accept)
    api = await startApi({ limits })
    const alert = { alert_provider: 'SIEM', organization_code: 'acme', alert_content: 'x'.repeat(90_000) }
    for (let n = 0; n < alerts; n++) await api.call('POST', '/api/alerts', { body: alert })
  })
  after(async () => {
    unsubscribe('net.server.socket', accept)
    await api.close()
  })
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()))

  const request = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: Session=${api.adminKey}\r\n\r\n`

  /** Requests about a megabyte many times, and reads nothing until it is resumed. */
  function ask(times = asked) {
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    const state = { socket, answers: 0, isClosed: false }
    // A chunk may end inside of it.
    const [head, seen] = ['HTTP/1.1 200', { end: '' }]
    socket.on('connect', () => socket.write(request('/api/alerts?content=true').repeat(times)))
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const text = seen.end + chunk
      state.answers += text.split(head).length - 1
      seen.end = text.slice(1 - head.length)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => (state.isClosed = true))
    socket.pause()
    return state
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  it('that stall are disconnected', async () => {
    const reader = ask()
    await once(reader.socket, 'connect')
    const { localPort } = reader.socket
    const served = await eventually('the connection', () =>
      accepted.find((one) => one.remotePort === localPort),
    )
    await eventually('that the server closes it', () => served.destroyed || undefined)
    reader.socket.resume()
    await eventually('the end of the connection', () => reader.isClosed || undefined)
    expect(reader.answers).to.be.below(asked)
  })

  it('that disconnect during a response cause no error in the log', async () => {
    const left = () => api.logged.filter(({ message }) => message.includes('answer'))
    for (const leave of ['resetAndDestroy', 'destroy'] as const) {
      const before = left().length
      const reader = ask()
      await once(reader.socket, 'connect')
      reader.socket.once('readable', () => reader.socket[leave]())
      await eventually('the end of the answer', () => left().length > before || undefined)
    }
    expect(new Set(left().map(({ level, message }) => `${level} ${message}`))).to.deep.equal(
      new Set(['debug client left before the end of the answer']),
    )
  })

  it('that keep reading receive everything', async () => {
    const reader = ask()
    const slowly = setInterval(() => {
      reader.socket.resume()
      setTimeout(() => reader.socket.pause(), 5)
    }, 50)
    await eventually('all answers', () => reader.answers === asked || undefined)
    clearInterval(slowly)
    expect(reader.isClosed).to.equal(false)
  })

  it('get their response if buffers are full, because the longest-stalled readers are disconnected', async () => {
    const slow = Array.from({ length: 8 }, () => ask())
    await eventually('answers that wait', async () => {
      await pause(20)
      return (await api.call('GET', '/api/alerts?content=true')).status === 200 || undefined
    })
    expect((await api.call('GET', '/api/alerts?content=true')).json.total).to.equal(alerts)
    for (const { socket } of slow) socket.resume()
    await eventually(
      'the end of some of them before they had everything',
      () => slow.some(({ isClosed, answers }) => isClosed && answers < asked) || undefined,
    )
    expect((await api.call('GET', '/healthz', { key: null })).status).to.equal(200)
  })

  it('that pipeline requests wait their turn', async () => {
    const list = api.stores.providers.list.bind(api.stores.providers)
    const { promise: go, resolve: letGo } = Promise.withResolvers<void>()
    const stub = stubMethod(api.stores.providers, 'list').callsFake(async () => {
      await go
      return await list()
    })
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.write(request('/api/providers').repeat(3))
    await eventually('the first request', () => stub.callCount || undefined)
    await api.call('GET', '/readyz')
    expect(stub.callCount).to.equal(1)
    letGo()
    await eventually('three answers', () => text.split('HTTP/1.1 200').length === 4 || undefined)
    expect(stub.callCount).to.equal(3)
    stub.restore()
  })

  it('that pipeline too much are disconnected', async () => {
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    let isClosed = false
    socket.on('error', () => undefined)
    socket.on('close', () => (isClosed = true))
    socket.resume()
    socket.write(request('/api/providers').repeat(2_000))
    await eventually('the end of the connection', () => isClosed || undefined)
    expect((await api.call('GET', '/healthz', { key: null })).status).to.equal(200)
  })
})
