import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { loadPage } from '../../server/http/page/load-page.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { startApi, type Api } from './support/api.ts'

const script = 'console.log("Tocsin");\n'.repeat(200)

async function build(folder: string): Promise<void> {
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<script nonce="__nonce__" src="/assets/a-1.js"></script>')
  await writeFile(join(folder, 'assets/a-1.js'), script)
  await writeFile(join(folder, 'assets/b-1.txt'), 'b')
}

describe('the web page over HTTP', () => {
  let api: Api
  let folder: TemporaryFolder
  before(async () => {
    folder = await makeTemporaryFolder()
    await build(folder.path)
    api = await startApi({}, await loadPage(folder.path))
  })
  after(async () => {
    await api.close()
    await folder.remove()
  })

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${api.url}${path}`, { headers })

  for (const path of [
    '/',
    '/alerts',
    '/alerts/main-splunk-1',
    '/runs/x',
    '/cases',
    '/playbooks',
    '/connections',
  ]) {
    it(`is served at ${path} without a key, even after a link from another site`, async () => {
      const reply = await get(path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })
      expect(reply.status).to.equal(200)
      expect(reply.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(reply.headers.get('cache-control')).to.equal('no-store')
    })
  }

  it('has a policy that allows only its own files, and style elements with a fresh nonce', async () => {
    const nonces = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const reply = await get('/')
      const policy = reply.headers.get('content-security-policy') ?? ''
      const nonce = /style-src 'self' 'nonce-([\w+/]{22}==)'/.exec(policy)?.[1] ?? ''
      nonces.add(nonce)
      expect(await reply.text()).to.equal(`<script nonce="${nonce}" src="/assets/a-1.js"></script>`)
      expect(policy).to.contain("default-src 'none'; script-src 'self'; ")
      expect(policy).to.contain("frame-ancestors 'none'")
      expect(policy).to.contain("require-trusted-types-for 'script'; trusted-types default")
      expect(policy).not.to.contain('unsafe')
    }
    expect(nonces.size).to.equal(3)
  })

  it('sends its files compressed and immutable', async () => {
    const reply = await get('/assets/a-1.js', { 'accept-encoding': 'br' })
    expect(reply.headers.get('content-encoding')).to.equal('br')
    expect(reply.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
    expect(reply.headers.get('content-type')).to.equal('text/javascript; charset=utf-8')
    expect(reply.headers.get('x-content-type-options')).to.equal('nosniff')
    expect(await reply.text()).to.equal(script)
    const plain = await get('/assets/a-1.js', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).to.equal(null)
    expect(await plain.text()).to.equal(script)
  })

  it('sends files uncompressed if compression does not shrink them', async () => {
    for (const encoding of ['br', 'gzip']) {
      const reply = await get('/assets/b-1.txt', { 'accept-encoding': encoding })
      expect(reply.headers.get('content-encoding'), encoding).to.equal(null)
      expect(await reply.text()).to.equal('b')
    }
  })

  it('compresses a file once per encoding under concurrent requests', async () => {
    const file = (await loadPage(folder.path))?.files.get('/assets/a-1.js')
    const [first, second, gzip] = await Promise.all([
      file?.compressed('br'),
      file?.compressed('br'),
      file?.compressed('gzip'),
    ])
    expect(first).to.equal(second)
    expect(gunzipSync(gzip!).toString()).to.equal(script)
  })

  it('answers 304 for an unchanged file', async () => {
    const etag = (await get('/assets/a-1.js')).headers.get('etag') ?? ''
    const reply = await get('/assets/a-1.js', { 'if-none-match': etag })
    expect([reply.status, await reply.text()]).to.deep.equal([304, ''])
  })

  for (const path of [
    '/assets/none.js',
    '/assets/..%2f..%2fpackage.json',
    '/Alerts',
    '//alerts',
    '/api/nothing',
    '/index.html',
    '/package.json',
  ]) {
    it(`is not served at ${path}`, async () => {
      const reply = await get(path)
      expect(reply.status).to.equal(404)
      expect(reply.headers.get('content-type')).to.equal('application/problem+json')
    })
  }

  it('shows browsers its own page for an unknown address, and leaves the API its 404', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const nowhere = await get('/no/such/view', browser)
    expect([nowhere.status, nowhere.headers.get('content-type')]).to.deep.equal([
      404,
      'text/html; charset=utf-8',
    ])
    expect(nowhere.headers.get('content-security-policy')).to.contain("default-src 'none'")
    for (const path of ['/api/nothing', '/api', '/assets/gone.js']) {
      const reply = await get(path, path === '/assets/gone.js' ? { accept: '*/*' } : browser)
      expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([
        404,
        'application/problem+json',
      ])
    }
  })

  it('accepts only GET and HEAD', async () => {
    expect((await fetch(`${api.url}/alerts`, { method: 'POST' })).status).to.equal(404)
    const head = await fetch(`${api.url}/alerts`, { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
  })

  it('is absent if it was not built', async () => {
    expect(await loadPage(join(folder.path, 'dist'))).to.equal(undefined)
  })
})
