import type { loggedFields } from '../common/logged-fields.ts'

export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** Fields with these names are written; the log drops others. */
export type LogFields = Readonly<Partial<Record<(typeof loggedFields)[number], unknown>>>
