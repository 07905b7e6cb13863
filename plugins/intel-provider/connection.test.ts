import { expect } from 'chai'
import { Secret, valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, type SandboxReply, type ServedSandbox } from 'tocsin/plugin/testing'
import { connection } from './connection.ts'
import sandbox from './sandbox.ts'
import { intelFaults } from './sandbox/faults.ts'
import { alertsOnlyKey, basicTierKey, enrichmentOnlyKey } from './sandbox/routes.ts'

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: unknown) => valueAt(error, 'code'),
  )

const replies = ({ url }: { readonly url: string }): SandboxReply => ({
  json: { data: url.includes('/v2/') ? {} : [] },
})

const checkSettings = (settings: object) =>
  codeOf(
    checkConnection(connection, {
      settings: { api_key: 'a-key', ...settings },
      replies,
    }),
  )

describe('the connection of intel_provider', () => {
  describe('setting validation', () => {
    for (const settings of [
      {},
      { base_url: 'https://api.example.com' },
      { base_url: 'https://gateway.example.com:8443/intel/v1' },
      { base_url: 'http://127.0.0.1:4000' },
      { base_url: 'http://[::1]:4000' },
      { token_header: 'X-ExampleToken' },
    ]) {
      it(`accepts ${JSON.stringify(settings)}`, async () => {
        expect(await checkSettings(settings)).to.equal('none')
      })
    }

    for (const settings of [
      { api_key: '' },
      { api_key: 'a key' },
      { api_key: 'key\r\nx-other: 1' },
      { base_url: 'https://api.example.com/' },
      { base_url: 'http://api.example.com' },
      { base_url: 'http://127.0.0.1.example.com' },
      { base_url: 'http://127.0.0.1@evil.example' },
      { base_url: 'https://user:password@api.example.com' },
      { base_url: 'https://api.example.com?x=1' },
      { base_url: 'https://api.example.com#x' },
      { base_url: 'api.example.com' },
      { token_header: 'Host' },
      { token_header: 'X-' },
      { token_header: 'X-Token: 1' },
      { token_header: 'X-Token\n' },
    ]) {
      it(`refuses ${JSON.stringify(settings)}`, async () => {
        expect(await checkSettings(settings)).to.equal('value_invalid')
      })
    }
  })

  it("uses the provider's address by default", async () => {
    const { requests } = await checkConnection(connection, {
      settings: { api_key: 'k' },
      replies,
    })
    expect(requests[0]?.url).to.equal('https://api.recordedfuture.com/v2/ip/8.8.8.8?fields=entity')
    expect(requests[0]?.headers).to.include({ 'x-rftoken': 'k' })
  })

  it('has a rate limit per service of the provider', () => {
    const settings = { api_key: new Secret('some-key') }
    const paths = ['/v2/ip/1.2.3.4', '/v2/domain/a.example', '/alert/v3', '/playbook-alert/search', '/else']
    const buckets = paths.map((path) => connection.rate?.({ method: 'GET', path }, settings)?.bucket)
    expect(buckets).to.deep.equal(['/v2/', '/v2/', '/alert/', '/playbook-alert/', ''])
  })

  describe('the connection test', () => {
    let running: ServedSandbox
    beforeEach(async () => {
      running = await sandbox.start()
    })
    afterEach(() => running.close())

    const check = (settings: object = {}) =>
      codeOf(
        checkConnection(connection, {
          settings: { ...running.settings, ...settings },
          egress: loopbackEgress,
        }),
      )

    it('makes one small call per module', async () => {
      expect(await check()).to.equal('none')
      expect(running.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
        'GET /v2/ip/8.8.8.8?fields=entity',
        'GET /alert/v3?limit=1&fields=type',
        'POST /playbook-alert/search',
      ])
    })

    const warningWith = async (settings: object) =>
      (
        await checkConnection(connection, {
          settings: { ...running.settings, ...settings },
          egress: loopbackEgress,
        })
      ).warning

    it('warns about modules that the key lacks', async () => {
      expect(await warningWith({})).to.equal(undefined)
      expect(await warningWith({ api_key: enrichmentOnlyKey })).to.match(
        /does not include List Alerts and Get Playbook Alerts:/,
      )
      expect(await warningWith({ api_key: alertsOnlyKey })).to.match(
        /does not include Get Enrichment and Get Playbook Alerts:/,
      )
    })

    for (const [path, skill] of [
      ['/alert/v3', 'List Alerts'],
      ['/playbook-alert/search', 'Get Playbook Alerts'],
    ] as const) {
      for (const status of [401, 403]) {
        it(`treats ${status} from ${path} as a module that the key lacks`, async () => {
          const { warning } = await checkConnection(connection, {
            settings: { api_key: 'k' },
            replies: (request) => (request.url.includes(path) ? { status, json: {} } : replies(request)),
          })
          expect(warning).to.include(`does not include ${skill}:`)
        })
      }
    }

    it('fails if a module answers with something else', async () => {
      for (const text of ['<html>', '{"data":{}}', '']) {
        const error: unknown = await checkConnection(connection, {
          settings: { api_key: 'k' },
          replies: (request) => (request.url.includes('/v2/') ? replies(request) : { text }),
        }).catch((reason: unknown) => reason)
        expect(valueAt(error, 'code')).to.equal('bad_response')
      }
    })

    for (const [settings, code] of [
      [{ api_key: 'wrong' }, 'http_401'],
      [{ api_key: basicTierKey }, 'http_403'],
    ] as const) {
      it(`fails with ${JSON.stringify(settings)}: ${code}`, async () => {
        expect(await check(settings)).to.equal(code)
      })
    }

    const answers: readonly (readonly [keyof typeof intelFaults, code: string])[] = [
      ['signInPage', 'bad_response'],
      ['foreignNotFound', 'bad_response'],
      ['emptyBody', 'bad_response'],
      ['outage', 'http_500'],
      ['rateLimited', 'http_429'],
    ]
    for (const [fault, code] of answers) {
      it(`fails on the response ${fault}: ${code}`, async () => {
        running.failNext(intelFaults[fault])
        expect(await check()).to.equal(code)
      })
    }

    it('blames the base URL if another system answers', async () => {
      running.failNext(intelFaults.signInPage)
      const error: unknown = await checkConnection(connection, {
        settings: running.settings,
        egress: loopbackEgress,
      }).catch((reason: unknown) => reason)
      expect(valueAt(error, 'hint')).to.match(/check base_url/)
    })

    for (const text of ['', '{"message":"no Route matched with those values"}', '{"error":{"status":500}}']) {
      it(`fails on a foreign 404: ${text}`, async () => {
        running.failNext({ status: 404, text })
        expect(await check()).to.equal('bad_response')
      })
    }

    it('fails with an extra path in the base URL', async () => {
      expect(await check({ base_url: `${running.url}/v2`, api_key: 'wrong' })).to.equal('bad_response')
    })

    it("succeeds on the provider's own 404 for an unknown address", async () => {
      const unknown: SandboxReply = { status: 404, json: { error: { message: 'Not found', status: 404 } } }
      running.failNext(unknown)
      expect(await check()).to.equal('none')
    })
  })
})
