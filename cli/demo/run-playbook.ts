import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../api-client.ts'
import { demoOrganization } from './prepare.ts'

/** The result of a run without an alert. */
export interface DemoRunOutcome<Output> {
  readonly status: string
  readonly output: Partial<Output> | null
}

/** Whether a playbook is live. */
export async function isInForce(api: ApiClient, playbook: string): Promise<boolean> {
  const { data } = await api.get<{ data: readonly { name: string }[] }>('/playbooks?limit=200')
  return data.some(({ name }) => name === playbook)
}

/** Starts a playbook manually, and waits for its end. */
export async function runDemoPlaybook<Output>(
  api: ApiClient,
  playbook: string,
  inputs: Readonly<Record<string, unknown>>,
): Promise<DemoRunOutcome<Output>> {
  const body = { organization_code: demoOrganization.code, inputs }
  const { run_uuid: run } = await api.post<{ run_uuid: string }>(`/playbooks/${playbook}/runs`, body)
  for (;;) {
    const outcome = await api.get<DemoRunOutcome<Output>>(`/runs/${run}`)
    if (!['queued', 'running', 'waiting'].includes(outcome.status)) return outcome
    await sleep(100)
  }
}
