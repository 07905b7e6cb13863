import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { sendRaw } from './support/raw-request.ts'

describe('pipelined requests', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const answered = async (count: number) => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    const answers = await sendRaw(api.url, request.repeat(count))
    return answers.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0
  }

  it('are answered in order', async () => {
    expect(await answered(50)).to.equal(50)
  })

  it('are answered up to about a hundred, then the connection is closed', async () => {
    expect(await answered(150)).to.be.within(100, 150)
    expect(await answered(1_000)).to.be.within(100, 200)
  })

  it('are cut off if there are very many', async () => {
    expect(await answered(20_000)).to.be.below(1_000)
    expect((await api.call('GET', '/healthz')).status).to.equal(200)
  })
})
