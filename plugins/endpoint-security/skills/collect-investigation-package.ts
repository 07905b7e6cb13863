import { defineSkill, type Infer, type SkillContext } from 'tocsin/plugin'
import { actionFields, commentField, waitSeconds } from '../actions/action-fields.ts'
import { connection } from '../connection.ts'
import { downloadLink } from '../actions/download-link.ts'
import { collection } from '../examples/machine-action.ts'
import { workstation } from '../examples/machine.ts'
import { machineId, machinePath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import type { WantedAction } from '../actions/same-action.ts'
import { runAction, verifyAction } from '../actions/run-action.ts'

const input = {
  type: 'object',
  required: ['id', 'comment'],
  additionalProperties: false,
  properties: { id: machineId, comment: commentField, wait_seconds: waitSeconds },
} as const

export const collectInvestigationPackage = defineSkill({
  name: 'collect_investigation_package',
  title: 'Collect Investigation Package',
  description:
    'Collects processes, connections, autostarts and logs of a machine in a package. With wait_seconds it also returns ' +
    'the link to the package.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/collect-investigation-package',
  permissions: [permissions.collect_investigation_package[0]],
  effect: 'write',
  destructive: 'execution',
  followWith: 'get_machine_action',
  changedNothing: ({ adopted }) => adopted,
  repeat: 'verify',
  connection,
  input,
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['action', 'adopted', 'finished', 'package_url'],
    properties: {
      ...actionFields,
      package_url: {
        type: ['string', 'null'],
        'x-sensitive': true,
        description:
          'A link that downloads the package without credentials, for some minutes. Null: not finished, or unavailable.',
      },
    },
  },
  examples: [
    {
      title: 'A package is being collected',
      input: { id: workstation.id, comment: 'For case ACME-7' },
      output: { action: collection, adopted: false, finished: false, package_url: null },
    },
  ],
  run: async (input, context) =>
    await withLink(await runAction(wanted(input), input.wait_seconds ?? 0, context), context),
  async verify(input, context) {
    const found = await verifyAction(wanted(input), input.wait_seconds ?? 0, context)
    return found && (await withLink(found, context))
  },
})

function wanted({ id, comment }: Infer<typeof input>): WantedAction {
  return {
    machineId: id,
    path: machinePath(id, 'collectInvestigationPackage'),
    type: 'CollectInvestigationPackage',
    needs: permissions.collect_investigation_package,
    comment,
  }
}

async function withLink(done: Awaited<ReturnType<typeof runAction>>, context: SkillContext) {
  const package_url = done.finished ? await downloadLink(done.action.id, 'getPackageUri', context) : null
  return { ...done, package_url }
}
