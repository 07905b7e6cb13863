import type { Role } from '../../../core/domain/api-key.ts'
import { manualPlaybook, towerSettings, type ThingKind } from './things.ts'

/** The roles of this table; `roles.test.ts` tests the others. */
export const tableRoles = ['intake', 'reader', 'analyst', 'admin'] as const satisfies readonly Role[]
const all: readonly Role[] = tableRoles
const posters: readonly Role[] = ['intake', 'analyst', 'admin']
const readers: readonly Role[] = ['reader', 'analyst', 'admin']
const operators: readonly Role[] = ['analyst', 'admin']
const admins: readonly Role[] = ['admin']

/** Who may call an operation, and which objects of an organization it accesses. */
export interface AccessRow {
  readonly roles: readonly Role[]
  /**
   * The kind of object in the path; or the place of the organization: a `body`, or the rows of a `list`.
   * `shared`: the same for all organizations. `whole`: only for keys of all organizations. `person`: refused to keys.
   */
  /** The object in the path of an operation for `whole` keys. Default: a shared one. */
  readonly thing?: ThingKind
  readonly of: ThingKind | 'body' | 'list' | 'shared' | 'whole' | 'person'
  /** The request for an organization and its objects. `n` differs in each call. */
  readonly body?: (organization: string, thing: Readonly<Record<string, string>>, n: number) => object
  /** For an operation that names objects in its body: the result for an object of another organization. */
  readonly foreign?: {
    readonly status: number
    readonly includes: string
    /** A field of the answer with the object as the request names it. */
    readonly repeats?: string
  }
}

/** Without a key: everyone; with a key in the body; with the token of a connection. */
export type AccessEntry = AccessRow | 'public' | 'sign_in' | 'events_token' | 'logout_token'

const madeUpCredential = { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: 'x' } }

/** The access rules, repeated on purpose: a missing or changed route fails the test. */
export const accessTable: Readonly<Record<string, AccessEntry>> = {
  'POST /alerts': {
    roles: posters,
    of: 'body',
    body: (organization_code) => ({ alert_content: 'x', alert_provider: 'SIEM', organization_code }),
  },
  'POST /alerts/forward/{organization}/{provider}': {
    roles: posters,
    of: 'organization',
    body: () => ({ title: 'x' }),
  },
  'POST /playbooks/{playbook}/trigger/{organization}': {
    roles: posters,
    of: 'organization',
    body: () => ({ title: 'x' }),
  },
  'GET /alerts': { roles: readers, of: 'list' },
  'GET /alerts/{alert}': { roles: readers, of: 'alert' },
  'POST /alerts/{alert}/investigate': { roles: operators, of: 'investigatedAlert' },
  'GET /cases': { roles: readers, of: 'list' },
  'GET /manual-playbooks': { roles: operators, of: 'list' },
  'GET /numbers/alerts': { roles: readers, of: 'shared' },
  'GET /numbers/runs': { roles: readers, of: 'shared' },
  'GET /numbers/failures': { roles: readers, of: 'shared' },
  'GET /numbers/times': { roles: readers, of: 'shared' },
  'GET /numbers/questions': { roles: readers, of: 'shared' },
  'GET /numbers/containments': { roles: readers, of: 'shared' },
  'GET /numbers/rules': { roles: readers, of: 'shared' },
  'GET /observables': { roles: readers, of: 'list' },
  'GET /observables/findings': { roles: readers, of: 'list' },
  'GET /cases/{case}/related': { roles: readers, of: 'case' },
  'GET /cases/{case}': { roles: readers, of: 'case' },
  'PATCH /cases/{case}': {
    roles: operators,
    of: 'case',
    body: () => ({ status: 'in_progress' }),
  },
  'POST /cases/bulk': {
    roles: operators,
    of: 'case',
    body: (_, { case: id }) => ({
      cases: [{ case_id: id, revision: 1 }],
      changes: { severity: 'low' },
    }),
    foreign: { status: 200, includes: 'case_not_found', repeats: 'case_id' },
  },
  'POST /cases/{case}/notes': { roles: operators, of: 'case', body: () => ({ text: 'x' }) },
  'POST /cases/{case}/tasks': { roles: operators, of: 'case', body: () => ({ title: 'x' }) },
  'GET /tasks': { roles: readers, of: 'list' },
  'PATCH /cases/{case}/tasks/{task}': { roles: operators, of: 'caseWithTask', body: () => ({ done: true }) },
  'POST /cases/{case}/links': {
    roles: operators,
    of: 'twoCases',
    body: (_organization, { other }) => ({ case_id: other, kind: 'related' }),
  },
  'DELETE /cases/{case}/links/{other}': { roles: operators, of: 'linkedCases' },
  'POST /cases/{case}/merge': {
    roles: operators,
    of: 'twoCases',
    body: (_organization, { other }) => ({ cases: [{ case_id: other, revision: 1 }] }),
  },
  'POST /cases/{case}/split': {
    roles: operators,
    of: 'caseWithAlerts',
    body: (_organization, { alert }) => ({ alerts: [alert] }),
  },
  'GET /cases/{case}/timeline': { roles: readers, of: 'case' },
  'GET /cases/{case}/export': { roles: readers, of: 'case' },
  'GET /cases/{case}/files': { roles: readers, of: 'case' },
  'POST /cases/{case}/files': { roles: operators, of: 'case', body: () => ({}) },
  'POST /cases/{case}/files/{hash}/withdraw': {
    roles: operators,
    of: 'caseWithFile',
    body: () => ({ reason: 'x' }),
  },
  'GET /cases/{case}/files/{hash}': { roles: readers, of: 'caseWithFile' },
  'POST /correlations/preview': {
    roles: operators,
    of: 'body',
    body: (organization_code) => ({ organization_code }),
  },
  'GET /runs': { roles: readers, of: 'list' },
  'GET /runs/{run}': { roles: readers, of: 'run' },
  'GET /runs/{run}/steps': { roles: readers, of: 'run' },
  'GET /runs/{run}/events': { roles: readers, of: 'run' },
  'POST /runs/{run}/cancel': { roles: operators, of: 'run' },
  'POST /runs/{run}/resolve': {
    roles: operators,
    of: 'runWithUnknownStep',
    body: () => ({ path: 'a', decision: 'skip' }),
  },
  'GET /runs/{run}/retry': { roles: operators, of: 'failedRun' },
  'POST /runs/{run}/retry': { roles: operators, of: 'failedRun', body: () => ({}) },
  'POST /runs/retry': {
    roles: operators,
    of: 'failedRun',
    body: (_, { run }) => ({ runs: [run] }),
    foreign: { status: 200, includes: 'run_not_found' },
  },
  'POST /runs/retry/preview': {
    roles: operators,
    of: 'failedRun',
    body: (_, { run }) => ({ runs: [run] }),
    foreign: { status: 200, includes: 'run_not_found' },
  },
  'POST /cases/{case}/containments/undo': { roles: operators, of: 'case', body: () => ({}) },
  'POST /runs/{run}/containments/undo': { roles: operators, of: 'run', body: () => ({}) },
  'POST /containments/{containment}/undo': { roles: operators, of: 'containment' },
  'POST /containments/{containment}/extend': {
    roles: operators,
    of: 'containment',
    body: () => ({ until: null }),
  },
  'GET /containments': { roles: readers, of: 'list' },
  'GET /checkpoints': { roles: readers, of: 'list' },
  'GET /checkpoints/{checkpoint}': { roles: readers, of: 'checkpoint' },
  'POST /checkpoints/{checkpoint}/answer': {
    roles: operators,
    of: 'checkpoint',
    body: () => ({ answer: 'yes' }),
  },
  'POST /checkpoints/answer/preview': {
    roles: operators,
    of: 'checkpoint',
    body: (_, { checkpoint }) => ({ checkpoints: [checkpoint] }),
  },
  'POST /checkpoints/answer': {
    roles: operators,
    of: 'seenCheckpoint',
    body: (_, { checkpoint, seen }) => ({ checkpoints: [checkpoint], seen, answer: 'yes' }),
  },
  'POST /playbooks/{playbook}/runs': {
    roles: operators,
    of: 'body',
    body: (organization_code) => ({ organization_code, inputs: { user: 'eve' } }),
  },
  'POST /playbooks/{playbook}/backtests': {
    roles: operators,
    of: 'body',
    // Without alerts it has ended before the next one begins.
    body: (organization_code) => ({
      organization_code,
      source: manualPlaybook.source,
      created_after: 5_000_000_000_000,
    }),
  },
  'GET /playbooks/{playbook}/backtests': { roles: readers, of: 'shared' },
  'GET /backtests/{backtest}': { roles: readers, of: 'backtest' },
  'POST /backtests/{backtest}/cancel': { roles: operators, of: 'backtest' },
  'POST /backtests/{backtest}/resume': { roles: operators, of: 'backtest' },
  'GET /backtests/{backtest}/runs/{run}': { roles: operators, of: 'backtest' },
  'GET /playbooks/{playbook}/shadow': {
    roles: readers,
    of: 'shadowAlert',
    foreign: { status: 200, includes: '"alerts":0,' },
  },
  'GET /playbooks/{playbook}/shadow/alerts': {
    roles: readers,
    of: 'shadowAlert',
    foreign: { status: 200, includes: '"total":0' },
  },
  'GET /playbooks/{playbook}/shadow/alerts/{alert}': { roles: readers, of: 'shadowAlert' },
  'POST /playbooks/{playbook}/shadow/promote': {
    roles: admins,
    of: 'whole',
    thing: 'shadow',
    body: (_organization, { hash }) => ({ hash, beside_hash: null }),
  },
  'GET /playbooks': { roles: readers, of: 'list' },
  'GET /playbooks/{playbook}': { roles: readers, of: 'playbook' },
  'GET /playbooks/{playbook}/graph': { roles: readers, of: 'playbook' },
  'POST /playbooks/{playbook}/test': { roles: operators, of: 'playbook' },
  'GET /playbooks/{playbook}/results': { roles: readers, of: 'playbook' },
  'GET /playbooks/{playbook}/state': { roles: readers, of: 'playbookWithState' },
  'GET /playbooks/{playbook}/state/{state}': { roles: readers, of: 'playbookWithState' },
  'DELETE /playbooks/{playbook}/state/{state}': { roles: operators, of: 'playbookWithState' },
  'GET /playbooks/{playbook}/versions': { roles: readers, of: 'playbook' },
  'POST /playbooks/validate': { roles: readers, of: 'shared', body: () => ({ source: 'name: x' }) },
  'POST /playbooks/complete': {
    roles: readers,
    of: 'body',
    body: (organization_code) => ({ organization_code, source: 'name: x', line: 1, column: 1 }),
  },
  'POST /playbooks/hover': {
    roles: readers,
    of: 'body',
    body: (organization_code) => ({ organization_code, source: 'name: x', line: 1, column: 1 }),
  },
  'POST /playbooks/dry-run': {
    roles: operators,
    of: 'body',
    body: (organization_code) => ({
      organization_code,
      source: manualPlaybook.source,
      inputs: { user: 'eve' },
    }),
  },
  'PUT /playbooks/{playbook}': {
    roles: admins,
    of: 'whole',
    body: () => ({
      source: 'apiVersion: tocsin/v1\nname: p\non: { manual: true }\nsteps: [{ set: { a: 1 } }]\n',
    }),
  },
  'GET /playbook-set': { roles: readers, of: 'shared' },
  'POST /playbook-set': {
    roles: admins,
    of: 'whole',
    body: () => ({
      playbooks: [
        { source: 'apiVersion: tocsin/v1\nname: p\non: { manual: true }\nsteps: [{ set: { a: 1 } }]\n' },
      ],
    }),
  },
  'GET /playbook-folder': { roles: readers, of: 'shared' },
  'POST /playbook-folder/reload': { roles: admins, of: 'whole' },
  'GET /playbook-drafts': { roles: readers, of: 'shared' },
  'GET /playbooks/{playbook}/draft': { roles: readers, of: 'draft' },
  'PUT /playbooks/{playbook}/draft': {
    roles: operators,
    of: 'whole',
    thing: 'draft',
    body: () => ({ source: 'name: x' }),
  },
  'DELETE /playbooks/{playbook}/draft': { roles: operators, of: 'draft' },
  'POST /playbooks/{playbook}/draft/publish': {
    roles: admins,
    of: 'draft',
    body: () => ({ reason: 'x' }),
  },
  'GET /skills': { roles: readers, of: 'shared' },
  'GET /skills/{skill}': { roles: readers, of: 'shared' },
  'POST /skills/{skill}/runs': {
    roles: operators,
    of: 'body',
    body: (organization_code) => ({ organization_code, input: { kind: 'ip', value: '192.0.2.1' } }),
  },
  'GET /plugins/{plugin}': { roles: readers, of: 'shared' },
  'GET /plugins': { roles: readers, of: 'shared' },
  'GET /organizations': { roles: all, of: 'list' },
  'POST /organizations': { roles: admins, of: 'whole', body: (_, __, n) => ({ code: `o${n}`, name: 'x' }) },
  'GET /organizations/{organization}': { roles: all, of: 'organization' },
  'GET /organizations/{organization}/destructive-limits': { roles: readers, of: 'organization' },
  'GET /shared-filters': { roles: readers, of: 'shared' },
  'POST /shared-filters': {
    roles: operators,
    of: 'body',
    body: (organization_code) => ({ organization_code, view: 'cases', name: 'x', search: 'active=true' }),
  },
  'DELETE /shared-filters/{filter}': { roles: operators, of: 'sharedFilter' },
  'GET /organizations/{organization}/people': { roles: readers, of: 'organization' },
  'GET /organizations/{organization}/case-targets': { roles: readers, of: 'organization' },
  'PUT /organizations/{organization}/case-targets': {
    roles: admins,
    of: 'organization',
    body: () => ({ critical: { respond_minutes: 15, resolve_minutes: 240 } }),
  },
  'PUT /organizations/{organization}/destructive-limits': {
    roles: admins,
    of: 'organization',
    body: () => ({ blocking: 3 }),
  },
  'GET /organizations/{organization}/approval-rules': { roles: readers, of: 'organization' },
  'PUT /organizations/{organization}/approval-rules': {
    roles: admins,
    of: 'organization',
    body: () => ({ rules: [{ approvals: 1 }] }),
  },
  'PATCH /organizations/{organization}': { roles: admins, of: 'organization', body: () => ({ name: 'x' }) },
  'GET /providers/{provider}': { roles: all, of: 'shared' },
  'PATCH /providers/{provider}': { roles: admins, of: 'whole', body: () => ({ name: 'x' }) },
  'GET /providers': { roles: all, of: 'shared' },
  'POST /providers': { roles: admins, of: 'whole', body: (_, __, n) => ({ code: `p${n}`, name: 'x' }) },
  'GET /keys': { roles: admins, of: 'list' },
  'POST /keys': {
    roles: admins,
    of: 'body',
    body: (code) => ({ name: 'k', role: 'reader', organization_codes: [code] }),
  },
  'GET /keys/{key}': { roles: admins, of: 'key' },
  'PATCH /keys/{key}': { roles: admins, of: 'key', body: () => ({ allowed_addresses: null }) },
  'POST /keys/{key}/rotate': { roles: admins, of: 'key', body: () => ({}) },
  'DELETE /keys/{key}': { roles: admins, of: 'key' },
  'GET /accounts': { roles: admins, of: 'list' },
  'POST /accounts': {
    roles: admins,
    of: 'body',
    body: (organization_code, _, n) => ({
      email: `p${n}@example.com`,
      name: 'x',
      roles: [{ role: 'reader', organization_code }],
    }),
  },
  'GET /accounts/{account}': { roles: admins, of: 'account' },
  'PATCH /accounts/{account}': { roles: admins, of: 'account', body: () => ({ name: 'x' }) },
  'POST /accounts/{account}/invitation': { roles: admins, of: 'account' },
  'DELETE /accounts/{account}/sessions': { roles: admins, of: 'account' },
  'POST /accounts/{account}/disable': { roles: admins, of: 'account' },
  'POST /accounts/{account}/enable': { roles: admins, of: 'account' },
  'GET /roles': { roles: admins, of: 'shared' },
  'POST /roles': {
    roles: admins,
    of: 'body',
    body: (organization_code, _, n) => ({
      organization_code,
      name: `r${n}`,
      description: 'x',
      permissions: ['cases:read'],
    }),
  },
  'PATCH /roles/{role}': { roles: admins, of: 'role', body: () => ({ description: 'y' }) },
  'DELETE /roles/{role}': { roles: admins, of: 'role' },
  'GET /me': { roles: all, of: 'shared' },
  'PUT /me/password': {
    roles: all,
    of: 'person',
    body: () => ({ password: 'correct horse battery staple' }),
  },
  'POST /me/totp': { roles: all, of: 'person' },
  'POST /me/totp/confirm': { roles: all, of: 'person', body: () => ({ code: '123456' }) },
  'DELETE /me/totp': { roles: all, of: 'person' },
  'POST /me/recovery-codes': { roles: all, of: 'person' },
  'POST /me/passkeys/options': { roles: all, of: 'person' },
  'POST /me/passkeys': {
    roles: all,
    of: 'person',
    body: () => ({ name: 'x', credential: madeUpCredential }),
  },
  'PATCH /me/passkeys/{passkey}': { roles: all, of: 'person', body: () => ({ name: 'x' }) },
  'DELETE /me/passkeys/{passkey}': { roles: all, of: 'person' },
  'GET /me/keys': { roles: all, of: 'person' },
  'POST /me/keys/{key}/accept': { roles: all, of: 'person' },
  'GET /notifications': { roles: all, of: 'person' },
  'POST /notifications/read': { roles: all, of: 'person', body: () => ({ until: 1 }) },
  'GET /notifications/choices': { roles: all, of: 'person' },
  'PUT /notifications/choices': { roles: all, of: 'person', body: () => ({ choices: [] }) },
  'GET /me/sessions': { roles: all, of: 'person' },
  'DELETE /me/sessions': { roles: all, of: 'person' },
  'DELETE /me/sessions/{session}': { roles: all, of: 'person' },
  'POST /session': 'sign_in',
  'POST /invitation/preview': 'sign_in',
  'POST /invitation/accept': 'sign_in',
  'GET /session/methods': 'public',
  'POST /session/passkey/options': 'sign_in',
  'POST /session/passkey': 'sign_in',
  'POST /session/single-sign-on': 'sign_in',
  'POST /session/single-sign-on/callback': 'sign_in',
  'POST /session/single-sign-on/logout': 'logout_token',
  'GET /session': { roles: all, of: 'shared' },
  'DELETE /session': { roles: all, of: 'shared' },
  'GET /connections': { roles: readers, of: 'list' },
  'GET /connections/{connection}': { roles: readers, of: 'connection' },
  'GET /connections/{connection}/manifest': { roles: admins, of: 'connection' },
  'POST /connections/{connection}/sign-in': { roles: admins, of: 'connection' },
  'DELETE /connections/{connection}/sign-in': { roles: admins, of: 'signedInConnection' },
  'POST /oauth/callback': {
    roles: admins,
    of: 'startedSignIn',
    body: (_, { state = '' }) => ({ plugin: 'tower', state, code: 'x' }),
  },
  'POST /connections': {
    roles: admins,
    of: 'body',
    body: (organization_code, _, n) => ({
      organization_code,
      name: `n${n}`,
      plugin: 'tower',
      settings: towerSettings,
    }),
  },
  'POST /connections/{connection}/authenticate': { roles: admins, of: 'connection' },
  'POST /connections/{connection}/rotate-token': { roles: admins, of: 'connection' },
  'PATCH /connections/{connection}': { roles: admins, of: 'connection', body: () => ({ enabled: false }) },
  'DELETE /connections/{connection}': { roles: admins, of: 'connection' },
  'POST /webhooks/{plugin}/v1/{route}': 'events_token',
  'GET /webhooks/{plugin}/v1/{route}': 'events_token',
  'GET /audit': { roles: admins, of: 'list' },
  'GET /events': { roles: readers, of: 'shared' },
  'GET /engine': { roles: readers, of: 'shared' },
  'GET /nodes': { roles: readers, of: 'shared' },
  'POST /engine/pause': { roles: admins, of: 'whole', body: () => ({ reason: 'x' }) },
  'POST /engine/resume': { roles: admins, of: 'whole' },
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': { roles: readers, of: 'whole' },
}
