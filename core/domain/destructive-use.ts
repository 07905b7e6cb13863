/** Uses of a destructive skill in an organization that a person need not approve, where nothing else is configured: in an hour. */
export const defaultDestructivePerHour = 10

/** What uses are counted over: an hour. */
export const destructiveWindowMs = 3_600_000

/** Why a use did not begin: as many as need no approval are in the last hour already. */
export interface HeldUse {
  readonly uses: number
  readonly limit: number
}

/** How a destructive skill is used in an organization. */
export interface DestructiveUses {
  readonly organizationUuid: string
  readonly skill: string
  /** Within the last hour. */
  readonly uses: number
  /** Uses that wait for a person. */
  readonly held: number
}
