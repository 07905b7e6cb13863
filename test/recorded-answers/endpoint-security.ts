import { expect } from 'chai'
import { objectsAt, textAt, valueAt, type AnySkill } from '../../core/plugin/index.ts'
import { checkConnection, runSkill, type CannedReply } from '../../core/plugin/testing/index.ts'
import { followAction } from '../../plugins/endpoint-security/actions/follow-action.ts'
import plugin from '../../plugins/endpoint-security/plugin.ts'
import { decodeMachineAction } from '../../plugins/endpoint-security/records/machine-action.ts'
import { checks, failureOf, keeps, unused, type Row, type Rows } from './row.ts'

const settings = {
  tenant_id: '11111111-2222-4333-8444-555555555555',
  client_id: '11111111-2222-4333-8444-555555555555',
  client_secret: 'a-client-secret',
}
const id = '3f0c9a1b7d2e48569c0fb1a2d3e4f5061728394a'
const comment = 'Case ACME-7'

const skill = (name: string): AnySkill => plugin.skills.find((one) => one.name === name)!
const call = async (name: string, input: object, ...replies: readonly CannedReply[]): Promise<unknown> =>
  (await runSkill(skill(name), input, { settings, replies })).output

/** A list or a record that a single call reads. */
const read = (name: string, input: object = {}, aside?: readonly string[]): Row =>
  keeps((json) => call(name, input, { json }), aside)

/** The answer to a POST when the machine has no other action. */
const queued = (name: string, more: object = {}): Row =>
  keeps((json) =>
    call(name, { id, comment, ...more }, ...(name === 'run_live_response' ? [] : [none]), {
      status: 201,
      json,
    }),
  )
const none: CannedReply = { json: { value: [] } }

const noSuchSkill = (what: string) => unused(`${what}: no skill asks for it`)

export const endpointSecurity: Rows = {
  'advanced-query-result': read('run_advanced_query', { query: 'DeviceProcessEvents' }),
  'alert-get': read('get_alert', { id: 'da637472900382838869_1364969609' }),
  'alert-update-response': read('get_alert', { id: 'da637472900382838869_1364969609' }),
  'alerts-list-expand-evidence': read('list_alerts'),
  'error-400-invalid-request-body': checks(async (json) => {
    const error = await failureOf(call('list_machines', {}, { status: 400, json }))
    expect(error).to.include({ code: 'invalid_request_body' })
  }),
  'error-404-machine-not-found': checks(async (json) => {
    const error = await failureOf(call('get_machine', { id }, { status: 404, json }))
    expect(error['code']).to.match(/not_found$/)
  }),
  'files-from-alert': noSuchSkill('the files of an alert; its evidence names them'),
  'indicator-create-response': read('create_indicator', {
    indicatorValue: '198.51.100.7',
    indicatorType: 'IpAddress',
    action: 'Alert',
    title: 'x',
    description: 'x',
  }),
  'indicators-list': read('list_indicators'),
  'indicators-list-two': read('list_indicators'),
  'live-response-created': queued('run_live_response', {
    commands: [{ type: 'RunScript', scriptName: 'minidump.ps1' }],
  }),
  'live-response-result-link': keeps((json) => {
    const command = { type: 'RunScript', params: [] }
    const commands = [{ index: 0, commandStatus: 'Completed', errors: [], command }]
    const done = { id: 'action-1', type: 'LiveResponse', status: 'Succeeded', machineId: id, commands }
    const input = { id, comment, commands: [{ type: 'RunScript', scriptName: 'minidump.ps1' }] }
    return call('run_live_response', input, { status: 201, json: done }, { json }).then((output) => ({
      value: textAt(objectsAt(output, 'results')[0], 'download_url'),
    }))
  }),
  'machine-action-av-scan': queued('run_antivirus_scan', { scanType: 'Quick' }),
  'machine-action-collect-package': queued('collect_investigation_package'),
  'machine-action-isolate': queued('isolate_machine'),
  // It matches, so it is accepted as the requested action.
  'machine-action-isolate-selective': keeps((json) =>
    call('isolate_machine', { id, comment, isolationType: 'Selective' }, { json: { value: [json] } }),
  ),
  'machine-action-poll-succeeded': keeps(async (json) => {
    const queuedAction = decodeMachineAction({ id: 'action-123', status: 'Pending' })
    let polled: unknown
    const time = { now: () => 0, pause: async () => undefined }
    const http = { get: async () => ({ status: 200, json: () => (polled = json) }) }
    const log = { info: () => undefined, warn: () => undefined }
    const context = { http, log, signal: new AbortController().signal, deadlineMs: 60_000 }
    const action = await followAction(queuedAction, 1_000, context as never, time)
    expect(polled).to.equal(json)
    return action
  }),
  'machine-action-stop-quarantine': noSuchSkill('stopping a program and quarantining its file'),
  'machine-action-unisolate': queued('unisolate_machine'),
  'machine-actions-list': keeps(async (json) => {
    // Both have ended, so neither is accepted as the requested action.
    const [, scan] = objectsAt(json, 'value')
    const output = await call(
      'run_antivirus_scan',
      { id, comment, scanType: 'Full' },
      { json },
      { status: 201, json: scan },
    )
    expect(valueAt(output, 'adopted')).to.equal(false)
    return [output, ...objectsAt(json, 'value').map(decodeMachineAction)]
  }),
  'machine-get': read('get_machine', { id }),
  'machine-logon-users': read('list_machine_logon_users', { id }),
  'machine-lookup-first': read('list_machines'),
  'machines-list': read('list_machines'),
  'machines-list-empty': read('list_machines'),
  'machines-list-with-ip-addresses': read('list_machines'),
  'machines-vulnerabilities': read('list_machines_vulnerabilities'),
  'missing-kbs': noSuchSkill('updates that a machine lacks'),
  'recommendations-for-machine': read('list_recommendations'),
  'recommendations-list': read('list_recommendations'),
  'related-machines': read('list_machines'),
  'software-of-machine': noSuchSkill('the software of a machine'),
  'token-error-401-bad-secret': checks(async (json) => {
    const error = await failureOf(
      checkConnection(plugin.connection!, { settings, replies: [{ status: 401, json }] }),
    )
    expect(error).to.include({ code: 'token_refused' })
    expect(error['hint']).to.include('the client secret is wrong')
  }),
  'token-success': checks(async (json) => {
    const replies = [{ json }, { json: { value: [] } }]
    const { requests } = await runSkill(skill('list_machines'), {}, { settings, replies, token: null })
    expect(requests[1]?.headers['authorization']).to.equal(`Bearer ${textAt(json, 'access_token')}`)
  }),
  'vulnerabilities-for-machine': read('list_vulnerabilities'),
  'vulnerabilities-list': read('list_vulnerabilities'),
}
