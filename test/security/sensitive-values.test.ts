import { expect } from 'chai'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

/** Longer than the text quoted by an expression. */
const longPin = `canary-long-${'0123456789'.repeat(8)}`
const pin = 'canary-pin "1" ü'

/** Accepts a sensitive value and returns one. Its other system repeats the request. */
const vault = `import { definePlugin, defineConnection, defineSkill } from '${pathToFileURL(join(import.meta.dirname, '../../core/plugin/index.ts')).href}'
const connection = defineConnection({
  title: 'Vault',
  description: 'For tests.',
  settings: { type: 'object', required: ['base_url'], additionalProperties: false, properties: { base_url: { type: 'string' } } },
  baseUrl: ({ base_url }) => base_url,
  authenticate: async () => {},
})
const look = defineSkill({
  name: 'look',
  title: 'Look',
  description: 'Looks up a pin.',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['path', 'pin'],
    additionalProperties: false,
    properties: { path: { type: 'string' }, pin: { type: 'string', 'x-accepts-sensitive': true } },
  },
  output: {
    type: 'object',
    required: ['token', 'open'],
    additionalProperties: false,
    properties: { token: { type: 'string', 'x-sensitive': true }, open: { type: 'string' } },
  },
  examples: [{ title: 'One', input: { path: '/200', pin: 'x' }, output: { token: 't', open: 'o' } }],
  async run({ path, pin }, { http, log }) {
    log.info('looks up ' + pin, { pin })
    await http.get(path, { query: { pin } })
    return { token: 'canary-token', open: 'the same word' }
  },
})
export default definePlugin({ name: 'vault', title: 'Vault', description: 'For tests.', connection, skills: [look] })
`

/**
 * Values declared sensitive by the playbook or a skill, in every kind of error and view that could show them.
 */
const playbook = `apiVersion: tocsin/v1
name: quotes
on: { alert: { type: quotes }, manual: true }
alert:
  type: object
  required: [user]
  properties:
    user:
      type: object
      required: [pin, long]
      properties:
        pin: { type: string, x-sensitive: true }
        long: { type: string, x-sensitive: true }
steps:
  - id: known
    set: { n: "\${{ int(alert.data.user.pin) }}" }
    on_error: continue
  - id: unknown
    set: { n: "\${{ int(parseJson(alert.content).user.pin) }}" }
    on_error: continue
  - id: cut
    set: { n: "\${{ timestamp(parseJson(alert.content).user.long) }}" }
    on_error: continue
  - id: condition
    if: timestamp(parseJson(alert.content).user.pin) < now
    wait: 1s
    on_error: continue
  - id: pause
    wait: \${{ parseJson(alert.content).user.pin }}
    on_error: continue
  - id: refused
    uses: vault.look
    with: { path: /400, pin: "\${{ alert.data.user.pin }}" }
    on_error: continue
  - id: retried
    uses: vault.look
    with: { path: /500, pin: "\${{ alert.data.user.pin }}" }
    retry: { max: 1, backoff: 10ms }
    on_error: continue
  - id: looked
    uses: vault.look
    with: { path: /200, pin: "\${{ alert.data.user.pin.trim() }}" }
  - id: derived
    set:
      loud: "\${{ alert.data.user.pin.upperAscii() }}!"
      parts: "\${{ alert.data.user.long.split('-') }}"
      all: "\${{ json(alert) }}"
      token: "\${{ {'deep': [steps.looked.output.token]} }}"
      length: "\${{ size(alert.data.user.pin) }}"
      same: "\${{ alert.data.user.pin == 'x' ? 'yes' : 'no' }}"
  - id: each
    foreach: "\${{ steps.derived.output.parts }}"
    set: { part: "\${{ item }}", at: "\${{ index }}" }
  - uses: case.comment
    with: { text: "\${{ steps.looked.output.open }}, \${{ steps.derived.output.length }} long, \${{ steps.derived.output.same }}" }
  - fail: "it was \${{ steps.looked.output.open }}"
finally:
  - id: last
    set: { token: "\${{ steps.?looked.output.token.orValue('') }}" }
`

/** Repeats the request in its error. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://x')
  response.writeHead(Number(url.pathname.slice(1)), { 'content-type': 'application/json' })
  response.end(JSON.stringify({ message: `no such pin: ${url.searchParams.get('pin')}` }))
}

describe('sensitive values in a running server', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let remote: Server
  let server: RunningServer
  let log: string
  let timeline: string
  let run: {
    readonly error: { readonly message: string }
    readonly steps: readonly {
      readonly path: string
      readonly state: string
      readonly output: unknown
      readonly error: { readonly code: string } | null
    }[]
  }
  const answers = new Map<string, string>()

  const call = async (path: string, body?: unknown) => {
    const reply = await server.call(path, body === undefined ? {} : { body })
    expect(reply.status, path).to.be.within(200, 299)
    answers.set(path, JSON.stringify(reply.body))
    return reply.body
  }

  async function read(path: string): Promise<void> {
    const reply = await fetch(`${server.url}/api${path}`, {
      headers: { cookie: `Session=${server.adminKey}` },
    })
    answers.set(path, await reply.text())
    expect(reply.status, path).to.equal(200)
  }

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks', 'quotes.yaml'), playbook)
    await mkdir(join(folder.path, 'vault'))
    await writeFile(join(folder.path, 'vault', 'plugin.mjs'), vault)
    remote = createServer(echo).listen(0, '127.0.0.1')
    await once(remote, 'listening')
    const host = `127.0.0.1:${(remote.address() as AddressInfo).port}`
    server = await startServer({
      dataDir: join(folder.path, 'data'),
      env: {
        TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
        TOCSIN_ALLOW_PRIVATE_EGRESS: host,
        TOCSIN_LOG_LEVEL: 'debug',
        TOCSIN_PLUGINS: join(folder.path, 'vault', 'plugin.mjs'),
      },
    })
    const settings = { base_url: `http://${host}` }
    await call('/connections', { organization_code: 'main', name: 'echo', plugin: 'vault', settings })
    const alert = {
      alert_content: JSON.stringify({ user: { pin, long: longPin } }),
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'quotes',
    }
    const sent = await server.call('/alerts', { body: alert, headers: { prefer: 'wait=30' } })
    // Readers of an alert may see what its sender put in.
    const { case_id, runs } = (await server.call(`/alerts/${sent.body.alert_id}`)).body
    run = await call(`/runs/${runs[0].run_uuid}`)
    timeline = `/cases/${case_id}`
    for (const list of [
      '/runs',
      '/cases',
      timeline,
      '/checkpoints',
      `/runs/${runs[0].run_uuid}/retry`,
      `/runs/${runs[0].run_uuid}/steps`,
      '/audit',
    ])
      await call(list)
    await read(`/runs/${runs[0].run_uuid}/events`)
    // Of a case without its alerts, which contain the sender's text.
    const { alerts: _, ...report } = (await server.call(`${timeline}/export`)).body.case
    answers.set('the report', JSON.stringify(report))
    log = (await server.stop()).stderr
  })
  after(async () => {
    await killCommands()
    remote.close()
    await folder.remove()
  })

  it('are quoted by errors of every kind in this test', () => {
    const codes = run.steps.map(({ path, error }) => [path, error?.code])
    expect(
      Object.fromEntries(codes.filter(([path, code]) => code !== undefined && path !== '11')),
    ).to.deep.equal({
      known: 'expression_invalid_argument',
      unknown: 'expression_invalid_argument',
      cut: 'expression_invalid_argument',
      condition: 'expression_invalid_argument',
      pause: 'wait_invalid',
      refused: 'http_400',
      retried: 'http_500',
    })
    expect(JSON.stringify(run)).to.include('no such pin: [redacted]')
  })

  it('are hidden, with all derived values, and nothing else is', () => {
    const output = (path: string) => run.steps.find((step) => step.path === path)?.output
    expect(output('looked')).to.deep.equal({ token: '[redacted]', open: 'the same word' })
    expect(output('derived')).to.deep.equal({
      loud: '[redacted]',
      parts: '[redacted]',
      all: '[redacted]',
      token: { deep: ['[redacted]'] },
      length: pin.length,
      same: 'no',
    })
    expect(output('each[1]')).to.deep.equal({ part: '[redacted]', at: 1 })
    expect(output('@finally/last')).to.deep.equal({ token: '[redacted]' })
    expect(run.error.message).to.equal('it was the same word')
    expect(answers.get(timeline)).to.include(`the same word, ${pin.length} long, no`)
  })

  it('never reach a response about the run or its case', () => {
    for (const [path, answer] of answers) expect(answer, path).to.not.match(/canary/i)
  })

  it('never reach the log', () => {
    expect(log)
      .to.include('looks up [redacted]')
      .and.not.match(/canary/i)
  })
})
