import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Run } from '../../core/domain/run.ts'
import { requireBatch, fingerprintOf } from '../../core/checkpoint/checkpoint-batch.ts'
import { parseJson } from '../../core/common/json.ts'
import { Secret } from '../../core/plugin/index.ts'
import { loadSchemaFolder, type CompiledSchema } from '../../core/schema/index.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { Secret as TotpSecret, TOTP } from 'otpauth'
import { createInvitation } from '../../server/access/invitations.ts'
import { newTotpSecret } from '../../server/access/second-factor.ts'
import { TestAuthenticator } from '../support/authenticator.ts'
import { newPerson } from './support/people.ts'
import { acceptedSignOn } from '../identity/support/signed-on.ts'
import { startApi, type Api } from './support/api.ts'
import {
  manualPlaybook,
  thingsOf,
  towerSettings,
  acceptedSignIns,
  storeState,
  someTokens,
} from './support/things.ts'
import { somebody } from '../support/somebody.ts'
import type { OpenApiDocument, Operation } from '../../server/http/reference/openapi-document.ts'

/** A body for each operation that accepts one. */
const bodies: Record<string, object | string> = {
  post_engine_pause: { reason: 'x' },
  post_session_single_sign_on: { return_to: '/cases' },
  post_session_single_sign_on_callback: { state: 'x', code: 'y' },
  post_session_single_sign_on_logout: 'logout_token=x',
  patch_cases_case: { status: 'closed' },
  post_correlations_preview: { organization_code: 'acme' },
  post_cases_case_notes: { text: 'looked at' },
  post_cases_case_files: { any: 'content' },
  post_cases_case_files_hash_withdraw: { reason: 'not needed' },
  post_alerts: { alert_content: 'x', alert_provider: 'SIEM', organization_code: 'acme', alert_type: 't' },
  post_alerts_forward_organization_provider: { title: 'x' },
  post_organizations: { code: 'new', name: 'New' },
  post_providers: { code: 'new', name: 'New' },
  post_notifications_read: { until: 1 },
  put_notifications_choices: { choices: [] },
  put_me_password: { password: 'correct horse battery staple' },
  post_roles: { name: 'triage', description: 'x', permissions: ['cases:read'] },
  patch_roles_role: { description: 'y' },
  patch_keys_key: { allowed_addresses: ['192.0.2.0/24'] },
  post_keys_key_rotate: { overlap_minutes: 5 },
  post_accounts: { email: 'b@example.com', name: 'B', roles: [{ role: 'reader' }] },
  patch_accounts_account: { name: 'x' },
  post_keys: { name: 'k', role: 'reader' },
  patch_connections_connection: { enabled: false },
  patch_organizations_organization: { name: 'x' },
  put_organizations_organization_destructive_limits: { blocking: 3 },
  put_organizations_organization_case_targets: { low: { resolve_minutes: 60 } },
  put_organizations_organization_approval_rules: { rules: [{ approvals: 1 }] },
  patch_providers_provider: { name: 'x' },
  post_cases_bulk: { cases: [{ case_id: 'acme-1', revision: 1 }], changes: { severity: 'low' } },
  post_shared_filters: { organization_code: 'acme', view: 'cases', name: 'x', search: 'active=true' },
  post_cases_case_tasks: { title: 'Call Kim' },
  patch_cases_case_tasks_task: { done: true },
  post_runs_run_retry: {},
  post_cases_case_containments_undo: {},
  post_runs_run_containments_undo: {},
  post_runs_retry: { runs: ['unknown'] },
  post_runs_retry_preview: { runs: ['unknown'] },
  post_runs_run_resolve: { path: 'b', decision: 'ran', output: 7 },
  post_checkpoints_checkpoint_answer: { answer: 'yes', text: 'it was me' },
  post_playbooks_validate: { source: 'name: x' },
  post_playbooks_complete: { source: 'name: x\non', line: 2, column: 3 },
  post_playbooks_hover: { source: 'name: x', line: 1, column: 2 },
  post_playbooks_dry_run: {
    organization_code: 'acme',
    source: manualPlaybook.source,
    inputs: { user: 'eve' },
  },
  post_playbooks_playbook_backtests: { organization_code: 'acme', source: manualPlaybook.source },
  put_playbooks_playbook_draft: { source: 'name: p' },
  post_playbook_set: { playbooks: [{ source: manualPlaybook.source }], dry_run: true },
  post_playbooks_playbook_draft_publish: { reason: 'fewer questions' },
  put_playbooks_playbook: { source: manualPlaybook.source.replace(/^name: .*$/m, 'name: p') },
  post_playbooks_playbook_runs: { organization_code: 'acme', inputs: { user: 'eve' } },
  post_playbooks_playbook_trigger_organization: { user: 'eve' },
  post_webhooks_plugin_v_route: { pull: true },
  post_skills_skill_runs: { organization_code: 'acme', input: { kind: 'ip', value: '192.0.2.1' } },
  post_connections: { organization_code: 'acme', name: 'north', plugin: 'tower', settings: towerSettings },
}

/** Additional headers that an operation needs. */
const neededHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  put_playbooks_playbook_draft: { 'if-match': '*' },
  delete_playbooks_playbook_draft: { 'if-match': '*' },
  post_playbooks_playbook_draft_publish: { 'if-match': '*' },
  put_playbooks_playbook: { 'if-match': '*' },
  post_session_single_sign_on_callback: { cookie: 'tocsin_sign_on=x' },
  patch_cases_case: { 'if-match': '*' },
  post_cases_case_merge: { 'if-match': '*' },
  post_cases_case_split: { 'if-match': '*' },
  patch_accounts_account: { 'if-match': '*' },
  patch_keys_key: { 'if-match': '*' },
  patch_roles_role: { 'if-match': '*' },
  patch_connections_connection: { 'if-match': '*' },
  patch_organizations_organization: { 'if-match': '*' },
  put_organizations_organization_destructive_limits: { 'if-match': '*' },
  put_organizations_organization_case_targets: { 'if-match': '*' },
  put_organizations_organization_approval_rules: { 'if-match': '*' },
  patch_providers_provider: { 'if-match': '*' },
}

describe('the OpenAPI document', () => {
  let api: Api
  let folder: TemporaryFolder
  let document: OpenApiDocument
  let operations: readonly (readonly [method: string, path: string, operation: Operation])[]
  let schemas: ReadonlyMap<string, CompiledSchema>
  const ids: Record<string, string> = {}
  /** A session for the operation that ends it. */
  let cookie: string
  /** Sessions of people, for operations that are for people. */
  let cookies: Readonly<Record<string, string>>
  const cookieFor = (operationId: string): string | undefined =>
    operationId === 'delete_session' ? cookie : cookies[operationId]
  /** Preparation for operations that need an object in another state. */
  const others: Record<string, Record<string, string>> = {}

  before(async () => {
    api = await startApi({ publicUrl: 'http://tocsin.localhost' }, undefined, undefined, acceptedSignOn)
    bodies['post_session'] = { api_key: api.adminKey }
    folder = await makeTemporaryFolder()
    document = (await api.call('GET', '/api/openapi.json', { key: null })).json
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
    )
    const answers = operations.map(([, , { operationId, responses }]) => {
      const { content = {} } = responses['200'] ?? responses['201'] ?? responses['202'] ?? {}
      return [operationId, Object.values(content)[0]?.schema] as const
    })
    for (const [name, schema] of [...Object.entries(document.components.schemas), ...answers]) {
      const text = JSON.stringify(schema).replaceAll(/#\/components\/schemas\/(\w+)/g, '$1.schema.json')
      await writeFile(join(folder.path, `${name}.schema.json`), text)
    }
    schemas = loadSchemaFolder(folder.path)
    await seed()
    await seedMoves()
    cookies = await seedPeople()
    await seedPasskeys()
    const { account: [account = ''] = [] } = await thingsOf(api, 'acme').account()
    ids['account'] = account
    const { key: [rotated = ''] = [] } = await thingsOf(api, 'acme').key()
    others['post_keys_key_rotate'] = { key: rotated }
    const { role: [role = ''] = [] } = await thingsOf(api, 'acme').role()
    ids['role'] = role
    const { backtest: [backtest = ''] = [], run: [replayed = ''] = [] } = await thingsOf(
      api,
      'acme',
    ).backtest()
    ids['backtest'] = backtest
    others['get_backtests_backtest_runs_run'] = { run: replayed }
    await seedShadows()
  })

  async function seedShadows(): Promise<void> {
    const things = thingsOf(api, 'acme')
    const { playbook: [watched = ''] = [], alert: [alert = ''] = [] } = await things.shadowAlert()
    const path = 'playbooks_playbook_shadow'
    for (const rest of ['', '_alerts', '_alerts_alert'])
      others[`get_${path}${rest}`] = { playbook: watched, alert }
    const { playbook: [fresh = ''] = [], hash: [hash = ''] = [] } = await things.shadow()
    others[`post_${path}_promote`] = { playbook: fresh }
    bodies[`post_${path}_promote`] = { hash, beside_hash: null }
  }

  /** A person for each operation, because each ends sessions or changes the ways to sign in. */
  async function seedPeople(): Promise<Readonly<Record<string, string>>> {
    const secret = newTotpSecret()
    const code = new TOTP({ secret: TotpSecret.fromBase32(secret) }).generate({ timestamp: api.clock.time })
    bodies['post_me_totp_confirm'] = { code }
    const made: Record<string, string> = {}
    for (const [, path, { operationId }] of operations) {
      if (!/^\/api\/(me|notifications)(\/|$)/.test(path) || path === '/api/me') continue
      const person = await newPerson(api, 'Anna', ['admin'])
      made[operationId] = person.cookie
      const { credentials, sessions } = api.stores
      if (path.endsWith('/confirm') || path.endsWith('/recovery-codes'))
        await credentials.offerTotp(person.uuid, secret)
      if (path.endsWith('/recovery-codes')) await credentials.confirmTotp(person.uuid, 1, [], somebody())
      others[operationId] = { session: (await sessions.ofAccount(person.uuid))[0]?.uuid ?? '' }
      if (operationId === 'post_me_keys_key_accept') {
        const body = { name: 'k', role: 'reader', owner: person.email }
        others[operationId] = { key: (await api.call('POST', '/api/keys', { body })).json.key_id }
      }
    }
    for (const name of ['preview', 'accept']) {
      const { uuid } = await newPerson(api, 'Bert', ['reader'])
      const at = { by: somebody(), now: api.clock.time }
      const { url } = await createInvitation(api.stores, uuid, '', at)
      const password = name === 'accept' ? { password: 'correct horse battery staple' } : {}
      bodies[`post_invitation_${name}`] = { token: url.split('#')[1], ...password }
    }
    return made
  }

  /** Answers of an authenticator, and passkeys to rename and to remove. */
  async function seedPasskeys(): Promise<void> {
    const offer = async (of: string) =>
      (await api.call('POST', '/api/me/passkeys/options', { key: null, headers: { cookie: of } })).json
        .options
    const device = () => new TestAuthenticator('http://tocsin.localhost')
    const add = async (of: string, authenticator: TestAuthenticator) => {
      const body = { name: 'x', credential: authenticator.create(await offer(of)) }
      const reply = await api.call('POST', '/api/me/passkeys', { key: null, headers: { cookie: of }, body })
      return reply.json.sign_in.passkeys[0].passkey_uuid as string
    }
    for (const method of ['patch', 'delete']) {
      const operationId = `${method}_me_passkeys_passkey`
      others[operationId] = { passkey: await add(cookies[operationId] ?? '', device()) }
    }
    bodies['patch_me_passkeys_passkey'] = { name: 'y' }
    const credential = device().create(await offer(cookies['post_me_passkeys'] ?? ''))
    bodies['post_me_passkeys'] = { name: 'x', credential }
    const used = device()
    await add((await newPerson(api, 'Carl', ['reader'])).cookie, used)
    const { options } = (await api.call('POST', '/api/session/passkey/options', { key: null })).json
    bodies['post_session_passkey'] = { credential: used.get(options) }
  }

  async function seedMoves(): Promise<void> {
    const things = thingsOf(api, 'acme')
    const { case: [merged = ''] = [], other: [other] = [] } = await things.twoCases()
    others['post_cases_case_merge'] = { case: merged }
    bodies['post_cases_case_merge'] = { cases: [{ case_id: other, revision: 1 }] }
    const { case: [split = ''] = [], alert } = await things.caseWithAlerts()
    others['post_cases_case_split'] = { case: split }
    bodies['post_cases_case_split'] = { alerts: alert, title: 'Apart' }
    for (const operation of ['get', 'put', 'delete']) {
      const { playbook: [playbook = ''] = [] } = await things.draft()
      others[`${operation}_playbooks_playbook_draft`] = { playbook }
    }
    const { playbook: [published = ''] = [] } = await things.draft()
    others['post_playbooks_playbook_draft_publish'] = { playbook: published }
    const { filter: [filter = ''] = [] } = await things.sharedFilter()
    others['delete_shared_filters_filter'] = { filter }
    const { case: [withTask = ''] = [], task: [task = ''] = [] } = await things.caseWithTask()
    others['patch_cases_case_tasks_task'] = { case: withTask, task }
    const { case: [linking = ''] = [], other: [linked] = [] } = await things.twoCases()
    others['post_cases_case_links'] = { case: linking }
    bodies['post_cases_case_links'] = { case_id: linked, kind: 'related' }
    const { case: [unlinking = ''] = [], other: [unlinked = ''] = [] } = await things.linkedCases()
    others['delete_cases_case_links_other'] = { case: unlinking, other: unlinked }
    const { containment: [containment = ''] = [] } = await things.containment()
    ids['containment'] = containment
    const { containment: [extended = ''] = [] } = await things.containment()
    others['post_containments_containment_extend'] = { containment: extended }
    bodies['post_containments_containment_extend'] = { by: '4h' }
  }
  after(async () => {
    await api.close()
    await folder.remove()
  })

  async function seed(): Promise<void> {
    const { json } = await api.call('POST', '/api/alerts', { body: bodies['post_alerts'] })
    const organizationUuid = api.organizations['acme'] ?? ''
    const alertUuid: string = json.alert_uuid
    const run = await api.stores.runs.queue({
      organizationUuid,
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid,
    })
    const caseId = (await api.stores.runs.start(run.uuid, { title: 'A case' }))?.caseId
    const begun = { path: 'a', stepId: 'a', kind: 'set', input: 1, startedAt: 1, attempt: 1 }
    const ended = { state: 'completed', output: 2, error: null, attempt: 1, endedAt: 2 } as const
    await api.stores.journal.record(run.uuid, begun, ended)
    await api.stores.playbooks.put(
      {
        name: 'p',
        hash: 'h',
        source: 'apiVersion: tocsin/v1\nname: p\non: { manual: true }\nsteps: [{ set: { a: 1 } }]\n',
        origin: 'file',
        organizationUuid: null,
      },
      somebody(),
    )
    await api.stores.journal.begin(run.uuid, { ...begun, path: 'b', kind: 'x.do' })
    await api.stores.journal.park(run.uuid, 'b')
    const question = {
      via: 'operator',
      input: { message: 'Was it you?' },
      answers: ['yes', 'no'],
      form: null,
    }
    const open = (path: string) =>
      api.stores.checkpoints.open(run.uuid, {
        path,
        stepId: path,
        question,
        timeoutAt: api.clock.now() + 1_000,
      })
    const checkpoint = await open('c')
    const second = await open('d')
    await open('e')
    bodies['post_checkpoints_answer_preview'] = { checkpoints: [second.id] }
    const seen = fingerprintOf(requireBatch([second]))
    bodies['post_checkpoints_answer'] = { checkpoints: [second.id], seen, answer: 'no' }
    api.playbooks.push(manualPlaybook)
    const failed = await failedRun(organizationUuid)
    others['get_runs_run_retry'] = { run: failed.uuid }
    others['post_runs_run_retry'] = { run: failed.uuid }
    others['post_alerts_alert_investigate'] = { alert: (await failedRun(organizationUuid)).alertId ?? '' }
    await api.newKey('reader')
    const south = {
      name: 'south',
      plugin: 'tower',
      settings: { base_url: towerSettings.base_url },
      secrets: {},
    }
    await api.stores.connections.create(organizationUuid, south, somebody())
    api.signIn = acceptedSignIns(organizationUuid)
    const east = await api.stores.connections.create(organizationUuid, { ...south, name: 'east' }, somebody())
    bodies['post_oauth_callback'] = { plugin: 'tower', state: east.uuid, code: 'x' }
    await api.stores.signIns.save(east, someTokens, 1, somebody())
    for (const method of ['post', 'delete'])
      others[`${method}_connections_connection_sign_in`] = { connection: 'east' }
    const { uuid } = await api.stores.connections.create(
      organizationUuid,
      {
        ...south,
        name: 'west',
        secrets: { api_token: new Secret('s') },
      },
      somebody(),
    )
    const signedIn = await api.call('POST', '/api/session', { body: bodies['post_session'] })
    cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const token = await api.stores.connections.eventsToken(organizationUuid, uuid)
    const key = (await api.stores.keys.list()).at(-1)?.id ?? ''
    const text = { name: 'a.txt', bytes: Buffer.from('x') }
    const file = await api.stores.cases.files.attach(organizationUuid, caseId ?? '', text, somebody())
    const wrong = { name: 'b.txt', bytes: Buffer.from('y') }
    const { sha256 } = await api.stores.cases.files.attach(organizationUuid, caseId ?? '', wrong, somebody())
    others['post_cases_case_files_hash_withdraw'] = { hash: sha256 }
    await storeState(api, { code: 'acme', playbook: 'p' })
    for (const method of ['get', 'delete'])
      others[`${method}_playbooks_playbook_state_state`] = { state: 'seen' }
    Object.assign(ids, {
      alert: json.alert_id,
      run: run.uuid,
      case: caseId,
      hash: file.sha256,
      playbook: 'p',
      checkpoint: checkpoint.id,
      key,
      connection: 'south',
      organization: 'acme',
      provider: 'siem',
      plugin: 'tower',
      skill: 'tower.look_up',
      route: 'rope',
      token: token.reveal(),
    })
  }

  async function failedRun(organizationUuid: string): Promise<Run> {
    const { json } = await api.call('POST', '/api/alerts', { body: bodies['post_alerts'] })
    const { name: playbookName, hash: playbookHash } = manualPlaybook
    const alertUuid: string = json.alert_uuid
    const inputs = { user: 'eve' }
    const given = { organizationUuid, playbookName, playbookHash, alertUuid, inputs }
    const { uuid } = await api.stores.runs.queue(given)
    await api.stores.runs.start(uuid, { title: 'A case' })
    const begun = { path: 'a', stepId: 'a', kind: 'x.do', input: 1, startedAt: 1, attempt: 1 }
    await api.stores.journal.record(uuid, begun, {
      state: 'completed',
      output: 2,
      error: null,
      attempt: 1,
      endedAt: 2,
    })
    const error = { code: 'broken', message: 'broken' }
    return await api.stores.runs.end(uuid, { status: 'failed', output: null, error })
  }

  it('passes a public linter', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const lint = (source: string) => lintFromString({ source, absoluteRef: '/openapi.json', config })
    const faults = (problems: Awaited<ReturnType<typeof lint>>) =>
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])
    // The linter wants no test address.
    const published = JSON.stringify({ ...document, servers: [{ url: '/' }] })
    expect(faults(await lint(published))).to.deep.equal([])
    const broken = published.replace('#/components/schemas/alert', '#/components/schemas/none')
    expect(faults(await lint(broken)).map(([rule]) => rule)).to.include('no-unresolved-refs')
  })

  it('describes every route below the prefix under a unique name', () => {
    expect(document.openapi).to.equal('3.1.1')
    expect(operations).to.have.length(routes.length)
    expect(new Set(operations.map(([, , { operationId }]) => operationId)).size).to.equal(routes.length)
    expect(Object.keys(document.paths)).to.include.members(['/api/alerts', '/api/alerts/{alert}', '/readyz'])
  })

  it('requires a key for the same operations as the server', async () => {
    for (const [method, path, { security }] of operations) {
      const { status } = await api.call(method.toUpperCase(), path.replaceAll(/[{}]/g, ''), { key: null })
      expect(status === 401, `${method} ${path}`).to.equal(security.length > 0)
    }
  })

  it('describes the actual response of every operation', async () => {
    for (const [method, path, operation] of operations) {
      const { operationId } = operation
      const filled = path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => others[operationId]?.[name] ?? ids[name] ?? '',
      )
      const body = bodies[operationId]
      expect(body !== undefined, operationId).to.equal(operation.requestBody !== undefined)
      const query = /^(post|get)_webhooks_/.test(operationId) ? `?token=${ids['token']}` : ''
      const reply = await api.call(method.toUpperCase(), filled + query, {
        ...(body !== undefined && { body }),
        headers: neededHeaders[operationId] ?? {},
        ...(cookieFor(operationId) !== undefined && {
          key: null,
          headers: { cookie: cookieFor(operationId) ?? '' },
        }),
      })
      expect(reply.status, `${operationId} ${reply.text}`).to.be.oneOf([200, 201, 202])
      const { content = {}, headers = {} } = operation.responses[reply.status] ?? {}
      if (Object.hasOwn(headers, 'ETag') || method === 'get')
        expect(reply.headers.has('etag'), operationId).to.equal(Object.hasOwn(headers, 'ETag'))
      const made = reply.headers.get('location')
      expect([made !== null, Object.hasOwn(headers, 'Location')], operationId).to.deep.equal(
        reply.status === 200 ? [false, false] : [true, true],
      )
      if (made !== null) {
        expect((await api.call('GET', made)).status, `${operationId}: ${made} is there`).to.equal(200)
      }
      const type = /^[^;]+/.exec(reply.headers.get('content-type') ?? '')?.[0] ?? ''
      expect(Object.keys(content), operationId).to.include(type)
      const value = type === 'application/json' ? parseJson(reply.text) : reply.text
      expect(schemas.get(operationId)?.problems(value), operationId).to.deep.equal([])
    }
  })

  it('names the headers that an operation reads', () => {
    const [, , create] = operations.find(([, , { operationId }]) => operationId === 'post_alerts') ?? []
    const headers = create?.parameters.filter((one) => one.in === 'header').map(({ name }) => name)
    expect(headers).to.deep.equal(['idempotency-key', 'prefer'])
    const others = operations.filter(([, , { operationId }]) =>
      /^(post_(keys$|runs_retry)|patch_)/.test(operationId),
    )
    for (const [method, path, { parameters }] of others) {
      const read = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
      const expected =
        method === 'patch' && !/\/passkeys\//.test(path)
          ? 'if-match'
          : path.endsWith('preview') || method === 'patch'
            ? undefined
            : 'idempotency-key'
      expect(read, path).to.deep.equal(expected === undefined ? [] : [expected])
    }
  })

  it('has example rows in lists', async () => {
    for (const list of [
      'alerts',
      'cases',
      'runs',
      'checkpoints',
      'playbooks',
      'skills',
      'plugins',
      'keys',
      'connections',
      'audit',
    ]) {
      expect((await api.call('GET', `/api/${list}`)).json.data.length, list).to.be.above(0)
    }
  })
})
