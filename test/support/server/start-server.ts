import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConfig } from '../../../server/config/config.ts'
import { startTocsin } from '../../../server/main.ts'
import { makeDataDir } from '../stores.ts'
import type { Ended } from './hosted-commands.ts'
import { startTocsinCommand, type RunningCommand, type StartOptions } from './run-tocsin.ts'

export interface Reply {
  readonly status: number
  readonly body: any
  readonly headers: Headers
}

export interface CallOptions {
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Default: the admin key. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Gives up waiting for the answer. */
  readonly signal?: AbortSignal
}

/** A listening server, in a separate process or in the process of the tests. */
export interface RunningServer {
  readonly url: string
  /** Printed after the start; empty in the process of the tests. */
  readonly welcome: string
  /** Created by the first start; later starts need it from the test. */
  readonly adminKey: string
  /** Throws for a server in the process of the tests. */
  readonly command: RunningCommand
  /** @param path below the API's prefix, beginning with a slash */
  call(path: string, options?: CallOptions): Promise<Reply>
  /** Waits for the end. Default: SIGTERM; the only signal for a server in the process of the tests. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

export interface ServerOptions extends StartOptions {
  readonly dataDir: string
  /** Required for an existing data directory. */
  readonly adminKey?: string
}

/** `tocsin serve` in a separate process, on a free port. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const command = startTocsinCommand(['serve'], { ...options, env: environment(options) })
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

/**
 * The same server in the process of the tests, which saves a second of processor time; for tests that are not
 * about the process.
 */
export async function startServerInProcess(
  options: Pick<ServerOptions, 'cwd' | 'dataDir' | 'env' | 'adminKey'>,
): Promise<RunningServer> {
  const { TOCSIN_PLAYBOOKS_DIR = 'playbooks', ...env } = environment(options)
  const from = (path: string) => resolve(options.cwd ?? '.', path)
  if (!existsSync(from(options.dataDir))) await makeDataDir(from(options.dataDir))
  const tocsin = await startTocsin(
    readConfig({
      ...env,
      TOCSIN_DATA_DIR: from(options.dataDir),
      TOCSIN_PLAYBOOKS_DIR: from(TOCSIN_PLAYBOOKS_DIR),
    }),
  )
  const adminKey = options.adminKey ?? tocsin.adminKey ?? ''
  let ended: Promise<Ended> | undefined
  return {
    url: tocsin.url,
    welcome: '',
    adminKey,
    get command(): RunningCommand {
      throw new Error('this server runs in the process of the tests')
    },
    call: (path, call) => callApi(`${tocsin.apiUrl}${path}`, { key: adminKey, ...call }),
    stop(signal = 'SIGTERM') {
      if (signal !== 'SIGTERM') throw new Error('only a process of its own can be killed')
      return (ended ??= tocsin.close().then(() => ({ code: 0, signal: null, stdout: '', stderr: '' })))
    },
  }
}

function environment({ dataDir, env }: Pick<ServerOptions, 'dataDir' | 'env'>): Record<string, string> {
  return {
    TOCSIN_PORT: '0',
    TOCSIN_LOG_LEVEL: 'error',
    TOCSIN_DATA_DIR: dataDir,
    // Tests send identical alerts.
    TOCSIN_GROUP_MINUTES: '0',
    // A thread loads all plugins, which most tests do not need. `npm run test:crash` sets it.
    TOCSIN_WORKERS: process.env['TOCSIN_TEST_WORKERS'] ?? '0',
    ...env,
  }
}

export async function callApi(
  url: string,
  { method, body, key, headers, signal }: CallOptions,
): Promise<Reply> {
  const anyVersion = method === 'PATCH' ? { 'if-match': '*' } : {}
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { cookie: `Session=${key}`, 'content-type': 'application/json', ...anyVersion, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}
