import { eventually } from '../../support/eventually.ts'
import { requireBatch, fingerprintOf } from '../../../core/checkpoint/checkpoint-batch.ts'
import { contentHash } from '../../../core/playbook/language/source-text.ts'
import { parsePlaybook } from '../../../core/playbook/read/parse.ts'
import type { NewSignIn } from '../../../core/ports/sign-in-store.ts'
import { Secret } from '../../../core/plugin/index.ts'
import type { StateChange, StateRule } from '../../../core/state/state.ts'
import { somebody } from '../../support/somebody.ts'
import type { Api } from './api.ts'

/** A new object of an organization: for each path parameter, the accepted spellings of its id. */
export type Thing = Readonly<Record<string, readonly string[]>>

/** Authored playbooks, for all organizations; started manually and by requests. */
export const manualPlaybook = parsePlaybook(
  'apiVersion: tocsin/v1\nname: p\non: { manual: true, webhook: {} }\ninputs: { user: { type: string, default: eve } }\nsteps: [{ return: 1 }]',
).playbook!

export const towerSettings = { base_url: 'https://tower.example', api_token: 'tower-secret' }

export const someTokens: NewSignIn = {
  client: 'c',
  scope: null,
  access: new Secret('access-token'),
  refresh: new Secret('refresh-token'),
  renewAt: null,
  expiresAt: null,
}

export const someSet: StateRule = {
  kind: 'set',
  schema: undefined,
  default: undefined,
  expiresMs: undefined,
  max: 10,
  whenFull: 'drop_oldest',
  onMismatch: 'fail',
  sensitive: false,
}

/** For unique names of things. */
let count = 0

interface StateToStore {
  readonly code: string
  readonly playbook: string
  readonly name?: string
  readonly rule?: StateRule
  readonly change?: StateChange
}

/** Changes the state of a playbook in a run of the organization; by default adds `a` to the set `seen`. */
export async function storeState(
  { stores }: Pick<Api, 'stores'>,
  { code, playbook, name = 'seen', rule = someSet, change = { operation: 'add', key: 'a' } }: StateToStore,
): Promise<void> {
  const organization = (await stores.organizations.list('all')).find((each) => each.code === code)
  const { uuid } = await stores.runs.queue({
    organizationUuid: organization?.uuid ?? '',
    playbookName: playbook,
    playbookHash: 'a'.repeat(64),
    alertUuid: null,
  })
  const entry = { path: 'a', stepId: null, kind: 'state', input: null, attempt: 1, startedAt: 1 }
  await stores.runs.start(uuid, { title: 'A case' })
  await stores.journal.recordState(uuid, entry, { playbook, name, rule, change })
  await stores.runs.end(uuid, { status: 'completed', output: null, error: null })
}

/**
 * Sign-ins of connections of the tower plugin, which has no sign-in. The state is the uuid of the
 * connection.
 */
export const acceptedSignIns = (organizationUuid: string): Api['signIn'] => ({
  begin: async () => ({ authorizeUrl: 'https://vendor.example', expiresAt: 0 }),
  take: (uuid) => ({ organizationUuid, uuid, plugin: 'tower', revision: 1 }),
  exchange: async () => someTokens,
  revoke: async () => false,
})

/** Creates new objects of an organization at each call, without the API. */
export function thingsOf(api: Api, code: string) {
  const { stores } = api
  const organizationUuid = api.organizations[code] ?? ''

  async function alert() {
    const alert = { content: 'x', provider: 'SIEM', organizationUuid, type: 't', createdAtSource: null }
    return await stores.alerts.create({ ...alert, createdBy: organizationUuid })
  }
  async function run(alertUuid: string) {
    const { name: playbookName, hash: playbookHash } = manualPlaybook
    const given = { organizationUuid, playbookName, playbookHash, alertUuid, inputs: { user: 'eve' } }
    const { uuid } = await stores.runs.queue(given)
    const started = await stores.runs.start(uuid, { title: 'A case' })
    return { uuid, caseId: started?.caseId ?? '' }
  }
  async function runningRun() {
    return await run((await alert()).uuid)
  }
  async function checkpoint() {
    const { uuid } = await runningRun()
    const question = { via: 'operator', input: { message: 'Was it you?' }, answers: ['yes'], form: null }
    const timeoutAt = api.clock.now() + 1_000
    return await stores.checkpoints.open(uuid, { path: 'c', stepId: 'c', question, timeoutAt })
  }
  async function connection() {
    // Connection tests and sign-ins of an organization are rate limited.
    api.clock.time += 2_000
    const name = `${code} ${++count}`
    const settings = { base_url: towerSettings.base_url }
    const secrets = { api_token: new Secret('s') }
    return await stores.connections.create(
      organizationUuid,
      { name, plugin: 'tower', settings, secrets },
      somebody(),
    )
  }
  async function playbook(prefix = 'made') {
    const name = `${prefix}-${code}-${++count}`
    const source = `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps: [{ set: { a: 1 } }]\n`
    const hash = contentHash(source)
    await stores.playbooks.put({ name, hash, source, origin: 'made', organizationUuid }, somebody())
    return { name, hash }
  }
  async function shadow(name: string): Promise<{ readonly name: string; readonly hash: string }> {
    const source = `apiVersion: tocsin/v1\nname: ${name}\nmode: shadow\non: { alert: { type: t } }\nsteps: [{ set: { a: 1 } }]\n`
    const headers = { 'if-match': '*' }
    const known = await api.call('GET', `/api/playbooks/${name}`)
    const put = await api.call('PUT', `/api/playbooks/${name}`, {
      body: { source },
      ...(known.status === 200 && { headers }),
    })
    return { name, hash: put.json.hash }
  }
  const begun = {
    path: 'a',
    stepId: 'a',
    kind: 'tower.ring_bell',
    input: { times: 1 },
    startedAt: 1,
    attempt: 1,
  }

  return {
    async organization(): Promise<Thing> {
      return { organization: [code, code.toUpperCase(), organizationUuid] }
    },
    async alert(): Promise<Thing> {
      const { id, uuid } = await alert()
      return { alert: [id, id.toUpperCase(), uuid] }
    },
    async investigatedAlert(): Promise<Thing> {
      const { id, uuid } = await alert()
      const { uuid: runUuid } = await run(uuid)
      await stores.runs.end(runUuid, { status: 'completed', output: null, error: null })
      return { alert: [id] }
    },
    async case(): Promise<Thing> {
      const { caseId } = await runningRun()
      return { case: [caseId, caseId.toUpperCase()] }
    },
    async twoCases(): Promise<Thing> {
      const [{ caseId }, other] = [await runningRun(), await runningRun()]
      return { case: [caseId, caseId.toUpperCase()], other: [other.caseId] }
    },
    async caseWithAlerts(): Promise<Thing> {
      const [{ caseId }, { uuid }] = [await runningRun(), await runningRun()]
      const other = (await stores.runs.find('all', uuid))!
      const sources = [{ id: other.caseId!, revision: undefined }]
      await stores.caseMoves.merge(organizationUuid, { id: caseId, revision: undefined }, sources, somebody())
      return { case: [caseId, caseId.toUpperCase()], alert: [other.alertId!] }
    },
    async sharedFilter(): Promise<Thing> {
      const given = { view: 'cases', name: `mine ${++count}`, search: 'active=true' } as const
      const { uuid } = await stores.sharedFilters.save(organizationUuid, given, somebody())
      return { filter: [uuid] }
    },
    async caseWithTask(): Promise<Thing> {
      const { caseId } = await runningRun()
      const { uuid } = await stores.caseWork.addTask(organizationUuid, caseId, { title: 'x' }, somebody())
      return { case: [caseId, caseId.toUpperCase()], task: [uuid] }
    },
    async linkedCases(): Promise<Thing> {
      const [{ caseId }, other] = [await runningRun(), await runningRun()]
      await stores.caseWork.link(organizationUuid, caseId, other.caseId, 'related', somebody())
      return { case: [caseId, caseId.toUpperCase()], other: [other.caseId] }
    },
    async caseWithFile(): Promise<Thing> {
      const { caseId } = await runningRun()
      const file = { name: 'x', bytes: Buffer.from('x') }
      const { sha256 } = await stores.cases.files.attach(organizationUuid, caseId, file, somebody())
      return { case: [caseId, caseId.toUpperCase()], hash: [sha256, sha256.toUpperCase()] }
    },
    async run(): Promise<Thing> {
      const { uuid } = await runningRun()
      return { run: [uuid] }
    },
    async failedRun(): Promise<Thing> {
      const { uuid } = await runningRun()
      const error = { code: 'broken', message: 'broken' }
      await stores.runs.end(uuid, { status: 'failed', output: null, error })
      return { run: [uuid] }
    },
    async runWithUnknownStep(): Promise<Thing> {
      const { uuid } = await runningRun()
      await stores.journal.begin(uuid, begun)
      await stores.journal.park(uuid, 'a')
      return { run: [uuid] }
    },
    /** With a finding. */
    async observable(): Promise<Thing> {
      const { uuid } = await runningRun()
      api.clock.time += 3_000
      const observable = { kind: 'host', value: `ws-${++count}` } as const
      const finding = { source: 'x.y', at: api.clock.time, score: 1, level: null, summary: null, error: null }
      for (const run of await stores.observables.nextRuns(200)) {
        const found = run.uuid === uuid ? [observable] : []
        const findings = found.map((each) => ({ ...finding, observable: each, path: `p-${count}` }))
        await stores.observables.indexRun(run.row, { observables: found, findings })
      }
      return {}
    },
    async containment(): Promise<Thing> {
      const { uuid } = await runningRun()
      const { name } = await connection()
      await stores.journal.begin(uuid, {
        ...begun,
        destructive: { class: 'containment', input: begun.input },
      })
      const contains = { skill: 'tower.ring_bell', input: { times: 1 } }
      const call = { connection: name, contains }
      const end = { state: 'completed', output: {}, error: null, attempt: 1, endedAt: 2, call } as const
      await stores.journal.end(uuid, 'a', end)
      const { data } = await stores.containments.list([organizationUuid], { limit: 1 }, {})
      return { containment: [data[0]?.id ?? ''] }
    },
    async checkpoint(): Promise<Thing> {
      return { checkpoint: [(await checkpoint()).id] }
    },
    /** With the plan of its preview. */
    async seenCheckpoint(): Promise<Thing> {
      const opened = await checkpoint()
      return { checkpoint: [opened.id], seen: [fingerprintOf(requireBatch([opened]))] }
    },
    /** A new playbook in shadow. */
    async shadow(): Promise<Thing> {
      const { name, hash } = await shadow(`fresh-${++count}`)
      return { playbook: [name], hash: [hash] }
    },
    /** An alert on which the shadow `watched` was judged. */
    async shadowAlert(): Promise<Thing> {
      const { name } = await shadow('watched')
      const trigger = { types: ['t'], providers: undefined, where: undefined, group: undefined }
      stores.shadows.watch([{ name, beside: undefined, trigger }], () => {})
      const { id, uuid } = await alert()
      const { uuid: runUuid } = await run(uuid)
      await stores.runs.end(runUuid, { status: 'completed', output: null, error: null })
      stores.shadows.watch([], () => {})
      return { playbook: [name], alert: [id, id.toUpperCase(), uuid] }
    },
    /** With a run that it has replayed. */
    async backtest(): Promise<Thing> {
      const { uuid } = await runningRun()
      const body = { organization_code: code, source: manualPlaybook.source, limit: 1 }
      return await eventually('the end of the backtest before, as only one runs at a time', async () => {
        const { status, json, text } = await api.call('POST', '/api/playbooks/p/backtests', { body })
        if (status === 409) return undefined
        if (status !== 201) throw new Error(text)
        return { backtest: [json.backtest_id], run: [uuid] }
      })
    },
    async playbook(): Promise<Thing> {
      const { name, hash } = await playbook()
      return { playbook: [name, hash] }
    },
    async playbookWithState(): Promise<Thing> {
      const { name, hash } = await playbook('keeps')
      await storeState(api, { code, playbook: name })
      return { playbook: [name, hash], state: ['seen'] }
    },
    /** Of a new playbook of the organization. */
    async draft(): Promise<Thing> {
      const name = `draft-${++count}`
      const source = manualPlaybook.source.replace(/^name: .*$/m, `name: ${name}\norganization: ${code}`)
      const given = { name, source, baseHash: null, note: '', organizationUuid }
      await stores.drafts.save(given, null, somebody())
      return { playbook: [name] }
    },
    async role(): Promise<Thing> {
      const name = `role${++count}`
      const role = { name, description: 'x', organizationUuid, permissions: ['cases:read'] } as const
      await stores.roles.create(role, somebody())
      return { role: [name, name.toUpperCase()] }
    },
    async account(): Promise<Thing> {
      const roles = [{ role: 'reader', organizationUuid }]
      const email = `account${++count}@example.com`
      const { uuid } = await stores.accounts.create({ email, name: 'Anna', roles }, somebody())
      return { account: [uuid, email, email.toUpperCase()] }
    },
    async key(): Promise<Thing> {
      const id = (await api.newKey('reader', [code])).split('_')[1] ?? ''
      const { uuid } = (await stores.keys.list()).find((key) => key.id === id) ?? {}
      return { key: [id, uuid ?? ''] }
    },
    async connection(): Promise<Thing> {
      const { name, uuid } = await connection()
      return { connection: [name, name.toUpperCase(), uuid] }
    },
    async signedInConnection(): Promise<Thing> {
      const { name, uuid } = await connection()
      await stores.signIns.save({ organizationUuid, uuid }, someTokens, 1, somebody())
      return { connection: [name, uuid] }
    },
    async startedSignIn(): Promise<Thing> {
      const { uuid } = await connection()
      return { state: [uuid] }
    },
  } satisfies Record<string, () => Promise<Thing>>
}

export type ThingKind = keyof ReturnType<typeof thingsOf>
