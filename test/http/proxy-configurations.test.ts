import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { defaultLimits } from '../../server/http/server/listener.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startApi } from './support/api.ts'
import { certificate, freePort, hasCaddy, hasNginx, startCaddy, startNginx } from './support/proxies.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const files = {
  nginx: { source: read('deploy/nginx/tocsin.conf'), language: 'nginx' },
  Caddy: { source: read('deploy/caddy/Caddyfile'), language: 'caddy' },
} as const

/** The longest `Prefer: wait`, in seconds. */
const longestWait = 60

for (const [name, { source, language }] of Object.entries(files)) {
  describe(`the configuration of ${name}`, () => {
    const number = (pattern: RegExp): number => {
      const found = pattern.exec(source)?.[1]
      expect(found, String(pattern)).to.be.a('string')
      return Number(found)
    }

    it('is quoted in docs/operations.md', () => {
      expect(read('docs/operations.md')).to.include(`\`\`\`${language}\n${source}\`\`\``)
    })

    it('waits longer than the longest Prefer: wait', () => {
      const seconds = number(/(?:proxy_read_timeout|response_header_timeout) (\d+)s/)
      expect(seconds).to.be.above(longestWait)
    })

    it('leaves the body size limit to Tocsin', () => {
      const megabytes = number(/(?:client_max_body_size|max_size) (\d+)MB?/i)
      expect(megabytes * 1_000_000).to.be.above(defaultLimits.maxBodyBytes)
    })

    it('closes idle connections before Tocsin does, so that no request meets a closed one', async () => {
      const api = await startApi()
      try {
        const { headers } = await fetch(`${api.url}/healthz`)
        const [, timeout] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
        expect(number(/keepalive(?:_timeout)? (\d+)s/)).to.be.below(Number(timeout))
      } finally {
        await api.close()
      }
    })
  })
}

for (const [name, startProxy, isThere] of [
  ['nginx', startNginx, hasNginx],
  ['Caddy', startCaddy, hasCaddy],
] as const) {
  it(`${name} keeps its connection to Tocsin while every client opens a new one`, async function () {
    if (!isThere) return this.skip()
    const folder = await makeTemporaryFolder()
    let connections = 0
    const upstream = createServer((_, response) => response.end('ok'))
    upstream.on('connection', () => connections++)
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const port = await freePort()
    const proxy = await startProxy(port, (upstream.address() as AddressInfo).port, folder.path)
    try {
      for (let n = 0; n < 10; n++) {
        const options = { host: '127.0.0.1', port, method: 'POST', agent: false, ca: certificate } as const
        const [answer] = (await once(request(options).end('x'), 'response')) as [IncomingMessage]
        expect([answer.statusCode, await text(answer)]).to.deep.equal([200, 'ok'])
      }
      expect(connections).to.equal(1)
    } finally {
      await proxy.close()
      upstream.close()
      await folder.remove()
    }
  })
}
