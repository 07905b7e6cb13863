import { expect } from 'chai'
import { createHash, createHmac } from 'node:crypto'
import {
  defineConnection,
  type ConnectionDefinition,
  type HttpRequest,
  type RequestSignature,
  type RequestToSign,
} from '../../core/plugin/index.ts'
import { runSkill, serveSandbox, type ServedSandbox } from '../../core/plugin/testing/index.ts'
import { usableSettings } from '../../core/skill/connection/usable-settings.ts'
import { createEgress, type ClosableEgress } from '../../server/egress/egress.ts'
import { connection, failure, skillThat } from './fixture.ts'

type Box = typeof connection

const hex = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** AWS Signature Version 4 for the `iam` service. */
function signatureOf({ method, url, headers, body, nowMs }: RequestToSign, secret: string): RequestSignature {
  const { host, pathname, search } = new URL(url)
  const date = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
  const named = { 'content-type': headers['content-type'] ?? '', host, 'x-amz-date': date }
  const signed = Object.keys(named).join(';')
  const lines = Object.entries(named).map(([name, value]) => `${name}:${value}\n`)
  const canonical = [method, pathname, search.slice(1), lines.join(''), signed, hex(body)].join('\n')
  const scope = `${date.slice(0, 8)}/us-east-1/iam/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, hex(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`)
  const parts = [`Credential=AKIDEXAMPLE/${scope}`, `SignedHeaders=${signed}`]
  const authorization = `AWS4-HMAC-SHA256 ${parts.join(', ')}, Signature=${hmac(key, text).toString('hex')}`
  return { headers: { 'X-Amz-Date': date, authorization } }
}

const signing = (sign: NonNullable<Box['sign']>, more: Partial<Box> = {}) =>
  defineConnection({ ...connection, sign, ...more }) as ConnectionDefinition

const echo = serveSandbox(
  () => (call) => ({ json: { path: call.path, headers: call.headers, text: JSON.stringify(call.headers) } }),
  (url) => ({ base_url: url, key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }),
)

describe('a connection that signs its requests', () => {
  let running: ServedSandbox
  let egress: ClosableEgress
  beforeEach(async () => {
    running = await echo.start()
    egress = createEgress({ allowPrivate: ['127.0.0.1'] })
  })
  afterEach(async () => {
    egress.close()
    await running.close()
  })

  async function send(
    definition: ConnectionDefinition,
    wanted: HttpRequest,
    read: (text: string) => string = () => '',
  ) {
    const skill = skillThat(async (_input, { http }) => ({ text: read((await http.request(wanted)).text) }), {
      connection: definition,
    })
    const { settings } = running
    const { output } = await runSkill(skill, {}, { settings, egress, now: Date.UTC(2015, 7, 30, 12, 36) })
    return { output: output as { readonly text: string }, sent: running.requests[0]! }
  }

  it('signs method, address, headers, body and time as sent', async () => {
    const seen: RequestToSign[] = []
    const definition = signing((request, settings) => {
      seen.push(request)
      return { headers: { 'X-Signature': hex(settings.key.reveal()) } }
    })
    const { sent } = await send(definition, {
      method: 'POST',
      path: ['a b'],
      query: { q: 'ü' },
      json: { n: 1 },
    })
    expect(sent.headers).to.include({ 'x-signature': hex(running.settings['key'] as string) })
    expect(seen).to.have.length(1)
    expect(seen[0]).to.deep.include({ method: 'POST', url: `${running.url}/a%20b?q=%C3%BC` })
    expect(seen[0]?.headers).to.deep.equal({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-key': running.settings['key'],
    })
    expect(Buffer.from(seen[0]!.body).toString()).to.equal(sent.body).and.equal('{"n":1}')
    expect(seen[0]?.nowMs).to.equal(Date.UTC(2015, 7, 30, 12, 36))
  })

  it('reproduces the AWS example signature', async () => {
    const definition = signing((request, { key }) =>
      signatureOf(
        { ...request, url: request.url.replace(running.url, 'https://iam.amazonaws.com') },
        key.reveal(),
      ),
    )
    const { sent, output } = await send(
      definition,
      {
        path: '/',
        query: { Action: 'ListUsers', Version: '2010-05-08' },
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      },
      (text) => text,
    )
    const signature = '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7'
    expect(sent.headers['authorization']).to.match(new RegExp(`, Signature=${signature}$`))
    expect(output.text).to.include('20150830T123600Z').and.not.include(signature)
  })

  it('adds a key to the query, replaces the one in a link, and never shows it', async () => {
    const definition = signing((_, { key }) => ({ query: { 'api key': key.reveal() } }), {
      headers: () => ({}),
    })
    const link = `${running.url}/items?api+key=old&page=2&api%20key=older`
    const { sent, output } = await send(definition, { path: link }, (text) => text)
    const key = 'wJalrXUtnFEMI%2FK7MDENG%2BbPxRfiCYEXAMPLEKEY'
    expect(sent.path).to.equal(`/items?page=2&api%20key=${key}`)
    expect(output.text).to.include('page=2').and.not.include('EXAMPLEKEY')
  })

  it('sends no signature to other origins', async () => {
    const elsewhere = await echo.start()
    try {
      const definition = signing(
        (_, { key }) => ({ headers: { 'x-signed': key.reveal() }, query: { k: 'k' } }),
        {
          otherOrigins: () => [elsewhere.url],
        },
      )
      await send(definition, { path: `${elsewhere.url}/file` }).catch(() => {})
      expect(elsewhere.requests[0]).to.include({ path: '/file' })
      expect(JSON.stringify(elsewhere.requests)).not.to.match(/EXAMPLEKEY|x-signed/)
    } finally {
      await elsewhere.close()
    }
  })

  it('is refused with its settings if it cannot sign', async () => {
    const broken = signing(() => {
      throw new Error('the key is not in PEM format')
    })
    const message = "the signature of connection 'x' cannot be made: the key is not in PEM format"
    expect(() => usableSettings(broken, 'x', running.settings)).to.throw(message)
    const unsendable = signing(() => ({ headers: { host: 'other' } }))
    expect(await failure(send(unsendable, { path: '/' }))).to.include({ code: 'connection_invalid' })
    expect(running.requests).to.deep.equal([])
  })

  it('passes the settings to the rate limit', async () => {
    const plans: unknown[] = []
    const rate: Box['rate'] = (_, { region }) => {
      plans.push(region)
      return undefined
    }
    await send(
      signing(() => ({}), { rate }),
      { path: '/' },
    )
    expect(plans).to.deep.equal(['eu'])
  })

  it('authenticates with Basic at the token endpoint without showing the credentials', async () => {
    const basic = Buffer.from('client:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY').toString('base64')
    running.failNext({ json: { access_token: 'token-0123456789', token_type: 'Bearer' } })
    const definition = signing(() => ({}), {
      token: () => ({
        path: '/token',
        form: { grant_type: 'client_credentials' },
        headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'text/plain' },
      }),
    })
    const { sent } = await send(definition, { path: '/' })
    expect(sent.headers).to.include({
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    })
    running.failNext({ status: 400, json: { error: { message: `unknown ${basic}` } } })
    const error = await failure(send(definition, { path: '/' }))
    expect(error).to.include({ code: 'token_refused' })
    expect(error.message).to.include('unknown').and.not.include(basic)
  })
})
