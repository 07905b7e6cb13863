import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { fileLimitsOf } from '../../core/transitions/case-files.ts'
import { maxSetBytes } from '../../server/http/resources/playbook-set/playbook-set.ts'
import { defaultLimits } from '../../server/http/server/listener.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startApi } from './support/api.ts'
import {
  caddyMovesBodies,
  certificate,
  freePort,
  hasCaddy,
  hasNginx,
  startCaddy,
  startCaddyFor,
  startNginx,
} from './support/proxies.ts'

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

    it('leaves the limits of body sizes to Tocsin', () => {
      const limits = [...source.matchAll(/(?:client_max_body_size|max_size) (\d+)(?:m;|MiB)/g)]
      const megabytes = limits.map(([, limit]) => Number(limit)).toSorted((a, b) => a - b)
      const bytes = [defaultLimits.maxBodyBytes, maxSetBytes, fileLimitsOf([]).file]
      expect(megabytes.map((limit, at) => limit * 1_048_576 > bytes[at]!)).to.deep.equal([true, true, true])
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

describe('the configuration of Caddy for several nodes', () => {
  it('admits the same requests as that for one', () => {
    const admits = (path: string) => /\{\$SITE.*?(?=\treverse_proxy)/s.exec(read(path))?.[0]
    expect(admits('deploy/caddy/Caddyfile.cluster')).to.equal(admits('deploy/caddy/Caddyfile'))
  })

  it('sends each body once and unchanged when a node refuses connections', async function () {
    if (!hasCaddy) return this.skip()
    const folder = await makeTemporaryFolder()
    const nodes = [await echo(), await echo()] as const
    const port = await freePort()
    const ports = nodes.map((node) => (node.address() as AddressInfo).port)
    const proxy = await startCaddyFor(ports, port, folder.path)
    const agent = new Agent({ keepAlive: true, maxSockets: 48, ca: certificate })
    const post = async (number: number): Promise<string> => {
      const body = String(number).padStart(2_000, '0')
      const sent = request({ host: '127.0.0.1', port, method: 'POST', agent })
      const [answer] = (await once(sent.end(body), 'response')) as [IncomingMessage]
      const given = await text(answer)
      return answer.statusCode !== 200 ? String(answer.statusCode) : given === body ? 'right' : 'other body'
    }
    try {
      expect(await post(0)).to.equal('right')
      nodes[0].close()
      nodes[0].closeAllConnections()
      const outcomes = new Set(await Promise.all(Array.from({ length: 1_500 }, (_, number) => post(number))))
      // An older Caddy cannot repeat a request with a body.
      if (!caddyMovesBodies) outcomes.delete('502')
      expect([...outcomes]).to.deep.equal(['right'])
    } finally {
      agent.destroy()
      await proxy.close()
      for (const node of nodes) node.close()
      await folder.remove()
    }
  })
})

async function echo(): Promise<Server> {
  const server = createServer((incoming, answer) => incoming.pipe(answer)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
