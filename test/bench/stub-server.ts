/** Another system in its own process: answers every GET at once with a small record. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './answer-parent.ts'

const body = JSON.stringify({
  id: 7,
  owner: 'ada',
  risk: { score: 12, level: 'low' },
  tags: ['known', 'internal'],
})
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  answerParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, () => 0)
})
process.on('SIGTERM', () => process.exit(0))
