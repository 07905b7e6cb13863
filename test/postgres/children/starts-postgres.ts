import { PostgresServer } from '../../support/postgres/server.ts'

const server = await PostgresServer.start()
process.stdout.write(`${JSON.stringify({ pid: server.pid(), folder: server.folder })}\n`)
setInterval(() => {}, 1000)
