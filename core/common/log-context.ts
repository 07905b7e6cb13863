import { AsyncLocalStorage } from 'node:async_hooks'
import type { LogFields } from '../ports/log.ts'

const storage = new AsyncLocalStorage<LogFields>()

/**
 * Adds these fields to every line that `work` logs, such as the id of its request or run. They replace the
 * fields of an outer call, so a run does not log the id of a request that started something else.
 */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return storage.run(fields, work)
}

export function currentLogFields(): LogFields | undefined {
  return storage.getStore()
}
