import { inputText } from '../../../core/case/action-input.ts'
import { printable } from '../../output/printable.ts'
import { table } from '../../output/table.ts'

/** A containment of the API. */
export interface ShownContainment {
  readonly containment_id: string
  readonly case_id: string | null
  readonly state: string
  readonly action: {
    readonly skill: string
    readonly run_uuid: string
    readonly input: Readonly<Record<string, unknown>> | null
    readonly target?: { readonly id: string; readonly name: string }
  }
  readonly undone_by: string
  readonly can_undo: boolean
  readonly state_seen: string | null
  readonly ended_by: string | null
  readonly expires_at: number | null
  readonly created_at: number
}

export interface ContainmentPage {
  readonly data: readonly ShownContainment[]
  readonly total: number
}

export const containmentTable = (all: readonly ShownContainment[]): string =>
  table(
    ['CONTAINMENT', 'STATE', 'SEEN', 'ACTION', 'TARGET', 'CASE', 'SINCE', 'EXPIRES'],
    all.map((one) => [
      one.containment_id,
      one.ended_by === 'outside' ? 'undone outside' : one.state,
      one.state_seen ?? '',
      printable(one.action.skill),
      printable(inputText(one.action), 60),
      one.case_id ?? '',
      time(one.created_at),
      one.expires_at === null ? '' : time(one.expires_at),
    ]),
  )

/** In UTC: 2026-03-01 08:00. */
const time = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
