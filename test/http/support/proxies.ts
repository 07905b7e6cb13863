import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { createConnection, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { noteUntested } from '../../support/untested.ts'

/** Terminates TLS on `port` of 127.0.0.1 in front of Tocsin; `folder` is for its files. */
export type StartProxy = (port: number, tocsin: number, folder: string) => Promise<RunningProxy>

export interface RunningProxy {
  close(): Promise<void>
}

const fixture = (name: string) =>
  join(import.meta.dirname, '../../egress/fixtures', `self-signed.${name}.pem`)
export const certificate = readFileSync(fixture('cert'), 'utf8')

const deploy = (name: string) => readFileSync(join(import.meta.dirname, '../../../deploy', name), 'utf8')

/** Whether the program is installed; otherwise the summary of the test run names the skipped test. */
function has(program: string, ...args: readonly string[]): boolean {
  const isThere = spawnSync(program, args).status === 0
  if (!isThere) noteUntested(`the configuration of ${program} in deploy/: ${program} is not installed`)
  return isThere
}

export const hasNginx = has('nginx', '-v')
export const hasCaddy = has('caddy', 'version')
/** From Caddy 2.11.2 on, a request with a body moves to another node when one refuses the connection. */
export const caddyMovesBodies = isNewer(spawnSync('caddy', ['version']).stdout?.toString() ?? '', [2, 11, 2])

function isNewer(version: string, least: readonly number[]): boolean {
  const numbers = (/\d+\.\d+\.\d+/.exec(version)?.[0] ?? '0.0.0').split('.').map(Number)
  const at = least.findIndex((number, index) => number !== numbers[index])
  return at === -1 || numbers[at]! > least[at]!
}

/** `deploy/nginx/tocsin.conf` with other ports and files. */
export const startNginx: StartProxy = async (port, tocsin, folder) => {
  const own = replaceEach(deploy('nginx/tocsin.conf'), {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    '/etc/ssl/tocsin.pem': fixture('cert'),
    '/etc/ssl/tocsin.key': fixture('key'),
    '/var/log/nginx/tocsin.log': join(folder, 'access.log'),
    '127.0.0.1:8080': `127.0.0.1:${tocsin}`,
  })
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const path = join(folder, 'nginx.conf')
  writeFileSync(
    path,
    `daemon off; ${user} worker_processes 1; pid ${folder}/pid; events {}\nhttp { ${paths}\n${own}}`,
  )
  return startProgram(port, folder, 'nginx', ['-c', path, '-e', `${folder}/error.log`])
}

/** `deploy/caddy/Caddyfile` with another certificate. */
export const startCaddy: StartProxy = (port, tocsin, folder) =>
  runCaddy(port, folder, deploy('caddy/Caddyfile'), { UPSTREAM: `127.0.0.1:${tocsin}` })

/** `deploy/caddy/Caddyfile.cluster` with another certificate and nodes that report on their own ports. */
export function startCaddyFor(nodes: readonly number[], port: number, folder: string): Promise<RunningProxy> {
  const file = replaceEach(deploy('caddy/Caddyfile.cluster'), {
    'node1:8080 node2:8080': nodes.map((node) => `127.0.0.1:${node}`).join(' '),
    '\t\thealth_port 8081\n': '',
  })
  return runCaddy(port, folder, file)
}

async function runCaddy(
  port: number,
  folder: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProxy> {
  const site = '{$SITE:tocsin.example.com} {'
  const own = replaceEach(file, { [site]: `${site}\n\ttls ${fixture('cert')} ${fixture('key')}` })
  const path = join(folder, 'Caddyfile')
  writeFileSync(
    path,
    `{\n\tadmin off\n\tauto_https disable_redirects\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n${own}`,
  )
  return startProgram(port, folder, 'caddy', ['run', '--config', path, '--adapter', 'caddyfile'], {
    ...env,
    SITE: `https://127.0.0.1:${port}`,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
  })
}

function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((replaced, [from, to]) => {
    if (!replaced.includes(from)) throw new Error(`the configuration has no ${from}`)
    return replaced.replace(from, to)
  }, text)
}

async function startProgram(
  port: number,
  folder: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProxy> {
  // Caddy prints harmless lines; those of a failed start are in the error.
  const path = join(folder, `${program}.log`)
  const output = openSync(path, 'w')
  const child = spawn(program, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } })
  const ended = once(child, 'exit')
  closeSync(output)
  const failed = ended.then(() => {
    throw new Error(`${program} ended: ${readFileSync(path, 'utf8')}`)
  })
  await Promise.race([eventually(program, () => connects(port)), failed])
  failed.catch(() => undefined)
  return {
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A minimal proxy for machines without nginx. */
export const startNodeProxy: StartProxy = async (port, tocsin) => {
  const tls = { key: readFileSync(fixture('key')), cert: certificate }
  const server = createServer(tls, (incoming, outgoing) => {
    const before = incoming.headers['x-forwarded-for']
    const forwarded = [before, incoming.socket.remoteAddress].filter(Boolean).join(', ')
    const headers = { ...incoming.headers, 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' }
    const { method, url } = incoming
    const passed = request({ port: tocsin, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(passed)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** For callers that must know it in advance. */
export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function connects(port: number): Promise<true | undefined> {
  const socket = createConnection(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}
