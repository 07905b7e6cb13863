import { createServer, type RequestListener, type Server } from 'node:http'
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net'

export interface TestServer {
  readonly port: number
  readonly url: string
  /** Number of accepted connections. */
  readonly connections: () => number
  close(): Promise<void>
}

/** An HTTP server on 127.0.0.1. */
export function serveHttp(listener: RequestListener): Promise<TestServer> {
  return listen(createServer(listener))
}

/** A raw TCP server, for responses that no HTTP server would send. */
export function serveSocket(talk: (socket: Socket, first: Buffer) => void): Promise<TestServer> {
  return listen(
    createSocketServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (first: Buffer) => talk(socket, first))
    }),
  )
}

async function listen(server: Server | SocketServer): Promise<TestServer> {
  let connections = 0
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
