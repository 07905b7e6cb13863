import type { loggedFields } from '../common/logged-fields.ts'

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** What is written out has a name of the list: a log drops the rest. */
export type LogFields = Readonly<Partial<Record<(typeof loggedFields)[number], unknown>>>
