import type { Connection, ConnectionFailure, ConnectionNote } from '../domain/connection.ts'
import type { ConnectionChanges } from '../ports/connection-store.ts'

type Notes = Pick<Connection, 'broken' | 'warning' | 'lastFailure'>

/** New settings, secrets or references clear all notes, because the notes describe the old settings. */
export const notesAfterEdit = (
  { broken, warning, lastFailure }: Notes,
  {
    settings,
    secrets,
    secretReferences,
  }: Pick<ConnectionChanges, 'settings' | 'secrets' | 'secretReferences'>,
): Notes =>
  settings === undefined && secrets === undefined && secretReferences === undefined
    ? { broken, warning, lastFailure }
    : { broken: null, warning: null, lastFailure: null }

/** A successful test clears the notes made before it began (`asOf`), and may leave a warning. */
export function notesAfterTest(
  { broken, warning, lastFailure }: Notes,
  { asOf, warning: reason }: { readonly asOf: number; readonly warning: string | null },
): Notes {
  const newer = <Note extends ConnectionNote | ConnectionFailure>(note: Note | null): Note | null =>
    note !== null && note.at > asOf ? note : null
  return {
    broken: newer(broken),
    warning: reason === null ? newer(warning) : { reason, at: asOf },
    lastFailure: newer(lastFailure),
  }
}
