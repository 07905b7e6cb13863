import { theServer } from '../../core/domain/audit.ts'
import { expect } from 'chai'
import { defineConnection, defineSkill, RetryableError } from '../../core/plugin/index.ts'
import { checkConnection, runSkill, testCases, type SentRequest } from '../../core/plugin/testing/index.ts'
import get from '../../plugins/http/plugin.ts'

const [httpGet, httpSend] = get.skills
if (httpGet === undefined || httpSend === undefined) throw new Error('plugins/http has changed')

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => expect.fail('it should have failed'),
    (error: Error & { code?: string }) => error.code ?? error.message,
  )
}

describe('runSkill', () => {
  const url = 'https://example.com/a'

  it('returns canned replies in order and records requests', async () => {
    const { output, requests } = await runSkill(httpGet, { url }, { replies: [{ json: { a: 1 } }] })
    expect(output).to.deep.include({ status: 200, json: { a: 1 } })
    expect(requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['GET /a'])
  })

  it('calls a function for replies', async () => {
    const replies = ({ url: asked }: { url: string }) => ({ text: asked })
    expect((await runSkill(httpGet, { url }, { replies })).output).to.include({ text: url })
  })

  it('fails on a request without a reply and names it', async () => {
    expect(await failure(runSkill(httpGet, { url }))).to.equal(`request 1 (GET ${url}) has no canned reply`)
  })

  it('rejects like the real egress', async () => {
    const replies = [new RetryableError('network_error', 'cut')]
    expect(await failure(runSkill(httpGet, { url }, { replies }))).to.equal('network_error')
  })

  it('validates input and settings like a server', async () => {
    expect(await failure(runSkill(httpGet, { uri: url }))).to.equal('value_invalid')
    expect(await failure(runSkill(httpGet, { path: '/' }, { settings: { base_uri: url } }))).to.equal(
      'value_invalid',
    )
  })

  it('gives each run its own case', async () => {
    const cases = testCases()
    await cases.comment('org', 'DEMO-1', 'a note', theServer, 'key')
    await cases.comment('org', 'DEMO-1', 'a note', theServer, 'key')
    expect(cases.entries.filter(({ kind }) => kind === 'note')).to.have.length(1)
    expect(await failure(cases.update('org', 'DEMO-9', {}, theServer, 'other'))).to.equal('case_not_found')
  })
})

describe('the test kit for a connection with a token', () => {
  const connection = defineConnection({
    title: 'Tower',
    description: 'A tower.',
    settings: {
      type: 'object',
      required: ['client_secret'],
      additionalProperties: false,
      properties: { client_secret: { type: 'string', 'x-secret': true } },
    },
    baseUrl: () => 'https://tower.example.com',
    token: ({ client_secret }) => ({ path: '/token', form: { client_secret: client_secret.reveal() } }),
    authenticate: async ({ http }) => void (await http.get('/me')),
  })
  const ring = defineSkill({
    name: 'ring',
    title: 'Ring',
    description: 'Rings.',
    effect: 'read',
    connection,
    input: { type: 'object' },
    output: { type: 'object', properties: { text: { type: 'string' } } },
    examples: [],
    run: async (_input, { http }) => ({ text: (await http.get('/ring')).text }),
  })
  const settings = { client_secret: 'a-secret' }
  const issued = { json: { access_token: 'fresh-token', expires_in: 3600 } }
  const sent = (requests: readonly SentRequest[]) =>
    requests.map(({ path, headers }) => `${path} ${headers['authorization'] ?? '-'}`)

  it('provides a token with canned replies', async () => {
    const { requests } = await runSkill(ring, {}, { settings, replies: [{ text: 'ding' }] })
    expect(sent(requests)).to.deep.equal(['/ring Bearer test-token'])
    const given = await runSkill(ring, {}, { settings, token: 'mine', replies: [{ text: 'ding' }] })
    expect(sent(given.requests)).to.deep.equal(['/ring Bearer mine'])
  })

  it('fetches a token without canned replies', async () => {
    const { requests } = await runSkill(ring, {}, { settings, token: null, replies: [issued, { text: '' }] })
    expect(sent(requests)).to.deep.equal(['/token -', '/ring Bearer fresh-token'])
  })

  it('fetches a token for the connection test', async () => {
    const { requests } = await checkConnection(connection, { settings, replies: [issued, {}] })
    expect(sent(requests)).to.deep.equal(['/token -', '/me Bearer fresh-token'])
    const refused = checkConnection(connection, { settings, replies: [{ status: 401 }] })
    expect(await failure(refused)).to.equal('token_refused')
    expect(await failure(checkConnection(connection, { settings: {} }))).to.equal('value_invalid')
  })
})
