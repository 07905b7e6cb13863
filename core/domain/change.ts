/** What is told when it changes. `run`: one of its steps, too; `case`: its timeline, too; `session`: its end. */
export const changeKinds = [
  'alert',
  'run',
  'case',
  'checkpoint',
  'connection',
  'playbook',
  'organization',
  'provider',
  'engine',
  'key',
  'session',
  'audit',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** Something is not as it was. What it is now, the stores tell. */
export interface Change {
  readonly kind: ChangeKind
  /** null: it is of none. */
  readonly organizationUuid: string | null
  /** As the API names it; undefined: it is gone, or there is only one of the kind. Reads the store. */
  readonly id: () => string | undefined
}

/** Tells of changes once they are durable. While nobody listens, it costs nothing. */
export interface ChangeSource {
  /** Is called with what one commit changed, each thing once; must not throw. Gives what ends it. */
  listen(listener: (changes: readonly Change[]) => void): () => void
}
