/**
 * Who does something that the audit log records: an API key, the command line on the machine itself, a person over a
 * connection, a run, the server by itself, or somebody of whom no more is known than the address.
 */
export const actorKinds = ['api_key', 'command', 'person', 'run', 'server', 'stranger'] as const

export interface Actor {
  readonly kind: (typeof actorKinds)[number]
  /** Of the API key its public id; of a stranger the address; the name of the user of the operating system; as the other system knows a person; uuid of a run. */
  readonly id: string
  /** As people know it. */
  readonly name: string
  /** Of the HTTP request that it was done by, as the log has it; null where there was none. */
  readonly requestId: string | null
}

/** Whoever did something, as it is kept with what they did. */
export type Author = Omit<Actor, 'requestId'>

export const authorOf = ({ kind, id, name }: Actor): Author => ({ kind, id, name })

/** In one word: of a person the id, as the other system knows them; of all others the name. Says nothing about the kind. */
export const wordFor = ({ kind, id, name }: Author): string => (kind === 'person' ? id : name)

/** A run that does something by itself, known by its playbook. */
export const theRun = (uuid: string, playbookName: string): Actor => ({
  kind: 'run',
  id: uuid,
  name: playbookName,
  requestId: null,
})

/** The server, where nobody asked it to. */
export const theServer: Actor = { kind: 'server', id: 'server', name: 'server', requestId: null }

/**
 * @param id as the other system knows them
 * @param requestId by which it came; null where it came by none
 * @param name as people know them; null where that is not known
 */
export const personOf = (id: string, requestId: string | null = null, name: string | null = null): Actor => ({
  kind: 'person',
  id,
  name: name ?? id,
  requestId,
})

export const auditActions = [
  'key.created',
  'key.revoked',
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
  'playbook.put_in_force',
  'playbook.removed',
  'playbook.dry_run',
  'run.started',
  'run.retried',
  'run.cancelled',
  'step.resolved',
  'checkpoint.answered',
  'skill.held',
  'skill.called',
  'skill.ended',
  'engine.paused',
  'engine.resumed',
  'case.exported',
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
  'api_key',
  'session',
  'organization',
  'provider',
  'connection',
  'case',
  'playbook',
  'run',
  'checkpoint',
  'engine',
  'data',
] as const

/** What is to be recorded. */
export interface NewAuditEntry {
  readonly action: AuditAction
  readonly by: Actor
  /** Null for what concerns no single organization. */
  readonly organizationUuid: string | null
  readonly subject: AuditSubject
  /** JSON, without secrets; default: none. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** What it was done to. */
export interface AuditSubject {
  readonly kind: (typeof auditSubjects)[number]
  readonly id: string
  readonly name: string
}

/** What is hashed, field by field as it stands here; shown over the API as it is. */
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

/** One entry of the chain: who keeps it elsewhere can tell later whether the chain up to it is still the same. */
export interface AuditHead {
  readonly sequence: number
  readonly hash: string
}

/** How far the audit log was exported to one destination: the last entry that it has taken. */
export interface ExportCursor extends AuditHead {
  /** Its address, without credentials. */
  readonly destination: string
  /** When it was moved last, in epoch milliseconds. */
  readonly at: number
}

/** What a list of entries is narrowed to. */
export interface AuditFilter {
  readonly action?: AuditAction | undefined
  /** Id or name of who did it. */
  readonly actor?: string | undefined
  /** Id of what it was done to. */
  readonly subject?: string | undefined
  /** At this time or later, in epoch milliseconds. */
  readonly after?: number | undefined
  /** Before this time, in epoch milliseconds. */
  readonly before?: number | undefined
}
