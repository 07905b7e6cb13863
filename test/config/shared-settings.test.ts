import { expect } from 'chai'
import type { StoredNode } from '../../core/ports/nodes/node-store.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { readConfig, variableNames } from '../../server/config/config.ts'
import packageJson from '../../package.json' with { type: 'json' }
import {
  differingSettings,
  digestSettings,
  othersHaveSame,
  settingsBeside,
} from '../../server/config/shared-settings.ts'
import casePlugin from '../../plugins/case/plugin.ts'

/** Of one node or machine. */
const own = [
  'TOCSIN_HOST TOCSIN_PORT TOCSIN_OPS_PORT TOCSIN_DATA_DIR TOCSIN_STORE TOCSIN_STANDBY TOCSIN_DRAIN_SECONDS TOCSIN_TRUSTED_PROXIES',
  'TOCSIN_PLAYBOOKS_DIR TOCSIN_PLAYBOOKS_RELOAD_SECONDS TOCSIN_WORKERS TOCSIN_MAX_RUNS TOCSIN_LOG_LEVEL TOCSIN_BOOTSTRAP_API_KEY',
].flatMap((line) => line.split(' '))
/** Nodes with another master key are refused. */
const secret = ['TOCSIN_MASTER_KEY', 'TOCSIN_NEXT_MASTER_KEY', 'TOCSIN_AUDIT_EXPORT_AUTHORIZATION']
const singleSignOn = {
  TOCSIN_OIDC_ISSUER: 'https://login.example.com',
  TOCSIN_OIDC_CLIENT_ID: 'tocsin',
  TOCSIN_PUBLIC_URL: 'https://tocsin.example.com',
}
const vault = { TOCSIN_VAULT_ADDRESS: 'https://vault.example.com', TOCSIN_VAULT_TOKEN: 'file:/token' }
/** A value other than the default for each of the others, and what is set on both nodes. */
const changes: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>?]>> = {
  TOCSIN_API_PREFIX: ['other'],
  TOCSIN_PUBLIC_URL: ['https://tocsin.example.com'],
  TOCSIN_SECRET_VARIABLES: ['acme=ACME_*; *=SHARED'],
  TOCSIN_SECRETS_DIR: ['/secrets'],
  TOCSIN_VAULT_ADDRESS: ['https://vault-2.example.com', vault],
  TOCSIN_VAULT_MOUNT: ['other', vault],
  TOCSIN_SHARE_PERCENT: ['1'],
  TOCSIN_MAX_QUEUED: ['1'],
  TOCSIN_SHADOW_SHARE_PERCENT: ['1'],
  TOCSIN_STORM_PER_MINUTE: ['1'],
  TOCSIN_SLOW_RUN_SECONDS: ['1'],
  TOCSIN_GROUP_MINUTES: ['1'],
  TOCSIN_DESTRUCTIVE_PER_HOUR: ['containment=1'],
  TOCSIN_APPROVALS: ['containment=2'],
  TOCSIN_CONTAINMENT_CHECK_MINUTES: ['1'],
  TOCSIN_SELF_APPROVAL: ['signed_in'],
  TOCSIN_KEY_DAYS: ['never'],
  TOCSIN_SESSION_IDLE_MINUTES: ['1'],
  TOCSIN_SESSION_MAX_HOURS: ['1'],
  TOCSIN_OIDC_ROLES: ['soc=analyst', singleSignOn],
  TOCSIN_OIDC_CLIENT_ID: ['other', singleSignOn],
  TOCSIN_LOCAL_SIGN_IN: ['break_glass', singleSignOn],
  TOCSIN_KEEP_RUNS_DAYS: ['1'],
  TOCSIN_KEEP_ALERTS_DAYS: ['1'],
  TOCSIN_KEEP_FILES_DAYS: ['1'],
  TOCSIN_FILE_MB: ['1'],
  TOCSIN_CASE_FILES_MB: ['1'],
  TOCSIN_FILE_QUOTA_MB: ['1'],
  TOCSIN_AUDIT_EXPORT: ['https://siem.example.com/audit'],
  TOCSIN_ALLOW_PRIVATE_EGRESS: ['acme=10.0.0.5; *=127.0.0.1'],
}

const catalogue = buildCatalogue([casePlugin])
const settingsOf = (env: Readonly<Record<string, string>>, plugins = catalogue) => ({
  program: '1.0.0',
  settings: digestSettings(readConfig(env), plugins),
})
/** Such as `TOCSIN_VAULT_*`. */
const isNamed = (variable: string) => (name: string) =>
  name.endsWith('*') ? variable.startsWith(name.slice(0, -1)) : name === variable

describe('the settings that all nodes must agree on', () => {
  for (const [variable, [value, both = {}]] of Object.entries(changes))
    it(`have ${variable}`, () => {
      const names = differingSettings(settingsOf(both), settingsOf({ ...both, [variable]: value }))
      expect(names.filter((name) => !isNamed(variable)(name))).to.deep.equal([])
      expect(names).to.have.length(1)
    })

  it('have every variable that is not of one node', () => {
    const left = variableNames.filter(
      (name) =>
        !own.includes(name) &&
        !secret.includes(name) &&
        name !== 'TOCSIN_PLUGINS' &&
        changes[name] === undefined &&
        !/^TOCSIN_(OIDC|VAULT)_/.test(name),
    )
    expect(left).to.deep.equal([])
  })

  it('are the same if a variable has its default value', () => {
    const defaults = { TOCSIN_GROUP_MINUTES: '60', TOCSIN_DESTRUCTIVE_PER_HOUR: '10', TOCSIN_FILE_MB: '32' }
    expect(differingSettings(settingsOf({}), settingsOf(defaults))).to.deep.equal([])
    const [one, other] = ['a=1.example; b=2.example', 'b=2.example;a=1.example'].map((hosts) =>
      settingsOf({ TOCSIN_ALLOW_PRIVATE_EGRESS: hosts }),
    )
    expect(differingSettings(one!, other!)).to.deep.equal([])
  })

  it('do not differ in the default of a variable that has no meaning without another', () => {
    const without = settingsOf({ TOCSIN_PUBLIC_URL: singleSignOn.TOCSIN_PUBLIC_URL })
    expect(differingSettings(without, settingsOf(singleSignOn))).to.deep.equal(['TOCSIN_OIDC_*'])
  })

  it('have the plugins, with the inputs and outputs of their skills', () => {
    const [skill, ...others] = casePlugin.skills
    const changed = { ...casePlugin, skills: [{ ...skill!, output: { type: 'object' } }, ...others] }
    for (const plugins of [[], [changed as typeof casePlugin]])
      expect(differingSettings(settingsOf({}), settingsOf({}, buildCatalogue(plugins)))).to.deep.equal([
        'the installed plugins',
      ])
  })

  it('are compared with nodes that run, have the same version and have told theirs', () => {
    const report = {
      role: 'active',
      runs: 0,
      queued: 0,
      cpuPercent: 0,
      memoryBytes: 0,
      lastError: null,
    } as const
    const node = (id: string, changed: Partial<StoredNode>, keep: string): StoredNode => ({
      id,
      name: id,
      program: '1.0.0',
      startedAt: 0,
      renewedAt: 0,
      peers: [],
      report: { ...report, settings: settingsOf({ TOCSIN_KEEP_ALERTS_DAYS: keep }).settings },
      gone: null,
      ...changed,
    })
    const nodes = [
      node('own', {}, '365'),
      node('same', {}, '365'),
      node('other', {}, '7'),
      node('newer', { program: '1.1.0' }, '7'),
      node('gone', { gone: { at: 0, why: 'left' } }, '7'),
      node('starts', { report: null }, '7'),
      node('older', { report }, '7'),
    ]
    const beside = (own: string) =>
      nodes.filter((each) => settingsBeside(nodes, own)(each).length > 0).map(({ id }) => id)
    expect(beside('own')).to.deep.equal(['other'])
    expect(settingsBeside(nodes, 'own')(nodes[2]!)).to.deep.equal(['TOCSIN_KEEP_ALERTS_DAYS'])
    for (const id of ['starts', 'older', 'unknown']) expect(beside(id), id).to.deep.equal([])
    const haveSame = (keep: string, ...ids: string[]) =>
      othersHaveSame(
        'TOCSIN_KEEP_ALERTS_DAYS',
        readConfig({ TOCSIN_KEEP_ALERTS_DAYS: keep }),
        nodes
          .filter(({ id }) => ids.includes(id))
          .map((each) => ({
            ...each,
            program: each.program === '1.0.0' ? packageJson.version : each.program,
          })),
        'own',
      )
    expect(haveSame('365', 'own', 'same', 'gone')).to.equal(true)
    expect(haveSame('7', 'own', 'other')).to.equal(true)
    for (const id of ['other', 'newer', 'starts', 'older'])
      expect(haveSame('365', 'own', 'same', id), id).to.equal(false)
  })
})
