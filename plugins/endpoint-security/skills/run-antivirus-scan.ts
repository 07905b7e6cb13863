import { defineSkill, type Infer } from 'tocsin/plugin'
import { actionOutput, commentField, waitSeconds } from '../actions/action-fields.ts'
import { connection } from '../connection.ts'
import { scan } from '../examples/machine-action.ts'
import { workstation } from '../examples/machine.ts'
import { machineId, machinePath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import type { WantedAction } from '../actions/same-action.ts'
import { runAction, verifyAction } from '../actions/run-action.ts'

const input = {
  type: 'object',
  required: ['id', 'comment', 'scanType'],
  additionalProperties: false,
  properties: {
    id: machineId,
    comment: commentField,
    scanType: { type: 'string', enum: ['Quick', 'Full'], description: 'Full takes hours.' },
    wait_seconds: waitSeconds,
  },
} as const

export const runAntivirusScan = defineSkill({
  name: 'run_antivirus_scan',
  title: 'Run Antivirus Scan',
  description:
    'Runs an antivirus scan on a machine. The scan is queued: wait for its end with wait_seconds, or poll it with get_machine_action.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/run-av-scan',
  permissions: [permissions.run_antivirus_scan[0]],
  effect: 'write',
  destructive: 'execution',
  followWith: 'get_machine_action',
  changedNothing: ({ adopted }) => adopted,
  repeat: 'verify',
  connection,
  input,
  output: actionOutput,
  examples: [
    {
      title: 'A quick scan is queued',
      input: { id: workstation.id, comment: 'After a phishing report', scanType: 'Quick' },
      output: { action: scan, adopted: false, finished: false },
    },
  ],
  run: async (input, context) => await runAction(wanted(input), input.wait_seconds ?? 0, context),
  verify: async (input, context) => await verifyAction(wanted(input), input.wait_seconds ?? 0, context),
})

function wanted({ id, comment, scanType }: Infer<typeof input>): WantedAction {
  return {
    machineId: id,
    path: machinePath(id, 'runAntiVirusScan'),
    type: 'RunAntiVirusScan',
    needs: permissions.run_antivirus_scan,
    comment,
    scope: scanType,
    body: { ScanType: scanType },
  }
}
