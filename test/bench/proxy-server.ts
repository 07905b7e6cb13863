/**
 * A proxy without upstream keep-alive, in its own process: it opens a connection per request, as nginx does
 * by default.
 */
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './answer-parent.ts'

const server = createServer((request, response) => {
  const port = Number(request.headers['x-bench-port'])
  const { method, url: path } = request
  const headers = { ...request.headers, connection: 'close' }
  const upstream = sendRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
    const { connection: _, ...kept } = answer.headers
    response.writeHead(answer.statusCode ?? 502, kept)
    answer.pipe(response)
  })
  upstream.on('error', () => response.writeHead(502, { 'content-length': '0' }).end())
  request.pipe(upstream)
})
server.listen(0, '127.0.0.1', () => {
  answerParent({ port: (server.address() as AddressInfo).port }, () => 0)
})
process.on('SIGTERM', () => process.exit(0))
