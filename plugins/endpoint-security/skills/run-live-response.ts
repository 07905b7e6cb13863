import { defineSkill, type SkillContext } from 'tocsin/plugin'
import { actionFields, commentField, waitSeconds } from '../actions/action-fields.ts'
import { connection } from '../connection.ts'
import { downloadLink } from '../actions/download-link.ts'
import { liveResponse } from '../examples/machine-action.ts'
import { workstation } from '../examples/machine.ts'
import { machineId } from '../lists/ids.ts'
import { commandsInput, vendorCommands } from '../actions/live-response-commands.ts'
import { permissions } from '../permissions.ts'
import type { MachineAction } from '../records/machine-action.ts'
import { runAction } from '../actions/run-action.ts'
import { nullableText } from '../lists/shapes.ts'

const result = {
  type: 'object',
  additionalProperties: false,
  required: ['index', 'type', 'status', 'errors', 'download_url'],
  properties: {
    index: { type: 'integer', description: 'Place in commands, from 0.' },
    type: nullableText,
    status: { ...nullableText, description: 'Created, Completed, Failed or another.' },
    errors: { type: 'array', items: { type: 'string' } },
    download_url: {
      type: ['string', 'null'],
      'x-sensitive': true,
      description:
        'For a completed RunScript or GetFile: a link that downloads the result without credentials, for half an hour. A script’s result is JSON with ' +
        'exit_code, script_output and script_errors.',
    },
  },
} as const

export const runLiveResponse = defineSkill({
  name: 'run_live_response',
  title: 'Run Live Response',
  description:
    'Runs scripts of the tenant’s library on a machine, and uploads and downloads files. With wait_seconds it also returns the result of ' +
    'each command. If an attempt is interrupted, a person decides, since the effect of a script is unknown.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/run-live-response',
  permissions: [permissions.run_live_response[0]],
  effect: 'write',
  destructive: 'execution',
  followWith: 'get_machine_action',
  repeat: 'never',
  connection,
  input: {
    type: 'object',
    required: ['id', 'comment', 'commands'],
    additionalProperties: false,
    properties: { id: machineId, comment: commentField, commands: commandsInput, wait_seconds: waitSeconds },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['action', 'finished', 'results'],
    properties: {
      action: actionFields.action,
      finished: actionFields.finished,
      results: { type: 'array', items: result },
    },
  },
  examples: [
    {
      title: 'A script is queued',
      input: {
        id: workstation.id,
        comment: 'Memory of one process',
        commands: [{ type: 'RunScript', scriptName: 'minidump.ps1', args: 'OfficeClickToRun' }],
      },
      output: {
        action: liveResponse,
        finished: false,
        results: [{ index: 0, type: 'RunScript', status: 'Created', errors: [], download_url: null }],
      },
    },
  ],
  async run({ id, comment, commands, wait_seconds = 0 }, context) {
    const wanted = {
      machineId: id,
      path: ['API', 'machines', id.toLowerCase(), 'runliveresponse'],
      type: 'LiveResponse',
      needs: permissions.run_live_response,
      comment,
      ownOnly: true,
      body: { Commands: vendorCommands(commands) },
    } as const
    const { action, finished } = await runAction(wanted, wait_seconds, context)
    return { action, finished, results: await resultsOf(action, finished, context) }
  },
})

type Command = MachineAction['commands'][number]

async function resultsOf({ id, commands }: MachineAction, finished: boolean, context: SkillContext) {
  const results = []
  for (const [place, entry] of commands.entries()) {
    const index = entry.index ?? place
    const what = `GetLiveResponseResultDownloadLink(index=${index})`
    const download_url = finished && hasResult(entry) ? await downloadLink(id, what, context) : null
    const { commandStatus: status, errors, command } = entry
    results.push({ index, type: command?.type ?? null, status, errors, download_url })
  }
  return results
}

/** PutFile has no result to download. */
const hasResult = ({ commandStatus, command }: Command): boolean =>
  commandStatus === 'Completed' && command?.type !== 'PutFile'
