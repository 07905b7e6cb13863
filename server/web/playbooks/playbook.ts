import type { Actor } from '../api/types.ts'
import type { Graph } from '../graph/graph-types.ts'

/** A version of a playbook. */
export interface Playbook {
  readonly name: string
  /** Of its source. */
  readonly hash: string
  /** `made`: by an investigation. */
  readonly origin: 'file' | 'made'
  readonly organization_code: string | null
  /** Whether it is what alerts start. */
  readonly in_force: boolean
  /** The last time, and by whom; null where that was before it was kept. */
  readonly put_in_force_at: number | null
  readonly put_in_force_actor: Actor | null
  readonly created_at: number
}

export interface PlaybookDetail extends Playbook {
  readonly source: string
}

/** What `POST playbooks/validate` answers. */
export interface Validation {
  readonly name: string | null
  readonly problems: readonly Problem[]
  readonly on: StartedOn | null
  /** A JSON Schema. */
  readonly inputs: { readonly properties?: Readonly<Record<string, unknown>> } | null
  readonly graph: Graph | null
}

/** What starts a playbook. */
export interface StartedOn {
  readonly alert: {
    readonly type: string
    /** Null: whichever. */
    readonly provider: string | null
    /** Whether it takes only some of them. */
    readonly where: boolean
  } | null
  /** A cron expression. */
  readonly schedule: string | null
  readonly manual: boolean
  readonly call: boolean
}

/** A mistake, with its place in UTF-16 code units from 1; the end is after the last one. */
export interface Problem {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint?: string
  readonly line: number
  readonly column: number
  readonly end_line: number
  readonly end_column: number
}

/** Whether people may start it: `manual: true` in its `on`. The API decides; this only hides a button that it would refuse. */
export const isManual = (source: string): boolean => /\bmanual:\s*true\b/.test(source)

/** What a new playbook begins with. */
export const newSource = `apiVersion: tocsin/v1
name: my-playbook
on: { manual: true }
steps:
  - return: done
`
