import { createServer } from 'node:http'
import { once } from 'node:events'

/** Whether a server could listen there; else the code of the operating system, e.g. `EADDRINUSE`. */
export async function probePort(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    server.close()
  }
}
