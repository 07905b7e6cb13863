import { expect } from 'chai'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
    for (const code of [
      'splunk',
      'elastic',
      'guardduty',
      'sentinel',
      'google_workspace',
      'firewall',
      'suricata',
    ])
      await tocsin.call('/providers', { body: { code, name: code } })
    const made = await tocsin.call('/keys', { body: { name: 'sender', role: 'intake' } })
    key = made.body.key
  })
  after(() => tocsin.close())

  const names = ['TOCSIN_URL', 'TOCSIN_KEY', 'TOCSIN_PROVIDER', 'VENDOR_URL', 'VENDOR_TOKEN'] as const
  function setEnvironment() {
    const before = names.map((name) => process.env[name])
    Object.assign(process.env, {
      TOCSIN_URL: tocsin.server.url,
      TOCSIN_KEY: key,
      TOCSIN_PROVIDER: 'google_workspace',
    })
    return before
  }
  function restore(before: readonly (string | undefined)[]) {
    for (const [index, name] of names.entries())
      if (before[index] === undefined) delete process.env[name]
      else process.env[name] = before[index]
  }

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

  it('accepts requests of an API destination of EventBridge', async () => {
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
    const before = setEnvironment()
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
      restore(before)
    }
  })

  it('takes the single events of Vector and Logstash', async () => {
    const [vector = ''] = blocks('toml')
    const [logstash = ''] = blocks('ruby')
    expect(vector).to.match(/framing\.method = "newline_delimited"\nbatch\.max_events = 1\n/)
    const senders = [
      [/uri = "([^"]+)"/.exec(vector)?.[1], `Bearer ${/token = "([^"]+)"/.exec(vector)?.[1]}`],
      [/url => "([^"]+)"/.exec(logstash)?.[1], /"Authorization" => "([^"]+)"/.exec(logstash)?.[1]],
    ]
    for (const [index, [address = '', authorization = '']] of senders.entries()) {
      const event = { event_type: 'alert', alert: { signature: `Scan ${index}`, severity: 1 } }
      const reply = await fetch(filled(address), {
        method: 'POST',
        headers: { authorization: filled(authorization) },
        body: `${JSON.stringify(event)}\n`,
      })
      expect(reply.status, await reply.text()).to.equal(201)
      expect(await newest()).to.include({ title: `Scan ${index}`, severity: 'high', alert_type: 'suricata' })
    }
  })

  it('polls an API, and takes each alert once', async () => {
    const asked: (string | null)[] = []
    let alerts: readonly unknown[] = [{ title: 'First' }]
    const vendor = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://vendor').searchParams.get('since'))
      response.writeHead(request.headers.authorization === 'Bearer vendor-token' ? 200 : 401)
      response.end(JSON.stringify(alerts))
    })
    await once(vendor.listen(0, '127.0.0.1'), 'listening')
    const before = setEnvironment()
    try {
      const { port } = vendor.address() as AddressInfo
      Object.assign(process.env, { VENDOR_URL: `http://127.0.0.1:${port}`, VENDOR_TOKEN: 'vendor-token' })
      await writeFile(join(tocsin.folder, 'forward.mjs'), blocks('js')[0]!)
      const file = join(tocsin.folder, 'poll.mjs')
      await writeFile(file, blocks('js')[1]!)
      const { poll } = (await import(pathToFileURL(file).href)) as {
        poll: (file: string) => Promise<void>
      }
      const state = join(tocsin.folder, 'since')
      const start = Date.now()
      await poll(state)
      const first = await newest()
      expect(first.title).to.equal('First')
      alerts = [{ title: 'First' }, { title: 'Second' }]
      process.env['TOCSIN_KEY'] = 'toc_wrong'
      const written = await readFile(state, 'utf8')
      expect(String(await poll(state).catch((error: unknown) => error))).to.match(/Tocsin answered 401/)
      expect(await readFile(state, 'utf8')).to.equal(written)
      process.env['TOCSIN_KEY'] = key
      await poll(state)
      const { body } = await tocsin.call('/alerts?limit=2')
      expect(body.data.map(({ title }: { title: string }) => title)).to.deep.equal(['Second', 'First'])
      expect(body.data[1].alert_id).to.equal(first.alert_id)
      expect(Date.parse(asked[1] ?? '')).to.be.within(start - 600_000, Date.now() - 600_000)
    } finally {
      restore(before)
      vendor.close()
    }
  })
})
