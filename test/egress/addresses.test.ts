import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import type { Egress, EgressRequest } from '../../core/ports/egress.ts'
import { createEgress } from '../../server/egress/egress.ts'
import { guardedLookup } from '../../server/egress/address-guard.ts'
import { parseAllowList, publicOnly } from '../../server/egress/allow-list.ts'
import { serveHttp, type TestServer } from './servers.ts'

function send(
  egress: Egress,
  url: string,
  more: Partial<EgressRequest> = { isConnection: true },
): Promise<{ readonly status: number }> {
  const signal = AbortSignal.timeout(30_000)
  return egress.send({ method: 'GET', url, headers: {}, body: undefined, signal, ...more })
}

async function codeOf(
  egress: Egress,
  url: string,
  more?: Partial<EgressRequest>,
): Promise<string | undefined> {
  return send(egress, url, more).then(
    ({ status }) => String(status),
    (error: { code?: string }) => error.code,
  )
}

const pem = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

async function failure(work: Promise<unknown>): Promise<Error & { code?: string; hint?: string }> {
  return work.then(
    () => expect.fail('it should have been refused'),
    (error: Error) => error,
  )
}

describe('egress: destinations', () => {
  const nothingAllowed = createEgress({ allowPrivate: [] })

  for (const url of [
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://[fd00:ec2::254]/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://198.18.0.1/',
    'https://localhost/',
    'https://LOCALHOST/',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
  ]) {
    it(`refuses ${url}`, async () => {
      expect(await codeOf(nothingAllowed, url)).to.equal('egress_forbidden')
    })
  }

  describe('by name', () => {
    const resolving =
      (...addresses: string[]) =>
      (_name: string, _options: unknown, callback: (error: null, addresses: unknown) => void): void =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )

    function lookedUp(
      allow: readonly string[],
      ...addresses: string[]
    ): { readonly error: unknown; readonly address: unknown } {
      let result = { error: undefined as unknown, address: undefined as unknown }
      const url = new URL('https://name.example/')
      const lookup = guardedLookup(url, parseAllowList(allow), resolving(...addresses) as never)
      lookup('name.example', {}, (error, address) => (result = { error, address }))
      return result
    }

    it('resolves a public name', () => {
      expect(lookedUp([], '93.184.215.14')).to.deep.equal({ error: null, address: '93.184.215.14' })
    })

    it('refuses a name if any of its addresses is private', () => {
      for (const other of [
        '10.0.0.7',
        '127.0.0.1',
        '::1',
        '::ffff:10.0.0.7',
        '169.254.169.254',
        'fe80::1%eth0',
      ]) {
        expect(lookedUp([], '93.184.215.14', other).error, other).to.include({ code: 'egress_forbidden' })
      }
    })

    it('hides the address from requests without a connection', () => {
      let refused: unknown
      const lookup = guardedLookup(
        new URL('https://name.example/'),
        publicOnly,
        resolving('10.0.0.7') as never,
      )
      lookup('name.example', {}, (error) => (refused = error))
      expect(refused).to.include({ code: 'egress_forbidden' })
      expect(String(refused)).to.include('name.example').and.not.include('10.0.0.7')
    })

    it('allows a private address by range or name, but never cloud metadata addresses', () => {
      expect(lookedUp(['10.0.0.0/8'], '10.0.0.7').address).to.equal('10.0.0.7')
      expect(lookedUp(['name.example'], '10.0.0.7').address).to.equal('10.0.0.7')
      expect(lookedUp(['name.example'], '169.254.169.254').error).to.include({ code: 'egress_forbidden' })
    })
  })

  describe('with an allow list', () => {
    let server: TestServer
    before(async () => {
      server = await serveHttp((_request, response) => response.end())
    })
    after(() => server.close())

    const reaches = async (
      allow: (port: number) => string,
      host = '127.0.0.1',
    ): Promise<string | undefined> => {
      const egress = createEgress({ allowPrivate: [allow(server.port)] })
      const outcome = await codeOf(egress, `http://${host}:${server.port}/`)
      egress.close()
      return outcome
    }

    it('reaches a host, a host with its port, and a range', async () => {
      expect(await reaches(() => '127.0.0.1')).to.equal('200')
      expect(await reaches((port) => `127.0.0.1:${port}`)).to.equal('200')
      expect(await reaches(() => '127.0.0.0/8')).to.equal('200')
      expect(await reaches(() => 'localhost', 'localhost')).to.equal('200')
      expect(await reaches(() => 'LocalHost', 'localhost')).to.equal('200')
    })

    it('does not reach another port, host or range', async () => {
      expect(await reaches((port) => `127.0.0.1:${port + 1}`)).to.equal('egress_forbidden')
      expect(await reaches(() => 'localhost')).to.equal('egress_forbidden')
      expect(await reaches(() => '127.0.0.1', 'localhost')).to.equal('egress_forbidden')
      expect(await reaches(() => '10.0.0.0/8')).to.equal('egress_forbidden')
    })

    it('requires a connection, and otherwise reports open and closed ports alike', async () => {
      const egress = createEgress({ allowPrivate: ['127.0.0.1', 'localhost'] })
      const refusals = new Set<string>()
      const before = server.connections()
      for (const port of [server.port, 1]) {
        for (const scheme of ['http', 'https']) {
          const refused = await failure(send(egress, `${scheme}://127.0.0.1:${port}/`, {}))
          expect(refused).to.include({ code: 'egress_forbidden' })
          refusals.add(`${refused.message} ${refused.hint}`.replace(`:${port} `, ':PORT '))
          expect(await codeOf(egress, `${scheme}://localhost:${port}/`, {})).to.equal('egress_forbidden')
        }
      }
      egress.close()
      expect(refusals).to.have.length(2)
      expect([...refusals].join())
        .to.include('through a connection')
        .and.not.include('TOCSIN')
      expect(server.connections()).to.equal(before)
    })

    it('uses the list of an organization, or else the common one', async () => {
      const codes: Record<string, string> = { u1: 'Acme', u2: 'globex', u3: 'initech' }
      const egress = createEgress({
        allowPrivate: {
          everyone: ['127.0.0.1:1'],
          organizations: new Map([
            ['acme', [`127.0.0.1:${server.port}`]],
            ['globex', []],
          ]),
        },
        codeOf: async (uuid) => codes[uuid],
      })
      const outcome = (url: string, organizationUuid: string): Promise<string | undefined> =>
        codeOf(egress, url, { isConnection: true, organizationUuid })
      const ours = `http://127.0.0.1:${server.port}/`
      expect(await outcome(ours, 'u1')).to.equal('200')
      for (const other of ['u2', 'u3', 'unknown']) {
        expect(await outcome(ours, other), other).to.equal('egress_forbidden')
      }
      expect(await outcome(ours, 'u1'), 'after others were refused').to.equal('200')
      // Plain http to a closed port shows whether the address is allowed.
      expect(await outcome('http://127.0.0.1:1/', 'u1')).to.equal('egress_forbidden')
      expect(await outcome('http://127.0.0.1:1/', 'u2')).to.equal('egress_forbidden')
      expect(await outcome('http://127.0.0.1:1/', 'u3')).to.equal('network_error')
      egress.close()
    })

    it('ignores proxies in the environment', async () => {
      const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'NODE_USE_ENV_PROXY']
      const before = names.map((name) => process.env[name])
      for (const name of names)
        process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:1/'
      try {
        expect(await reaches(() => '127.0.0.1')).to.equal('200')
      } finally {
        for (const [index, name] of names.entries()) {
          const value = before[index]
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      }
    })
  })

  it('does not share a connection’s socket with requests without one', async () => {
    const { createSecureContext } = tls
    const server = createServer(
      { key: pem('localhost.key.pem'), cert: pem('localhost.cert.pem') },
      (_, response) => response.end(),
    )
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const egress = createEgress({ allowPrivate: ['localhost'] })
    tls.createSecureContext = (options) => createSecureContext({ ...options, ca: pem('localhost.cert.pem') })
    try {
      const url = `https://localhost:${(server.address() as AddressInfo).port}/`
      for (const organizationUuid of ['u1', undefined]) {
        expect(await codeOf(egress, url, { isConnection: true, organizationUuid })).to.equal('200')
        expect(await codeOf(egress, url, { organizationUuid })).to.equal('egress_forbidden')
      }
    } finally {
      tls.createSecureContext = createSecureContext
      egress.close()
      server.close()
    }
  })

  it('verifies certificates even if the environment disables it', async () => {
    const server = createServer(
      { key: pem('self-signed.key.pem'), cert: pem('self-signed.cert.pem') },
      (_request, response) => response.end(),
    )
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    const egress = createEgress({ allowPrivate: ['127.0.0.1'] })
    try {
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
      expect(await codeOf(egress, url)).to.equal('network_error')
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
      egress.close()
      server.close()
    }
  })
})
