import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { sendRaw } from './support/raw-request.ts'

describe('browsers', () => {
  let api: Api
  /** Headers that fetch does not allow are sent raw. */
  async function status(headers: string): Promise<string> {
    const host = new URL(api.url).host
    const head = `GET /api/alerts HTTP/1.1\r\nHost: ${host}\r\nCookie: Session=${api.adminKey}\r\nConnection: close\r\n`
    const answer = await sendRaw(api.url, `${head}${headers}\r\n`)
    return `${answer.slice(9, 12)}${answer.includes('cross_site_request') ? ' cross-site' : ''}`
  }

  before(async () => {
    api = await startApi({ publicUrl: 'https://tocsin.example' })
  })
  after(() => api.close())

  for (const [headers, expected] of [
    ['Sec-Fetch-Site: same-origin', '200'],
    ['Sec-Fetch-Site: none', '200'],
    ['Sec-Fetch-Site: same-site', '403 cross-site'],
    ['Sec-Fetch-Site: cross-site', '403 cross-site'],
    ['Sec-Fetch-Site: Same-Origin', '403 cross-site'],
    ['Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site', '403 cross-site'],
    ['Origin: https://tocsin.example', '200'],
    ['Origin: https://tocsin.example.evil.example', '403 cross-site'],
    ['Origin: http://tocsin.example', '403 cross-site'],
    ['Origin: null', '403 cross-site'],
    ['Origin:', '403 cross-site'],
    ['Sec-Fetch-Site: same-origin\r\nOrigin: https://evil.example', '403 cross-site'],
  ] as const) {
    it(`get ${expected} for ${headers.replaceAll('\r\n', ', ')}`, async () => {
      expect(await status(`${headers}\r\n`)).to.equal(expected)
    })
  }

  it('may call the API from a page on the address of the server', async () => {
    expect(await status(`Origin: ${api.url}\r\n`)).to.equal('200')
  })

  it('may not call the API from a page whose foreign name resolves to the server (DNS rebinding)', async () => {
    for (const host of ['evil.example:18600', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      const head = `GET /api/alerts HTTP/1.1\r\nHost: ${host}\r\nCookie: Session=${api.adminKey}\r\nConnection: close\r\n`
      const answer = await sendRaw(api.url, `${head}Origin: http://${host}\r\n\r\n`)
      expect(answer, host).to.include('cross_site_request')
    }
  })

  it('may call the API from a page of any name if no public address is configured and the server is reachable by others', async () => {
    const host = 'tocsin.corp.example:18600'
    const asked = async (config: object) => {
      const other = await startApi({ publicUrl: undefined, ...config })
      const head = `GET /api/alerts HTTP/1.1\r\nHost: ${host}\r\nCookie: Session=${other.adminKey}\r\nConnection: close\r\n`
      const answer = await sendRaw(other.url, `${head}Origin: http://${host}\r\n\r\n`)
      await other.close()
      return answer.slice(9, 12)
    }
    expect(await asked({ host: '0.0.0.0' })).to.equal('200')
    expect(await asked({ trustedProxies: ['127.0.0.1'] }), 'a proxy in front').to.equal('200')
    expect(await asked({}), 'only this machine').to.equal('403')
  })

  it('are refused before the key is checked', async () => {
    const reply = await api.call('GET', '/api/alerts', {
      key: null,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(reply.status).to.equal(403)
  })

  it('get headers that forbid cross-origin use, caching, framing and content sniffing', async () => {
    for (const path of ['/api/alerts', '/api/none', '/healthz']) {
      const { headers } = await api.call('GET', path)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([])
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('content-security-policy')).to.equal("default-src 'none'; frame-ancestors 'none'")
    }
  })

  it('get HSTS only if the public address uses TLS', async () => {
    const secure = await startApi({ publicUrl: 'https://tocsin.example.com' })
    for (const path of ['/api/alerts', '/api/none', '/healthz']) {
      const { headers } = await secure.call('GET', path)
      expect(headers.get('strict-transport-security'), path).to.match(/^max-age=\d{8,}/)
    }
    await secure.close()
    const plain = await startApi()
    expect((await plain.call('GET', '/healthz')).headers.get('strict-transport-security')).to.equal(null)
    await plain.close()
  })

  it('cannot derive the number or order of requests from request ids', async () => {
    const ids: string[] = []
    for (let n = 0; n < 20; n++)
      ids.push((await api.call('GET', '/healthz')).headers.get('x-request-id') ?? '')
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    // No column of them is constant, except for the version, or always increases, which 20 random ones would
    // never do.
    for (let at = 0; at < 36; at += 9)
      expect(new Set(ids.map((id) => id.slice(at, at + 4))).size).to.be.above(3)
    expect(ids.toSorted()).to.not.deep.equal(ids)
  })
})
