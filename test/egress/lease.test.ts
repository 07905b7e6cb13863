import { expect } from 'chai'
import { RetryableError } from '../../core/plugin/index.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { serveHttp, type TestServer } from './servers.ts'

const signal = new AbortController().signal

describe('requests of a process without its lease', () => {
  let egress: ClosableEgress
  let remote: TestServer
  let seen: string[]
  let isHeld: () => boolean
  beforeEach(async () => {
    seen = []
    isHeld = () => true
    remote = await serveHttp((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      response.end('{}')
    })
    egress = createEgress({ allowPrivate: ['127.0.0.1'], lease: { isHeld: () => isHeld() } })
  })
  afterEach(async () => {
    egress.close()
    await remote.close()
  })

  const send = (method: string, path: string) =>
    egress.send({
      method,
      url: `${remote.url}${path}`,
      headers: {},
      body: method === 'GET' ? undefined : '{}',
      isConnection: true,
      signal,
    })
  async function refused(sending: Promise<unknown>): Promise<void> {
    const error = await sending.then(
      () => expect.fail('it was sent'),
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(RetryableError)
    expect(error).to.deep.include({ code: 'lease_over', details: { effect: 'none' } })
  }

  it('are not sent', async () => {
    isHeld = () => false
    await refused(send('POST', '/a'))
    expect(remote.connections()).to.equal(0)
  })

  it('are not sent if the lease ends while the connection is opened', async () => {
    let asked = 0
    isHeld = () => ++asked < 2
    await refused(send('POST', '/a'))
    expect(asked).to.equal(2)
    isHeld = () => true
    await send('POST', '/b')
    expect(seen).to.deep.equal(['POST /b'])
  })

  it('are not sent over a connection that is open already', async () => {
    await send('POST', '/a')
    let asked = 0
    isHeld = () => ++asked < 2
    await refused(send('POST', '/b'))
    expect(asked).to.equal(2)
    isHeld = () => true
    await send('POST', '/c')
    expect(seen).to.deep.equal(['POST /a', 'POST /c'])
  })
})
