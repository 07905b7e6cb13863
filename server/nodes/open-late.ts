import type { Config } from '../config/config.ts'
import type { Listener } from '../http/server/listener.ts'
import { listenUnready, type NotReady } from '../http/server/standby-listener.ts'

/** What was opened, maybe after a wait. */
export interface OpenedLate<T> {
  readonly opened: T
  /** Frees the ports. */
  readonly endStandby: () => Promise<void>
}

/** How to wait before the next attempt. */
export interface Wait {
  /** For whoever asks this process meanwhile. */
  readonly why: NotReady
  wait(): Promise<void>
}

/**
 * Opens a store. While that fails, this process answers on its ports that it is not ready.
 *
 * @param afterError undefined: waiting does not help
 * @throws what `open` throws
 */
export async function openLate<T>(
  open: () => Promise<T>,
  ports: Pick<Config, 'host' | 'port' | 'opsPort'>,
  afterError: (error: unknown) => Wait | undefined,
): Promise<OpenedLate<T>> {
  let servers: readonly Listener[] = []
  const endStandby = async () => void (await Promise.all(servers.map((server) => server.close())))
  let why: NotReady
  try {
    for (;;) {
      try {
        return { opened: await open(), endStandby }
      } catch (error) {
        const next = afterError(error)
        if (next === undefined) throw error
        why = next.why
        if (servers.length === 0) servers = await listenUnready(ports, () => why)
        await next.wait()
      }
    }
  } catch (error) {
    await endStandby()
    throw error
  }
}
