import type { Alert } from '../../../core/domain/alert.ts'
import type { Role } from '../../../core/domain/api-key.ts'
import { serverLimits } from '../../../core/destructive/policy.ts'
import { serverNames } from '../../../core/investigation/known-names.ts'
import { createPauses } from '../../../core/engine/turns/pauses.ts'
import { createRunControl } from '../../../core/engine/turns/run-control.ts'
import { createInbound } from '../../../core/inbound/inbound.ts'
import { createSecretResolver, noSecretSources } from '../../../core/skill/connection/secret-resolver.ts'
import { createTraffic } from '../../../core/skill/http/traffic.ts'
import { loopbackEgress } from '../../../core/plugin/testing/index.ts'
import { createSignInFlow } from '../../../core/skill/sign-in/sign-in-flow.ts'
import { createStoredTokens } from '../../../core/skill/sign-in/stored-tokens.ts'
import { createSkillCaller } from '../../../core/skill/call/caller.ts'
import { createPerformTask } from '../../../core/skill/call/perform-task.ts'
import { createStormWatch } from '../../../core/investigation/storm-watch.ts'
import { createRetries } from '../../../core/retry/retries.ts'
import { playbookFilesIn } from '../../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary } from '../../../core/investigation/playbook-library.ts'
import type { Playbook } from '../../../core/playbook/language/playbook.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log, LogFields } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { WebPage } from '../../../server/http/page/load-page.ts'
import { createHttpServer } from '../../../server/http/server/server.ts'
import type { HttpServerConfig } from '../../../server/http/server/server-options.ts'
import type { Services } from '../../../server/http/routing/route.ts'
import { makeKey } from '../../../server/access/keys.ts'
import type { SingleSignOn } from '../../../server/identity/single-sign-on.ts'
import { createMetrics } from '../../../server/metrics/metrics.ts'
import { openTemporaryStores } from '../../support/stores.ts'
import { catalogue as tower } from './catalogue.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import { somebody } from '../../support/somebody.ts'

function signInFlow(
  { stores: { signIns: store }, clock }: Pick<Api, 'stores' | 'clock'>,
  catalogue: Catalogue,
) {
  const grants = { egress: loopbackEgress, clock, traffic: createTraffic(clock) }
  const tokens = createStoredTokens({ ...grants, store, catalogue, isRenewing: true })
  const secrets = createSecretResolver(noSecretSources)
  return createSignInFlow({ ...grants, secrets, tokens, store })
}

const sendsNothing = { send: () => Promise.reject(new Error('a test sends nothing')) }

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any
}

export interface CallOptions {
  /** Sent as the Session cookie. Default: the admin key; null: none. */
  readonly key?: string | null
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Api {
  readonly url: string
  readonly stores: Stores
  readonly adminKey: string
  /** Alerts passed on for investigation. */
  readonly submitted: readonly Alert[]
  readonly logged: readonly { readonly level: string; readonly fields: LogFields; readonly message: string }[]
  readonly clock: Clock & { time: number }
  readonly investigations: {
    -readonly [K in keyof Services['investigations']]: Services['investigations'][K]
  }
  /** Tests credentials; a test may replace it. Default: all credentials are valid. */
  authenticate: Services['authenticate']
  /** Reads references; a test may replace it. Default: there are no sources. */
  secrets: Services['secrets']
  /** Calls skills; a test may replace it. Default: the plugins of the catalogue, on this machine. */
  signIn: Services['signIn']
  /** The servers on the same data; a test may replace it. Default: none. */
  nodes: Services['nodes']
  /** Calls skills in dry runs; a test may replace it. Default: skills without a connection. */
  callerOfSkills: Services['callerOfSkills']
  /** Live playbooks; a test may add others. */
  readonly playbooks: Playbook[]
  /** Uuid of an organization by its code. */
  readonly organizations: Readonly<Record<string, string>>
  /** URL of the listener for health and metrics, if there is one. */
  readonly opsUrl: string | undefined
  /** Path of its database. */
  readonly dataDir: string
  newKey(role: Role, organizationCodes?: readonly string[], expiresAt?: number): Promise<string>
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  close(): Promise<void>
}

/** A server on a free port with real stores, two organizations (`acme`, `globex`) and two providers (`SIEM`, `dlp`). */
export async function startApi(
  config: Partial<HttpServerConfig> = {},
  page?: WebPage,
  catalogue: Catalogue = tower,
  singleSignOn?: (parts: Pick<Api, 'stores' | 'clock'>) => SingleSignOn,
): Promise<Api> {
  const clock = heldClock()
  const { stores, folder, dispose } = await openTemporaryStores({ clock })
  const submitted: Alert[] = []
  const investigations: Api['investigations'] = {
    async receive(given, once) {
      const received = await stores.alerts.receive(given, { once })
      if (!received.replayed && given.type !== null) submitted.push(received.alert)
      return received
    },
    accepting: () => true,
    wait: () => Promise.resolve(),
    again: ({ organizationUuid, uuid }) =>
      stores.runs.queue({
        organizationUuid,
        playbookName: 'p',
        playbookHash: 'h',
        alertUuid: uuid,
        retry: true,
      }),
  }
  const { log, logged } = recordingLog()
  const library = await openPlaybookLibrary({
    store: stores.playbooks,
    catalogue,
    log,
    files: playbookFilesIn(folder.path),
    ...serverNames(stores),
  })
  const playbooks = {
    ...library,
    authored: () => [...library.authored(), ...api.playbooks],
    newest: (name: string, organization?: string) =>
      library.newest(name, organization) ??
      api.playbooks.findLast((playbook) => playbook.name === name)?.hash,
    published: (name: string) => library.published(name) ?? playbooks.newest(name),
    byHash: async (hash: string) =>
      api.playbooks.find((playbook) => playbook.hash === hash) ?? (await library.byHash(hash)),
  }
  const metrics = createMetrics()
  const server = createHttpServer({
    config: { host: '127.0.0.1', port: 0, apiPrefix: 'api', publicUrl: undefined, ...config },
    stores,
    catalogue,
    investigations,
    control: createRunControl({
      stores,
      runner: { enqueue() {}, wake() {}, cancel() {} },
      clock,
      schemas: (skill) => catalogue.skill(skill)?.skill,
    }),
    engine: {
      pauses: createPauses({ store: stores.pause, runner: { pause() {}, resume() {} }, clock, log }),
      queuedOf: () => 0,
      shareOf: () => ({ working: 0, most: 50 }),
      suspects: () => 0,
      destructiveLimits: serverLimits(),
      approvalRules: [],
      maxQueued: 100,
      storms: createStormWatch({ clock, perMinute: 600 }),
    },
    nodes: () => api.nodes(),
    scheduler: { takeOver: async () => {} },
    retries: createRetries({ stores, library: playbooks, catalogue, enqueue() {} }),
    playbooks,
    callerOfSkills: (cases) => api.callerOfSkills(cases),
    authenticate: (...given) => api.authenticate(...given),
    secrets: { values: (...given) => api.secrets.values(...given) },
    signIn: {
      begin: (...given) => api.signIn.begin(...given),
      take: (...given) => api.signIn.take(...given),
      exchange: (...given) => api.signIn.exchange(...given),
      revoke: (...given) => api.signIn.revoke(...given),
    },
    singleSignOn: singleSignOn?.({ stores, clock }),
    inbound: createInbound({
      stores,
      catalogue,
      runner: { wake() {} },
      sayRefused() {},
      performTask: createPerformTask({ catalogue, egress: sendsNothing, clock }),
      clock,
      log,
    }),
    metrics,
    page,
    log,
    clock,
  })
  const { url, opsUrl } = await server.listen().catch(async (error: unknown) => {
    await server.close()
    metrics.close()
    await stores.close()
    await folder.remove()
    throw error
  })
  const organizations = Object.fromEntries(
    await Promise.all(
      ['acme', 'globex'].map(async (code) => [
        code,
        (await stores.organizations.create({ code, name: code }, somebody())).uuid,
      ]),
    ),
  ) as Record<string, string>
  for (const code of ['SIEM', 'dlp']) await stores.providers.create({ code, name: code }, somebody())

  async function newKey(role: Role, codes?: readonly string[], expiresAt?: number): Promise<string> {
    const { value, id, secretHash } = makeKey()
    const organizationUuids = codes?.map((code) => organizations[code] ?? '') ?? null
    await stores.keys.create(
      {
        id,
        secretHash,
        name: role,
        role,
        organizationUuids,
        expiresAt: expiresAt ?? null,
      },
      somebody(),
    )
    return value
  }

  const adminKey = await newKey('admin')
  const api: Api = {
    url,
    opsUrl,
    dataDir: folder.path,
    stores,
    adminKey,
    submitted,
    logged,
    clock,
    investigations,
    nodes: async () => ({ nodes: [], waiting: [] }),
    authenticate: async () => ({}),
    secrets: createSecretResolver(noSecretSources),
    signIn: signInFlow({ stores, clock }, catalogue),
    callerOfSkills: (cases) =>
      createSkillCaller({
        catalogue,
        stores: { connections: stores.connections, cases },
        performTask: createPerformTask({ catalogue, egress: sendsNothing, clock }),
        log,
      }),
    playbooks: [],
    organizations,
    newKey,
    call: (method, path, options = {}) => call(`${url}${path}`, method, { key: adminKey, ...options }),
    async close() {
      await server.close()
      metrics.close()
      await dispose()
    },
  }
  return api
}

async function call(url: string, method: string, { key, body, headers = {} }: CallOptions): Promise<Reply> {
  const sent: Record<string, string> = { ...(typeof key === 'string' && { cookie: `Session=${key}` }) }
  if (body !== undefined) sent['content-type'] = 'application/json'
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(url, {
    method,
    headers: { ...sent, ...headers },
    ...(text !== undefined && { body: text }),
  })
  const answered = await textOf(answer)
  return { status: answer.status, headers: answer.headers, text: answered, json: parsed(answered) }
}

/** The beginning of a stream of events, which has no end. */
export async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type') !== 'text/event-stream') return await answer.text()
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function heldClock(): Api['clock'] {
  return {
    time: 1_800_000_000_000,
    now() {
      return this.time
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(signal.reason as Error)
        })
      }),
  }
}

function recordingLog() {
  const logged: { level: string; fields: LogFields; message: string }[] = []
  const write = (level: string) => (fields: LogFields, message: string) =>
    void logged.push({ level, fields, message })
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return { log, logged }
}
