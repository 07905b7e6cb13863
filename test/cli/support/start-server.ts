import { startTocsinCommand, type Ended, type RunningCommand, type StartOptions } from './run-tocsin.ts'

export interface Reply {
  readonly status: number
  readonly body: any
  readonly headers: Headers
}

export interface CallOptions {
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Default: the administrator's. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `tocsin serve` in a process of its own. */
export interface RunningServer {
  readonly url: string
  /** What it said when it had started. */
  readonly welcome: string
  /** Of the first start; of later ones, what the test knows from then. */
  readonly adminKey: string
  readonly command: RunningCommand
  /** @param path below the API's prefix, beginning with a slash */
  call(path: string, options?: CallOptions): Promise<Reply>
  /** Waits for its end. Default: SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

export interface ServerOptions extends StartOptions {
  readonly dataDir: string
  /** Needed where the data directory is not new. */
  readonly adminKey?: string
}

/** Starts a server on a free port and resolves when it listens. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const command = startTocsinCommand(['serve'], {
    ...options,
    env: {
      TOCSIN_PORT: '0',
      TOCSIN_LOG_LEVEL: 'error',
      TOCSIN_DATA_DIR: options.dataDir,
      // Tests send the same alert again and again.
      TOCSIN_GROUP_MINUTES: '0',
      ...options.env,
    },
  })
  const welcome = await command.hasPrinted(/skills\)[^]*\n$/)
  const url = /listening on (http:\S+)/.exec(welcome)?.[1] ?? ''
  const adminKey = options.adminKey ?? /toc_\w{12}_[\w-]{43}/.exec(welcome)?.[0] ?? ''
  return {
    url,
    welcome,
    adminKey,
    command,
    call: (path, call) => callApi(`${url}/api${path}`, { key: adminKey, ...call }),
    stop(signal = 'SIGTERM') {
      command.process.kill(signal)
      return command.ended
    },
  }
}

export async function callApi(url: string, { method, body, key, headers }: CallOptions): Promise<Reply> {
  const whateverItIs = method === 'PATCH' ? { 'if-match': '*' } : {}
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { cookie: `Session=${key}`, 'content-type': 'application/json', ...whateverItIs, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}
