/**
 * The kinds of things whose changes are announced. `run` includes its steps, `case` its timeline; `session`
 * announces only the end.
 */
export const changeKinds = [
  'alert',
  'run',
  'case',
  'checkpoint',
  'containment',
  'notification',
  'connection',
  'playbook',
  'organization',
  'provider',
  'engine',
  'key',
  'account',
  'session',
  'audit',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** Announces that something changed, without its new state: read that from the stores. */
export interface Change {
  readonly kind: ChangeKind
  /** Null if it belongs to no organization. */
  readonly organizationUuid: string | null
  /** The id in the API; undefined if it was deleted, only one exists, or several have changed. Reads the store. */
  readonly id: () => string | undefined
}

/** Anything may have changed: one change of each kind, without an id, in each organization and outside of them. */
export const allChanges = (organizationUuids: readonly string[]): readonly Change[] =>
  [null, ...organizationUuids].flatMap((organizationUuid) =>
    changeKinds.map((kind) => ({ kind, organizationUuid, id: () => undefined })),
  )

/** Announces durable changes. Does no work without listeners. */
export interface ChangeSource {
  /**
   * Calls the listener with the changes of each commit, each thing once; it must not throw. Returns the
   * function that unsubscribes.
   *
   * @param mostNamed how many things of one kind and organization the listener wants to know by id; where more have changed, it may be told
   *   one change without an id. Default: all.
   */
  listen(listener: (changes: readonly Change[]) => void, mostNamed?: () => number): () => void
}
