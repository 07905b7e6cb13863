import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../api-client.ts'
import type { StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { act } from './answer-questions.ts'
import { demoOrganization } from './prepare.ts'

/** What the run of a playbook without an alert came to. */
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
  const { data } = await api.get<{ data: readonly { name: string }[] }>('/playbooks?limit=200')
  if (!data.some(({ name }) => name === playbook)) return undefined
  for (const [severity, title] of incidents) await act(threats, 'open', severity, title)
  const body = { organization_code: demoOrganization.code, inputs: {} }
  const { run_uuid: run } = await api.post<{ run_uuid: string }>(`/playbooks/${playbook}/runs`, body)
  for (;;) {
    const { status, output } = await api.get<RunAnswer>(`/runs/${run}`)
    if (!['queued', 'running', 'waiting'].includes(status))
      return { status, incidents: output?.incidents ?? 0 }
    await sleep(100)
  }
}

interface RunAnswer {
  readonly status: string
  readonly output: { readonly incidents?: number } | null
}
