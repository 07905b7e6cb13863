/** Background work that one node at a time performs. */
export const exclusiveJobs = [
  'alerts_left_behind',
  'audit_export',
  'containment_checks',
  'containment_expiry',
  'notifications',
  'observable_index',
  'playbooks_folder',
  'pruning',
  'quarantine',
  'shadows',
] as const
export type ExclusiveJob = (typeof exclusiveJobs)[number]

export interface ExclusiveWork {
  /** Whether other nodes may work on the same store at the same time. */
  readonly isShared: boolean
  /**
   * Whether this node performs the job: it takes it if no other node has it, and keeps it until it leaves or is lost. To be asked before
   * each round. A node that is lost meanwhile may still end its round: its writes are refused, and it sends nothing.
   *
   * Rejects with UnavailableError.
   */
  isMine(job: ExclusiveJob): Promise<boolean>
}

/** For a process that is the only one. */
export const onlyProcess: ExclusiveWork = { isShared: false, isMine: () => Promise.resolve(true) }
