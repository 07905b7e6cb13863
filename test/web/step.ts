import type { ApiStep } from '../../server/web/api/types.ts'

/** A step that completed within a second, with the given differences. */
export function step(path: string, other: Partial<ApiStep> = {}): ApiStep {
  return {
    path,
    step_id: path,
    name: path,
    kind: 'set',
    state: 'completed',
    attempt: 1,
    started_at: 1_000,
    ended_at: 2_000,
    input: null,
    output: null,
    error: null,
    resolution: null,
    carried_from: null,
    failed_attempts: [],
    ...other,
  }
}
