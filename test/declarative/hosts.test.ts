import { expect } from 'chai'
import { runSkill } from '../../core/plugin/testing/index.ts'
import { closeAll, declaredWith, startedFor } from './sandbox-support.ts'
import { pluginWith, saidOf, skillOf } from './support.ts'

const connection = `fields:
  api_key: { secret: true }
  region: { enum: [eu, us] }
  console_key: { secret: true }
base_url: "\${{ {'eu': 'https://eu.example.com', 'us': 'https://us.example.com'}[settings.region] }}"
headers: { x-tenant: t }
auth: { bearer: "\${{ settings.api_key }}" }
hosts:
  console:
    base_url: https://console.\${{ settings.region }}.example.com/v2
    auth: { header: X-Console, value: "\${{ settings.console_key }}" }
  files: { base_url: https://files.example.com }
  second: { base_url: https://second.example.com, auth: same }`
const settings = { api_key: 'k1', region: 'us', console_key: 'k2' }

const skillAt = (host: string) =>
  skillOf({ connection, skill: `request: { get: /it${host === '' ? '' : `, host: ${host}`} }` })
const sentTo = async (host: string, given: object = settings) =>
  (await runSkill(skillAt(host), {}, { settings: { ...given }, replies: [{ json: {} }] })).requests[0]!

describe('hosts of a declarative connection', () => {
  afterEach(closeAll)

  it('have addresses and credentials of their own', async () => {
    const main = await sentTo('')
    expect(main.url).to.equal('https://us.example.com/it')
    expect(main.headers).to.include({ authorization: 'Bearer k1', 'x-tenant': 't' })
    const console = await sentTo('console')
    expect(console.url).to.equal('https://console.us.example.com/v2/it')
    expect(console.headers)
      .to.include({ 'x-console': 'k2' })
      .and.not.have.any.keys('authorization', 'x-tenant')
    const files = await sentTo('files')
    expect(files.headers).to.not.have.any.keys('authorization', 'x-tenant', 'x-console')
    const second = await sentTo('second')
    expect(second.headers).to.include({ authorization: 'Bearer k1', 'x-tenant': 't' })
  })

  it('can have another address, such as a proxy', async () => {
    const { url } = await sentTo('console', { ...settings, console_url: 'https://proxy.example/console' })
    expect(url).to.equal('https://proxy.example/console/it')
  })

  it('follow pages only below their own address', async () => {
    const skill = skillOf({
      connection,
      skill: `request: { get: /it, host: console }
paging: { next: "\${{ response.body.?next }}", items: "\${{ response.body.items }}" }
output: { all: { type: array, value: "\${{ items }}" } }`,
    })
    const pages = (next: string) => [{ json: { items: [1], next } }, { json: { items: [2] } }]
    const { requests } = await runSkill(
      skill,
      {},
      { settings, replies: pages('https://console.us.example.com/v2/it?p=2') },
    )
    expect(requests[1]!.headers).to.include({ 'x-console': 'k2' })
    const elsewhere = runSkill(skill, {}, { settings, replies: pages('https://us.example.com/it') })
    expect(
      await elsewhere.then(
        () => 'sent',
        (error: { code: string }) => error.code,
      ),
    ).to.equal('bad_path')
  })

  it('share the token of the connection, or have their own', async () => {
    const withTokens = `fields: { id: {}, secret: { secret: true } }
auth:
  oauth2: { grant: client_credentials, token: /token, client_id: "\${{ settings.id }}", client_secret: "\${{ settings.secret }}" }
hosts:
  same: { base_url: https://same.example.com, auth: same }
  own:
    base_url: https://own.example.com
    auth:
      oauth2: { grant: client_credentials, token: /own/token, client_id: own, client_secret: "\${{ settings.secret }}" }`
    const skill = skillOf({
      connection: withTokens,
      skill: `before: { a: { get: /a }, b: { get: /b, host: same } }
request: { get: /c, host: own }`,
    })
    const { requests } = await runSkill(
      skill,
      {},
      {
        settings: { id: 'i', secret: 's' },
        token: null,
        replies: ({ url }) => ({ json: url.endsWith('token') ? { access_token: url, expires_in: 60 } : {} }),
      },
    )
    expect(requests.map(({ url }) => url)).to.deep.equal([
      'https://api.example.com/token',
      'https://api.example.com/a',
      'https://same.example.com/b',
      'https://own.example.com/own/token',
      'https://own.example.com/c',
    ])
    expect(requests[2]!.headers['authorization']).to.equal('Bearer https://api.example.com/token')
    expect(requests[4]!.headers['authorization']).to.equal('Bearer https://own.example.com/own/token')
  })

  it('sign with another service of AWS', async () => {
    const skill = skillOf({
      connection: `fields: { key: {}, secret: { secret: true }, region: { default: eu-central-1 } }
auth:
  aws: { access_key_id: "\${{ settings.key }}", secret_access_key: "\${{ settings.secret }}", region: "\${{ settings.region }}", service: guardduty }
hosts:
  iam: { base_url: https://iam.amazonaws.com, auth: { aws: { region: us-east-1, service: iam } } }
  sts: { base_url: 'https://sts.\${{ settings.region }}.amazonaws.com', auth: { aws: { service: sts } } }`,
      skill: 'before: { me: { get: /, host: sts }, x: { get: /x } }\nrequest: { get: /, host: iam }',
    })
    const { requests } = await runSkill(
      skill,
      {},
      { settings: { key: 'AKIA', secret: 's' }, replies: [{ json: {} }, { json: {} }, { json: {} }] },
    )
    const scopes = requests.map(({ headers }) => /AKIA\/\d+\/([^,]+)/.exec(headers['authorization']!)?.[1])
    expect(scopes).to.deep.equal([
      'eu-central-1/sts/aws4_request',
      'eu-central-1/guardduty/aws4_request',
      'us-east-1/iam/aws4_request',
    ])
  })

  it('are part of the sandbox, with their credentials', async () => {
    const skill = `before: { a: { get: /it, host: console }, b: { get: /it, host: files } }
request: { get: /it }
output: { n: { type: array, value: "\${{ [before.a.body.n, before.b.body.n, response.body.n] }}" } }`
    const responses = [{ body: { n: 1 } }, { body: { n: 2 } }, { body: { n: 3 } }]
    const { run, code, call } = await startedFor(
      declaredWith({ connection, skill }, { responses, output: { n: [1, 2, 3] } }),
    )
    expect(await run()).to.deep.equal({ n: [1, 2, 3] })
    expect(await code({}, { console_key: 'wrong' })).to.deep.equal({ code: 'http_401' })
    expect(await code({}, { api_key: 'wrong' })).to.deep.equal({ code: 'http_401' })
    expect((await call('/~files/it', { headers: {} })).status).to.equal(200)
  })

  const wrong: Readonly<Record<string, readonly [connection: string, problem: string]>> = {
    'an unknown host': [
      'check: { get: /ping, host: consle }\nhosts: { console: { base_url: https://console.example.com } }',
      "E806 'consle' is not a host of the connection (did you mean 'console'?)",
    ],
    'a secret in its address': [
      'fields: { k: { secret: true } }\nhosts: { a: { base_url: "https://${{ settings.k }}.example.com" } }',
      'E803',
    ],
    'a part of AWS credentials': [
      'hosts: { a: { base_url: https://a.example.com, auth: { aws: { service: iam } } } }',
      'E105 `aws` needs `access_key_id`',
    ],
    'a region without an address': [
      `fields: { region: { enum: [eu, us] } }\nbase_url: "\${{ {'eu': 'https://eu.example.com'}[settings.region] }}"`,
      "E802 `base_url` has no address for region 'us'",
    ],
  }
  for (const [what, [text, problem]] of Object.entries(wrong))
    it(`are checked: ${what}`, () => {
      expect(saidOf(pluginWith({ connection: text })).join('\n')).to.include(problem)
    })
})
