import type { Actor } from '../api/types.ts'

/** What `GET engine` answers. */
export interface Engine {
  readonly state: 'running' | 'paused'
  readonly paused_since: number | null
  readonly paused_actor: Actor | null
  readonly reason: string | null
  readonly queued: number
  readonly recovering: number
  readonly storm: boolean
  readonly organizations: readonly OrganizationLoad[]
  readonly groups: readonly RepeatGroup[]
  readonly destructive: readonly DestructiveUse[]
}

interface OrganizationLoad {
  readonly organization_code: string
  readonly queued: number
  readonly working: number
  readonly max_working: number
  readonly max_queued: number
  readonly storm: boolean
  readonly received_per_minute: number
  readonly grouped_per_minute: number
  readonly refused_per_minute: number
  readonly ended_per_minute: number
}

interface RepeatGroup {
  readonly organization_code: string
  readonly alert_id: string
  readonly case_id: string | null
  readonly alerts: number
  readonly last_at: number
}

interface DestructiveUse {
  readonly organization_code: string
  readonly class: string
  readonly uses: number
  readonly limit: number
  /** Actions that need no approval now. */
  readonly remaining: number
  readonly held: number
}
