import type { ApiClient } from '../api-client.ts'
import type { StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { act } from './answer-questions.ts'
import { isInForce, runDemoPlaybook } from './run-playbook.ts'

export interface FollowedIncidents {
  readonly status: string
  /** Number of incidents that the playbook saw. */
  readonly incidents: number
}

const playbook = 'threat-platform-incidents'
const incidents = [
  ['critical', 'Access to a file server is offered on a forum'],
  ['medium', 'Two passwords of example.com in a stealer log'],
] as const

/**
 * Opens incidents in the threat platform's sandbox, and runs the playbook that synchronizes them instead of
 * waiting for its schedule. Undefined if the playbook is not live.
 */
export async function followIncidents(
  api: ApiClient,
  threats: StartedSandbox,
): Promise<FollowedIncidents | undefined> {
  if (!(await isInForce(api, playbook))) return undefined
  for (const [severity, title] of incidents) await act(threats, 'open', severity, title)
  const { status, output } = await runDemoPlaybook<{ incidents: number }>(api, playbook, {})
  return { status, incidents: output?.incidents ?? 0 }
}
