import { expect } from 'chai'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeKey } from '../../server/access/keys.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { formsOf } from '../support/server/expect-no-secrets.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const credential = 'canary-4711/+="quoted"'
const changed = 'canary-0815/+="quoted"'
const token = 'canary-token-2342'
/** A client secret that is exchanged for the issued tokens. */
const clientSecret = 'canary-client-6174'
const issued = ['canary-issued-1', 'canary-issued-2']

const playbook = `apiVersion: tocsin/v1
name: echoes
version: 1.0.0
on:
  alert: { type: echo }
steps:
${['/echo/200', '/echo/400', '/echo/401', '/echo/500', '/cut', '/token', '/echo/302']
  .map(
    (path, index) => `  - id: call_${index}
    uses: http.get
    connection: echo
    with: { path: ${path} }
    retry: { max: 1, backoff: 10ms }
    on_error: continue
`,
  )
  .join('')}
  - id: call_7
    uses: endpoint_security.list_alerts
    connection: tenant
    with: { limit: 1 }
    retry: { max: 1, backoff: 10ms }
    on_error: continue
`

let issuedCount = 0
/** Received by the OpenTelemetry collector. */
const traces: Buffer[] = []

/** Repeats the request in every form, in every part of an answer. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/v1/traces') {
    request.on('data', (chunk: Buffer) => traces.push(chunk))
    request.on('end', () => response.end('{}'))
    return
  }
  const sent = request.headers.authorization ?? ''
  const bare = sent.replace('Bearer ', '')
  if (request.url === '/t1/oauth2/v2.0/token') {
    issuedCount++
    response.end(
      JSON.stringify({ token_type: 'Bearer', expires_in: 3600, access_token: issued[issuedCount % 2] }),
    )
    return
  }
  const [, status] = /^\/echo\/(\d+)/.exec(request.url ?? '') ?? []
  if (status === undefined && request.url !== '/token') {
    request.socket.destroy()
    return
  }
  const body =
    request.url === '/token'
      ? { access_token: token, expires_in: 3600, note: `your token is ${token}` }
      : { message: `you sent ${sent}`, forms: formsOf(bare), [bare]: { whole: btoa(sent) } }
  response.writeHead(Number(status ?? 200), {
    'content-type': 'application/json',
    'x-echo': sent,
    location: `http://127.0.0.1/${encodeURIComponent(bare)}`,
  })
  response.end(JSON.stringify(body))
}

describe('secrets of a running server', function () {
  this.timeout(60_000)
  const bootstrapKey = makeKey().value
  let folder: TemporaryFolder
  let remote: Server
  let server: RunningServer
  let log: string
  const answers: string[] = []

  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await server.call(path, { method, ...(body !== undefined && { body }) })
    answers.push(JSON.stringify(reply.body))
    return reply
  }

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks', 'echoes.yaml'), playbook)
    remote = createServer(echo).listen(0, '127.0.0.1')
    await once(remote, 'listening')
    const host = `127.0.0.1:${(remote.address() as AddressInfo).port}`
    server = await startServer({
      dataDir: join(folder.path, 'data'),
      adminKey: bootstrapKey,
      env: {
        TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
        TOCSIN_ALLOW_PRIVATE_EGRESS: host,
        TOCSIN_LOG_LEVEL: 'debug',
        TOCSIN_BOOTSTRAP_API_KEY: bootstrapKey,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
      },
    })
    await useSecrets(`http://${host}`)
    for (const list of [
      'alerts',
      'cases',
      'runs',
      'connections',
      'keys',
      'playbooks',
      'skills',
      'plugins',
      'openapi.json',
      'audit?limit=200',
      'checkpoints',
      'engine',
      'session',
    ])
      await call('GET', `/${list}`)
    await readTexts()
    await backUp()
    await readFiles()
    log = (await server.stop()).stderr
  })
  after(async () => {
    await killCommands()
    remote.close()
    await folder.remove()
  })

  async function useSecrets(base_url: string): Promise<void> {
    const settings = { base_url, header_value: `Bearer ${credential}` }
    const connection = { organization_code: 'main', name: 'echo', plugin: 'http', settings }
    expect((await call('POST', '/connections', connection)).status).to.equal(201)
    expect((await call('POST', '/connections', connection)).status, 'twice').to.equal(409)
    const tenant = {
      tenant_id: 't1',
      client_id: '00000000-0000-4000-8000-000000000001',
      client_secret: clientSecret,
      login_url: base_url,
      endpoint_api_url: `${base_url}/echo/401`,
    }
    const withToken = {
      ...connection,
      name: 'tenant',
      plugin: 'endpoint_security',
      settings: tenant,
    }
    expect((await call('POST', '/connections', withToken)).status).to.equal(201)
    const refused = await call('POST', '/connections/tenant/authenticate')
    expect([refused.status, refused.body.code]).to.deep.equal([502, 'http_401'])
    const wrong = { ...settings, header_name: `no header ${credential}` }
    await call('POST', '/connections', { ...connection, name: 'wrong', settings: wrong })
    await investigate()
    for (const [test_path, ...expected] of [
      ['/echo/200', 200, undefined],
      ['/echo/401', 502, 'http_401'],
      ['/echo/500', 503, 'http_500'],
      ['/echo/302', 502, 'http_302'],
      ['/cut', 503, 'network_error'],
    ] as const) {
      await call('PATCH', '/connections/echo', { settings: { test_path } })
      const { status, body } = await call('POST', '/connections/echo/authenticate')
      expect([status, body.code], test_path).to.deep.equal(expected)
    }
    await call('PATCH', '/connections/echo', { settings: { header_value: `Bearer ${changed}` } })
    await investigate()
    // Paths are logged, so they contain a connection's secret, an issued token and a key in unexpected
    // places.
    for (const secret of [
      credential,
      changed,
      token,
      clientSecret,
      ...issued,
      bootstrapKey,
      bootstrapKey.slice(-43),
    ]) {
      await server.call(`/runs/${encodeURIComponent(secret)}`)
      await server.call(`/runs?x=${encodeURIComponent(secret)}`)
    }
  }

  async function investigate(): Promise<void> {
    const alert = {
      alert_content: 'x',
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'echo',
    }
    const reply = await server.call('/alerts', { body: alert, headers: { prefer: 'wait=30' } })
    expect(reply.body.investigation_status, JSON.stringify(reply.body)).to.equal(15)
    const { body } = await call('GET', `/alerts/${reply.body.alert_id}`)
    await call('GET', `/cases/${body.case_id}`)
    const { body: run } = await call('GET', `/runs/${body.runs[0].run_uuid}`)
    expect(run.steps).to.have.length(8)
    const codes = run.steps.map((step: { error: { code: string } | null }) => step.error?.code ?? 'ok')
    expect(codes).to.deep.equal([
      'ok',
      'http_400',
      'http_401',
      'http_500',
      'network_error',
      'ok',
      'http_302',
      'http_401',
    ])
  }

  const texts = new Map<string, string>()
  /** Answers other than JSON: metrics, the event stream of a run, the report of a case. */
  async function readTexts(): Promise<void> {
    const { body } = await server.call('/runs')
    for (const { run_uuid, case_id } of body.data) {
      for (const path of [
        `/api/runs/${run_uuid}/events`,
        `/api/cases/${case_id}/export?format=markdown`,
        '/metrics',
      ]) {
        const reply = await fetch(`${server.url}${path}`, {
          headers: { authorization: `Bearer ${bootstrapKey}` },
        })
        texts.set(path, await reply.text())
        expect(reply.status, `${path}: ${texts.get(path)}`).to.equal(200)
      }
    }
  }

  async function backUp(): Promise<void> {
    const path = join(folder.path, 'backup.db')
    const env = {
      TOCSIN_DATA_DIR: join(folder.path, 'data'),
      TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
    }
    for (const args of [
      ['backup', path],
      ['audit', 'verify'],
      ['doctor', '--offline'],
    ]) {
      const { code, stdout, stderr } = await runTocsin(args, { env: { ...env, TOCSIN_PORT: '0' } })
      expect(code, stderr).to.equal(0)
      texts.set(args.join(' '), stdout + stderr)
    }
    files.set('the backup', await readFile(path))
  }

  /** While the server runs, so that the write-ahead log exists. */
  const files = new Map<string, Buffer>()
  async function readFiles(): Promise<void> {
    const dataDir = join(folder.path, 'data')
    for (const name of await readdir(dataDir)) files.set(name, await readFile(join(dataDir, name)))
  }

  function expectNone(text: string | Buffer, what: string): void {
    for (const secret of [
      credential,
      `Bearer ${credential}`,
      changed,
      `Bearer ${changed}`,
      token,
      clientSecret,
      ...issued,
      bootstrapKey.slice(-43),
    ]) {
      for (const form of formsOf(secret)) {
        const at = text.indexOf(form)
        expect(
          at === -1 ? '' : text.toString().slice(Math.max(0, at - 80), at + 80),
          `${what}: ${form}`,
        ).to.equal('')
      }
    }
    const part = text.indexOf('canary-')
    expect(
      part === -1 ? '' : text.toString().slice(Math.max(0, part - 80), part + 80),
      `${what}: a part of one`,
    ).to.equal('')
  }

  it('never reach its log', () => {
    expect(log).to.include('"level":"debug"')
    expectNone(log, 'log')
  })

  it('never reach a file of its data directory', () => {
    expect([...files.keys()]).to.include.members(['tocsin.db', 'tocsin.db-wal', 'master.key'])
    expect(files.get('tocsin.db-wal')?.includes('call_0'), 'the journal is there').to.equal(true)
    for (const [name, content] of files) expectNone(content, name)
  })

  it('never reach a metric, stream, report or command output', () => {
    const all = [...texts.values()].join('\n')
    expect(all).to.include('event: step').and.include('tocsin_skill_call_duration_seconds').and.include('## ')
    for (const [name, text] of texts) expectNone(text, name)
  })

  it('never reach a trace', () => {
    const sent = Buffer.concat(traces).toString()
    expect(sent).to.include('call_7')
    expectNone(sent, 'traces')
  })

  it('never reach a response of its API', () => {
    expect(answers.join('\n')).to.include('[redacted]')
    expectNone(answers.join('\n'), 'answers')
  })
})
