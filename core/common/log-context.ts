import { AsyncLocalStorage } from 'node:async_hooks'
import type { LogFields } from '../ports/log.ts'

const storage = new AsyncLocalStorage<LogFields>()

/**
 * Whatever is logged in the course of this work carries these fields: the id of the request, or of the run, that it is done for. They take the place of those
 * around it: what a run does is not done for the request that another run came by.
 */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return storage.run(fields, work)
}

export function currentLogFields(): LogFields | undefined {
  return storage.getStore()
}
