import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a node and PostgreSQL, and can lose the notifications of other nodes. */
export interface DeafProxy {
  /** The address of the database, through the proxy. */
  readonly address: string
  /** Loses notifications; everything else passes. */
  isDeaf: boolean
  /** How many notifications were lost. */
  readonly lost: number
  /** Ends all connections, and each new one. */
  isCut: boolean
  close(): Promise<void>
}

/** @param tcpAddress without TLS */
export async function startDeafProxy(tcpAddress: string): Promise<DeafProxy> {
  const target = new URL(tcpAddress)
  const sockets = new Set<Socket>()
  let isCut = false
  const endAll = () => sockets.forEach((socket) => socket.destroy())
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    for (const socket of [client, upstream])
      sockets.add(socket.setNoDelay(true).on('error', end).on('close', end))
    client.on('data', (chunk) => upstream.write(chunk))
    const messages = createMessageReader()
    upstream.on('data', (chunk) => {
      const passed = messages(chunk).filter((message) => {
        const isLost = proxy.isDeaf && message[0] === notification
        if (isLost) proxy.lost++
        return !isLost
      })
      if (passed.length > 0) client.write(Buffer.concat(passed))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = new URL(tcpAddress)
  address.port = String((server.address() as AddressInfo).port)
  const proxy = {
    address: String(address),
    isDeaf: false,
    lost: 0,
    get isCut() {
      return isCut
    },
    set isCut(value) {
      isCut = value
      if (isCut) endAll()
    },
    async close() {
      endAll()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

/** `NotificationResponse` of the protocol. */
const notification = 'A'.charCodeAt(0)

/** Whole messages of the server: a type of one byte, and a length that counts itself. */
function createMessageReader(): (chunk: Buffer) => readonly Buffer[] {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    while (rest.length >= 5) {
      const end = 1 + rest.readInt32BE(1)
      if (rest.length < end) break
      messages.push(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    return messages
  }
}
