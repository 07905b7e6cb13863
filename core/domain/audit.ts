/**
 * The kinds of actors in the audit log: a person with an account, an API key, a user of the command line, a
 * person over a connection, a run, the server itself, or a stranger known only by address.
 */
export const actorKinds = ['account', 'api_key', 'command', 'person', 'run', 'server', 'stranger'] as const

export interface Actor {
  readonly kind: (typeof actorKinds)[number]
  /**
   * By kind: uuid of the account, public id of the API key, name of the operating system's user, the other
   * system's id of a person, uuid of the run, or address of a stranger.
   */
  readonly id: string
  /** The display name. */
  readonly name: string
  /** Id of the HTTP request, as in the log; null if there was none. */
  readonly requestId: string | null
}

/** The actor of an action, as stored with the action. */
export type Author = Omit<Actor, 'requestId'>

export const authorOf = ({ kind, id, name }: Actor): Author => ({ kind, id, name })

/** A short label: the id of a person in the other system, else the name. Does not tell the kind. */
export const wordFor = ({ kind, id, name }: Author): string => (kind === 'person' ? id : name)

/** A run as an actor, named after its playbook. */
export const theRun = (uuid: string, playbookName: string): Actor => ({
  kind: 'run',
  id: uuid,
  name: playbookName,
  requestId: null,
})

/** The server as an actor, for actions without a requester. */
export const theServer: Actor = { kind: 'server', id: 'server', name: 'server', requestId: null }

/**
 * @param id the other system's id of the person
 * @param requestId the HTTP request, or null
 * @param name the display name, or null if unknown
 */
export const personOf = (id: string, requestId: string | null = null, name: string | null = null): Actor => ({
  kind: 'person',
  id,
  name: name ?? id,
  requestId,
})

export const auditActions = [
  'key.created',
  'key.rotated',
  'key.changed',
  'key.revoked',
  'account.created',
  'account.changed',
  'account.joined',
  'role.created',
  'role.changed',
  'role.removed',
  'account.invited',
  'account.password_changed',
  'account.totp_added',
  'account.totp_removed',
  'account.recovery_codes_replaced',
  'account.recovery_code_used',
  'account.passkey_added',
  'account.passkey_renamed',
  'account.passkey_removed',
  'account.disabled',
  'account.enabled',
  'session.started',
  'session.ended',
  'authentication.failed',
  'organization.created',
  'organization.changed',
  'provider.created',
  'provider.changed',
  'connection.created',
  'connection.changed',
  'connection.removed',
  'connection.authenticated',
  'connection.authentication_failed',
  'connection.manifest_read',
  'connection.token_rotated',
  'connection.sign_in_started',
  'connection.signed_in',
  'connection.sign_in_failed',
  'connection.sign_in_ended',
  'connection.signed_out',
  'playbook.put_in_force',
  'playbook.promoted',
  'playbook.removed',
  'playbook.draft_saved',
  'playbook.draft_discarded',
  'playbook.dry_run',
  'playbook.backtest',
  'playbook.state_reset',
  'run.started',
  'run.retried',
  'run.cancelled',
  'step.resolved',
  'checkpoint.answered',
  'containment.extended',
  'skill.held',
  'skill.called',
  'skill.ended',
  'engine.paused',
  'engine.resumed',
  'case.merged',
  'case.split',
  'case.linked',
  'case.unlinked',
  'case.exported',
  'case.file_uploaded',
  'case.file_downloaded',
  'case.file_withdrawn',
  'accounts.viewed',
  'keys.viewed',
  'connections.viewed',
  'audit.export_started',
  'audit.export_stopped',
  'backup.made',
  'backup.restored',
  'master_key.rotated',
  'data.pruned',
] as const
export type AuditAction = (typeof auditActions)[number]

export const auditSubjects = [
  'account',
  'role',
  'api_key',
  'session',
  'organization',
  'provider',
  'connection',
  'case',
  'playbook',
  'run',
  'checkpoint',
  'containment',
  'engine',
  'data',
] as const

/** An entry to record. */
export interface NewAuditEntry {
  readonly action: AuditAction
  readonly by: Actor
  /** Null if it does not concern a single organization. */
  readonly organizationUuid: string | null
  readonly subject: AuditSubject
  /** JSON, without secrets; default: none. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The object of the action. */
export interface AuditSubject {
  readonly kind: (typeof auditSubjects)[number]
  readonly id: string
  readonly name: string
}

/** The hashed fields of an entry, also its form in the API. */
export interface AuditRecord {
  /** From 1, without gaps. */
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly action: AuditAction
  readonly actor: Author
  readonly request_id: string | null
  readonly organization_uuid: string | null
  readonly organization_code: string | null
  readonly subject: AuditSubject
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditEntry extends AuditRecord {
  /** See `hashEntry`. */
  readonly hash: string
}

/** An entry of the chain. A copy kept elsewhere proves later that the chain up to it is unchanged. */
export interface AuditHead {
  readonly sequence: number
  readonly hash: string
}

/** The progress of an export: the last entry that a destination acknowledged. */
export interface ExportCursor extends AuditHead {
  /** Its address, without credentials. */
  readonly destination: string
  /** When the cursor last moved, in epoch milliseconds. */
  readonly at: number
}

/** Filter of a list of entries. */
export interface AuditFilter {
  readonly action?: AuditAction | undefined
  /** Id or name of the actor. */
  readonly actor?: string | undefined
  /** Id of the object. */
  readonly subject?: string | undefined
  /** Name of the skill in the details. */
  readonly skill?: string | undefined
  /** At this time or later, in epoch milliseconds. */
  readonly after?: number | undefined
  /** Before this time, in epoch milliseconds. */
  readonly before?: number | undefined
}
