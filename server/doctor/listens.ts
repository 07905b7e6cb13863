import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether the process that holds `heldFile` open listens on the TCP port. Undefined where that cannot be told: on other systems than Linux, of a
 * process of another user, or where the pid is that of another process, as it is from outside of a container.
 */
export function listens(pid: number, heldFile: string, port: number): boolean | undefined {
  try {
    const folder = `/proc/${pid}/fd`
    const targets = readdirSync(folder).map((fd) => target(join(folder, fd)))
    if (!targets.includes(realpathSync(heldFile))) return undefined
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeners(`/proc/${pid}/net/${table}`, port)))
    return targets.some((path) => sockets.has(path))
  } catch {
    return undefined
  }
}

/** A descriptor may have been closed meanwhile. */
function target(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** State of a socket that listens, in the tables of the kernel: proc(5). */
const listening = '0A'

function listeners(table: string, port: number): readonly string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === listening && local?.endsWith(wanted))
    .map((columns) => `socket:[${columns[9]}]`)
}
