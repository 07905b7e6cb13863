import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningSandbox } from '../../../core/plugin/index.ts'
import { serveSandbox } from '../../../core/plugin/testing/index.ts'
import { makeKey } from '../../../server/access/keys.ts'
import {
  startServer,
  type CallOptions,
  type Reply,
  type RunningServer,
} from '../../support/server/start-server.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { sign, type DoorbellEvent } from './doorbell-plugin.ts'

export const signingSecret = 'canary-signing-secret'

/** Requests received by the other system. */
export interface Heard {
  readonly what: 'ring' | 'settle' | 'remind' | 'refuse' | 'me'
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any
}

export interface SendOptions {
  /** Default: the token of the connection `front door`. */
  readonly token?: string
  /** Default: the correct one. */
  readonly secret?: string
  /** Seconds before now. Default 0. */
  readonly age?: number
  /** Sent instead of the signed body. */
  readonly altered?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

/**
 * `tocsin serve` in its own process, with the plugin `door_bell`, its other system, and a connection `front
 * door`.
 */
export interface House {
  readonly server: RunningServer
  readonly sandbox: RunningSandbox
  readonly token: string
  /** Data directory of the server. */
  readonly dataDir: string
  heard(what?: Heard['what']): readonly Heard[]
  call(path: string, options?: CallOptions): Promise<Reply>
  /** A further connection; the token of its addresses. */
  connect(name: string, settings?: object): Promise<string>
  /** Signed as the other system would, by default. */
  send(event: DoorbellEvent, options?: SendOptions): Promise<Response>
  /** Starts the playbook and resolves when it has asked; returns the id of the question. */
  ask(
    inputs?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly run: string; readonly checkpoint: string }>
  /** Waits until the run has ended. */
  ended(run: string): Promise<Reply['body']>
  given(checkpoint: string): Promise<readonly (readonly [by: string, outcome: string])[]>
  /** Kills or stops the process, and starts another one. */
  restart(signal: NodeJS.Signals): Promise<void>
  /** The logs of earlier processes. */
  readonly log: string
  close(): Promise<void>
}

const playbook = `apiVersion: tocsin/v1
name: who-rings
version: 1.0.0
on: { manual: true }
inputs:
  door: { type: string, default: kim }
  connection: { type: string, default: x }
  timeout: { type: string, default: 30m }
  remind: { type: string, default: 20m }
steps:
  - id: ask
    checkpoint:
      via: door_bell.ring
      connection: front door
      with: { door: '\${{ inputs.door }}', remind_after: '\${{ inputs.remind }}' }
      answers: [It was me, not me]
      timeout: \${{ inputs.timeout }}
      on_timeout: nobody
outputs: { said: '\${{ steps.ask.output.answer }}', by: '\${{ steps.ask.output.by }}' }
`

export async function openHouse(env: Readonly<Record<string, string>> = {}): Promise<House> {
  const folder = await makeTemporaryFolder()
  const adminKey = makeKey().value
  let rings = 0
  const sandbox = await serveSandbox(
    () => (call) => (call.pathname === '/ring' ? { json: { ring: String(++rings) } } : { json: {} }),
    (url) => ({ base_url: url, api_key: 'canary-api-key', signing_secret: signingSecret }),
  ).start()
  const playbooksDir = join(folder.path, 'playbooks')
  await mkdir(playbooksDir)
  await writeFile(join(playbooksDir, 'who-rings.yaml'), playbook)
  const start = () =>
    startServer({
      dataDir: join(folder.path, 'data'),
      adminKey,
      env: {
        TOCSIN_BOOTSTRAP_API_KEY: adminKey,
        TOCSIN_PLAYBOOKS_DIR: playbooksDir,
        TOCSIN_PLUGINS: join(import.meta.dirname, 'doorbell-plugin.ts'),
        TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(sandbox.url).host,
        TOCSIN_LOG_LEVEL: 'debug',
        ...env,
      },
    })
  let server = await start()
  let log = ''
  const call: House['call'] = (path, options) => server.call(path, options)
  const connect: House['connect'] = async (name, settings = {}) => {
    const body = {
      organization_code: 'main',
      name,
      plugin: 'door_bell',
      settings: { ...sandbox.settings, ...settings },
    }
    const made = await call('/connections', { body })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const { body: manifest } = await call(`/connections/${encodeURIComponent(name)}/manifest`)
    return new URL(manifest.events).searchParams.get('token') ?? ''
  }
  const token = await connect('front door')

  const house: House = {
    get server() {
      return server
    },
    sandbox,
    token,
    dataDir: join(folder.path, 'data'),
    heard(what) {
      const all = sandbox.requests.map(({ path, body }) => ({
        what: path.slice(1) as Heard['what'],
        body: body === '' ? undefined : (JSON.parse(body) as unknown),
      }))
      return what === undefined ? all : all.filter((one) => one.what === what)
    },
    call,
    connect,
    async send(event, options = {}) {
      const body = JSON.stringify(event)
      const timestamp = String(Math.floor(Date.now() / 1_000) - (options.age ?? 0))
      const path = options.path ?? '/api/webhooks/door-bell/v1/events'
      return await fetch(`${server.url}${path}?token=${options.token ?? token}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-doorbell-time': timestamp,
          'x-doorbell-signature': sign(options.secret ?? signingSecret, timestamp, body),
          ...options.headers,
        },
        body: options.altered ?? body,
      })
    },
    async ask(inputs = {}) {
      const door = inputs['door'] ?? `door-${randomUUID().slice(0, 8)}`
      const body = { organization_code: 'main', inputs: { ...inputs, door } }
      const started = await call('/playbooks/who-rings/runs', { body })
      expect(started.status, JSON.stringify(started.body)).to.be.oneOf([200, 201])
      const run: string = started.body.run_uuid
      // From the journal of the run, because a short question may end before it is seen.
      const checkpoint = await until(async () => {
        const { body: seen } = await call(`/runs/${run}`)
        const asking = seen.steps.find(({ path }: { path: string }) => path === 'ask/@ask')
        const id: string | undefined = asking?.input.checkpoint_id
        if (id === undefined) return undefined
        const { body: found } = await call(`/checkpoints/${id}`)
        return found.checkpoint.reference === null ? undefined : id
      })
      return { run, checkpoint }
    },
    ended: (run) =>
      until(async () => {
        const { body } = await call(`/runs/${run}`)
        return body.ended_at === null ? undefined : body
      }),
    async given(checkpoint) {
      const { body } = await call(`/checkpoints/${checkpoint}`)
      return body.given.map(({ by, outcome }: { by: string; outcome: string }) => [by, outcome])
    },
    async restart(signal) {
      log += (await server.stop(signal)).stderr
      server = await start()
    },
    get log() {
      return log
    },
    async close() {
      await server.stop()
      await sandbox.close()
      await folder.remove()
    },
  }
  return house
}

/** Polls until there is a result; fails after ten seconds. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('it never came')
}
