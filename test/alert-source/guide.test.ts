import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readCurl } from '../http/support/curl.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const page = await readFile(new URL('../../docs/alert-sources.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code)

describe('docs/alert-sources.md, followed to the letter', () => {
  let tocsin: TestTocsin
  let key: string
  const filled = (text: string) =>
    text.replaceAll('https://<TOCSIN>', tocsin.server.url).replaceAll('<API_KEY>', key)
  const newest = async () => (await tocsin.call('/alerts?limit=1')).body.data[0]

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true })
    for (const code of ['splunk', 'elastic', 'guardduty', 'sentinel', 'google_workspace', 'firewall'])
      await tocsin.call('/providers', { body: { code, name: code } })
    const made = await tocsin.call('/keys', { body: { name: 'sender', role: 'intake' } })
    key = made.body.key
  })
  after(() => tocsin.close())

  for (const command of blocks('sh'))
    it(`sends ${command.slice(0, 70)}`, async () => {
      const [call] = readCurl(command, { TOCSIN_URL: tocsin.server.url, TOCSIN_KEY: key })
      const { method, url, headers, body } = call!
      const reply = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
      expect(reply.status, await reply.text()).to.equal(201)
      expect(await newest()).to.include({ severity: 'high' })
    })

  it('takes the address for Splunk without headers', async () => {
    const [address = ''] = blocks('text')
    const body = JSON.stringify({ search_name: 'Brute force', sid: 's-1', result: { src: '203.0.113.7' } })
    const reply = await fetch(filled(address).trim(), { method: 'POST', body })
    expect(reply.status, await reply.text()).to.equal(201)
    expect(await newest()).to.include({ title: 'Brute force', source_id: null, alert_type: 'brute_force' })
  })

  it('takes the body of the Elastic connector, with Basic', async () => {
    const [template = ''] = blocks('json')
    const body = template.replace('{{rule.name}}', 'Odd parent').replace('{{alert.id}}', 'a-1')
    const [, address = ''] = /the address `([^`]+elastic)`/.exec(page) ?? []
    const headers = { authorization: `Basic ${btoa(`key:${key}`)}`, 'content-type': 'application/json' }
    const reply = await fetch(filled(address), { method: 'POST', headers, body })
    expect(reply.status, await reply.text()).to.equal(201)
    expect(await newest()).to.include({ title: 'Odd parent', source_id: 'a-1', alert_type: 'elastic' })
  })

  it('takes what an API destination of EventBridge sends', async () => {
    const [, , commands = ''] = [undefined, ...blocks('text')]
    const [, address = ''] = /--invocation-endpoint (\S+)/.exec(commands) ?? []
    const [, name = '', value = ''] = /ApiKeyName=(\w+),ApiKeyValue="([^"]+)"/.exec(commands) ?? []
    const detail = {
      accountId: '1',
      region: 'r',
      type: 'Recon',
      severity: 8,
      service: {},
      title: 'Scan',
      id: 'f',
    }
    const body = JSON.stringify({ source: 'aws.guardduty', 'detail-type': 'GuardDuty Finding', detail })
    const reply = await fetch(filled(address), { method: 'POST', headers: { [name]: filled(value) }, body })
    expect(reply.status, await reply.text()).to.equal(201)
    expect(await newest()).to.include({ title: 'Scan', severity: 'high', alert_type: 'guardduty' })
  })

  it('takes the request of the logic app', async () => {
    const [, action = ''] = blocks('json')
    const { inputs } = JSON.parse(filled(action)) as {
      inputs: { method: string; uri: string; headers: Record<string, string>; body: string }
    }
    expect(inputs.body).to.equal("@triggerBody()?['object']")
    const object = { name: 'n', properties: { incidentNumber: 7, title: 'Odd', severity: 'Low' } }
    const reply = await fetch(inputs.uri, { ...inputs, body: JSON.stringify(object) })
    expect(reply.status, await reply.text()).to.equal(201)
    expect(await newest()).to.include({ title: 'Odd', severity: 'low', alert_type: 'sentinel_incident' })
  })

  it('forwards from Pub/Sub and SNS with the functions, once for each message', async () => {
    const file = join(tocsin.folder, 'forward.mjs')
    await writeFile(file, blocks('js')[0]!)
    const before = { url: process.env['TOCSIN_URL'], key: process.env['TOCSIN_KEY'] }
    Object.assign(process.env, { TOCSIN_URL: tocsin.server.url, TOCSIN_KEY: key })
    try {
      const { fromPubSub, fromSns } = (await import(pathToFileURL(file).href)) as Record<
        string,
        (event: unknown) => Promise<void>
      >
      const message = { messageId: 'm-1', data: btoa('{"title":"Leak"}') }
      await fromPubSub!({ data: { message } })
      const { alert_id: first, title } = await newest()
      expect(title).to.equal('Leak')
      await fromPubSub!({ data: { message } })
      expect((await newest()).alert_id).to.equal(first)
      await fromSns!({ Records: [{ Sns: { MessageId: 'm-2', Message: '{"title":"Other"}' } }] })
      expect((await newest()).title).to.equal('Other')
      process.env['TOCSIN_KEY'] = 'toc_wrong'
      const failed = await fromPubSub!({ data: { message } }).catch((error: unknown) => error)
      expect(String(failed)).to.match(/Tocsin answered 401/)
    } finally {
      for (const [name, value] of [
        ['TOCSIN_URL', before.url],
        ['TOCSIN_KEY', before.key],
      ] as const)
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    }
  })
})
