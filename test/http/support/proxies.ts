import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { createConnection, createServer as createTcpServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'

/** Ends TLS on `port` of 127.0.0.1 in front of Tocsin; `folder` is for what it writes. */
export type StartProxy = (port: number, tocsin: number, folder: string) => Promise<RunningProxy>

export interface RunningProxy {
  close(): Promise<void>
}

const fixture = (name: string) =>
  join(import.meta.dirname, '../../egress/fixtures', `self-signed.${name}.pem`)
export const certificate = readFileSync(fixture('cert'), 'utf8')

export const hasNginx = spawnSync('nginx', ['-v']).status === 0

/** The block of docs/operations.md, with other ports and files. */
export const startNginx: StartProxy = async (port, tocsin, folder) => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  const [, block = ''] = /```nginx\n([^]*?)```/.exec(page) ?? []
  const own = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/ssl/tocsin.pem', fixture('cert'))
    .replace('/etc/ssl/tocsin.key', fixture('key'))
    .replace('http://127.0.0.1:8080', `http://127.0.0.1:${tocsin}`)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const path = join(folder, 'nginx.conf')
  writeFileSync(
    path,
    `daemon off; ${user} worker_processes 1; pid ${folder}/pid; events {}\nhttp { access_log off; ${paths}\n${own}}`,
  )
  const nginx = spawn('nginx', ['-c', path, '-e', `${folder}/error.log`], { stdio: 'inherit' })
  const ended = once(nginx, 'exit')
  await eventually('nginx', () => connects(port))
  return {
    async close() {
      nginx.kill('SIGTERM')
      await ended
    },
  }
}

/** What every proxy does, and no more, where there is no nginx. */
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

/** For whoever has to know it before it is used. */
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
