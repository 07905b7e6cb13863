import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../api-client.ts'
import { isInForce, runDemoPlaybook } from './run-playbook.ts'
import type { Person } from './sample-alerts.ts'

/** A run that a team member starts manually. */
interface RunByHand {
  readonly story: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly person: Person
  /** The `outcome` in the output of the run. */
  readonly expected: string
}

export interface DoneByHand extends RunByHand {
  /** The outcome of the run, e.g. `queued`. */
  readonly outcome: string
  /** The outcome as a sentence. */
  readonly text: string
}

const playbook = 'isolate-with-approval'
const approver = 'soc-on-call@example.com'

/** After the alerts: releases the isolated machine, and asks a question that times out. */
const runs: readonly RunByHand[] = [
  {
    story: 'The build machine is clean again: someone requests its release.',
    inputs: {
      action: 'unisolate',
      machine_id: 'cc0c9a1b7d2e48569c0fb1a2d3e4f50617283922',
      reason: 'The miner was removed and the machine reinstalled.',
    },
    person: { email: approver, about: 'released back into the network? build-3', presses: 'approve' },
    expected: 'queued',
  },
  {
    story: 'Someone requests the isolation of another machine, and the approver does not answer in time.',
    inputs: {
      machine_id: 'dd0c9a1b7d2e48569c0fb1a2d3e4f50617283933',
      reason: 'Unusual behavior.',
      answer_within: '1s',
    },
    person: { email: approver, about: 'isolated from the network? desk-043', presses: null },
    expected: 'no_answer',
  },
]

export const peopleAskedByHand: readonly Person[] = runs.map(({ person }) => person)

/** Starts these runs once the alerts are investigated. Does nothing if their playbook is not live. */
export async function actByHand(
  api: ApiClient,
  people: { look(): Promise<void> },
): Promise<readonly DoneByHand[]> {
  if (!(await isInForce(api, playbook))) return []
  const work = Promise.all(runs.map(async (run) => ({ ...run, ...(await doByHand(api, run)) })))
  for (;;) {
    await people.look()
    const done = await Promise.race([work, sleep(100)])
    if (done !== undefined) return done
  }
}

async function doByHand(api: ApiClient, { inputs }: RunByHand) {
  const { status, output } = await runDemoPlaybook<{ outcome: string; text: string }>(api, playbook, inputs)
  return { outcome: output?.outcome ?? status, text: output?.text ?? '' }
}
