import type { ApiClient } from '../api-client.ts'
import type { StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { act } from './answer-questions.ts'
import { isInForce, runPlaybook } from './run-playbook.ts'

/** What the playbook that follows incidents came to. */
export interface FollowedIncidents {
  readonly status: string
  /** How many incidents it saw. */
  readonly incidents: number
}

const playbook = 'threat-platform-incidents'
const incidents = [
  ['critical', 'Access to a file server is offered on a forum'],
  ['medium', 'Two passwords of example.com in a stealer log'],
] as const

/**
 * Opens incidents in the threat platform's sandbox, and runs the playbook that follows them, as its schedule would in a quarter of an hour.
 * Undefined where that playbook is not in force.
 */
export async function followIncidents(
  api: ApiClient,
  threats: StartedSandbox,
): Promise<FollowedIncidents | undefined> {
  if (!(await isInForce(api, playbook))) return undefined
  for (const [severity, title] of incidents) await act(threats, 'open', severity, title)
  const { status, output } = await runPlaybook<{ incidents: number }>(api, playbook, {})
  return { status, incidents: output?.incidents ?? 0 }
}
