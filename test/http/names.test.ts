import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

describe('name validation over HTTP', () => {
  let api: Api

  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const kinds: Readonly<Record<string, (name: string) => Promise<Awaited<ReturnType<Api['call']>>>>> = {
    'API key': (name) => api.call('POST', '/api/keys', { body: { name, role: 'reader' } }),
    organization: (name) => api.call('POST', '/api/organizations', { body: { code: 'other', name } }),
    'renamed organization': (name) =>
      api.call('PATCH', '/api/organizations/acme', { body: { name }, headers: { 'if-match': '*' } }),
    provider: (name) => api.call('POST', '/api/providers', { body: { code: 'other', name } }),
    'renamed provider': (name) =>
      api.call('PATCH', '/api/providers/SIEM', { body: { name }, headers: { 'if-match': '*' } }),
    connection: (name) =>
      api.call('POST', '/api/connections', {
        body: {
          organization_code: 'acme',
          name,
          plugin: 'http',
          settings: { base_url: 'https://api.example.com' },
        },
      }),
  }
  const names = {
    'only whitespace': ' \u00a0\u2003 ',
    'a line break': 'anna\nkim',
    NUL: 'anna\0',
    'an escape character': 'anna\u001b[2J',
    'a direction override': 'anna\u202emik',
    'an invisible character': 'an\u200bna',
    'a line separator': 'anna\u2028kim',
  }

  for (const [kind, create] of Object.entries(kinds))
    for (const [what, name] of Object.entries(names))
      it(`refuses an unreadable name for ${kind}: ${what}`, async () => {
        const reply = await create(name)
        expectProblem(reply, 400, 'value_invalid')
        expect(reply.json.errors[0].pointer).to.equal('/name')
        expect(reply.json.errors[0].message).to.match(/visible character|beginning with a letter/)
      })

  it('requires a visible character in longer texts and allows line breaks there', async () => {
    const reason = (text: string) => api.call('POST', '/api/engine/pause', { body: { reason: text } })
    for (const blank of [' ', '   \n', '\u200b\u2060', '\u00a0\t'])
      expectProblem(await reason(blank), 400, 'value_invalid')
    expect((await reason(' a\nb ')).status).to.equal(200)
    await api.call('POST', '/api/engine/resume')
  })

  it('accepts any script', async () => {
    for (const name of ['Änne’s Splunk (EU) #1', '東京 SOC', 'مركز العمليات'])
      expect((await kinds['API key']?.(name))?.status, name).to.equal(201)
  })
})
