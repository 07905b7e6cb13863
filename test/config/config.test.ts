import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { resolve } from 'node:path'
import { ValidationError } from '../../core/errors/errors.ts'
import { readConfig, variableNames } from '../../server/config/config.ts'
import { parseAllowList } from '../../server/egress/allow-list.ts'
import { makeKey } from '../../server/access/keys.ts'

const masterKey = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7)).toString('base64')

function refusal(env: Readonly<Record<string, string>>): ValidationError {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error(`accepted ${JSON.stringify(env)}`)
}

describe('configuration', () => {
  it('has a default for everything', () => {
    const { pluginsDir, ...config } = readConfig({})
    expect(pluginsDir).to.equal(resolve('plugins'))
    expect(config).to.deep.equal({
      host: '127.0.0.1',
      port: 8080,
      opsPort: undefined,
      dataDir: resolve('data'),
      store: undefined,
      standby: false,
      drainMs: 0,
      apiPrefix: 'api',
      publicUrl: undefined,
      traces: { wanted: false, ratio: 1, headers: {}, warnings: [] },
      trustedProxies: [],
      masterKey: undefined,
      nextMasterKey: undefined,
      bootstrapApiKey: undefined,
      secrets: { variables: undefined, folder: undefined, vault: undefined },
      playbooksDir: resolve('playbooks'),
      playbooksDirNamed: false,
      playbooksReloadMs: 5_000,
      plugins: [],
      workers: availableParallelism() - 1,
      maxRuns: 100,
      sharePercent: 80,
      maxQueued: 100_000,
      shadowSharePercent: 10,
      stormPerMinute: 600,
      slowRunMs: 300_000,
      groupWindowMs: 3_600_000,
      destructiveLimits: { containment: 10, blocking: 10, deletion: 10, execution: 10 },
      approvalRules: [],
      containmentCheckMs: 900_000,
      selfApproval: 'never',
      oidc: undefined,
      keep: { runsMs: undefined, alertsMs: undefined, filesMs: undefined },
      keyLifetimeMs: 365 * 86_400_000,
      fileLimits: { file: 33_554_432, case: 536_870_912, organization: 1_073_741_824 },
      sessions: { idleMs: 3_600_000, maxMs: 43_200_000 },
      auditExport: { targets: [], authorization: undefined },
      logLevel: 'info',
      allowPrivateEgress: { everyone: [], organizations: new Map() },
      warnings: [],
    })
  })

  it('reads every variable', () => {
    const key = makeKey().value
    const config = readConfig({
      TOCSIN_HOST: '0.0.0.0',
      TOCSIN_PORT: ' 9000 ',
      TOCSIN_OPS_PORT: '9001',
      TOCSIN_DATA_DIR: '/var/lib/tocsin',
      TOCSIN_STORE: 'postgres://tocsin:pw@db/tocsin',
      TOCSIN_STANDBY: 'On',
      TOCSIN_DRAIN_SECONDS: '5',
      TOCSIN_API_PREFIX: 'soc/v2',
      TOCSIN_PUBLIC_URL: 'https://tocsin.example/',
      TOCSIN_MASTER_KEY: masterKey,
      TOCSIN_BOOTSTRAP_API_KEY: key,
      TOCSIN_PLAYBOOKS_DIR: '/etc/playbooks',
      TOCSIN_PLUGINS:
        'tocsin-plugin-a, @acme/plugin-b,,tocsin-plugin-a,./own/plugin.ts,../x,/opt/plugins/y.js',
      TOCSIN_TRUSTED_PROXIES: '127.0.0.1, 10.1.0.0/16,fc00::/7,::1',
      TOCSIN_PLAYBOOKS_RELOAD_SECONDS: '0',
      TOCSIN_WORKERS: '3',
      TOCSIN_MAX_RUNS: '7',
      TOCSIN_SHARE_PERCENT: '60',
      TOCSIN_MAX_QUEUED: '8',
      TOCSIN_SHADOW_SHARE_PERCENT: '25',
      TOCSIN_STORM_PER_MINUTE: '9',
      TOCSIN_GROUP_MINUTES: '0',
      TOCSIN_DESTRUCTIVE_PER_HOUR: '0',
      TOCSIN_CONTAINMENT_CHECK_MINUTES: '0',
      TOCSIN_SELF_APPROVAL: 'Signed_in',
      TOCSIN_SESSION_IDLE_MINUTES: '15',
      TOCSIN_SESSION_MAX_HOURS: '8',
      TOCSIN_KEY_DAYS: 'Never',
      TOCSIN_AUDIT_EXPORT: 'file:/var/log/tocsin/audit.jsonl, syslog+tls://logs.internal',
      TOCSIN_LOG_LEVEL: 'WARN',
      TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1:9000, [::1]:80,[fd00::1],SIEM.internal,10.1.0.0/16,FD00::/8',
      PATH: '/bin',
    })
    expect(config).to.include({
      host: '0.0.0.0',
      port: 9000,
      opsPort: 9001,
      dataDir: '/var/lib/tocsin',
      standby: true,
      drainMs: 5_000,
      apiPrefix: 'soc/v2',
    })
    expect(config).to.include({
      publicUrl: 'https://tocsin.example',
      playbooksReloadMs: 0,
      workers: 3,
      maxRuns: 7,
      sharePercent: 60,
      maxQueued: 8,
      shadowSharePercent: 25,
      stormPerMinute: 9,
      groupWindowMs: 0,
      containmentCheckMs: 0,
      selfApproval: 'signed_in',
      logLevel: 'warn',
    })
    expect(config.auditExport.targets.map(({ name }) => name)).to.deep.equal([
      'file:/var/log/tocsin/audit.jsonl',
      'syslog+tls://logs.internal:6514',
    ])
    expect(config.destructiveLimits).to.deep.equal({ containment: 0, blocking: 0, deletion: 0, execution: 0 })
    expect(config.trustedProxies).to.deep.equal(['127.0.0.1', '10.1.0.0/16', 'fc00::/7', '::1'])
    expect(config.sessions).to.deep.equal({ idleMs: 900_000, maxMs: 28_800_000 })
    expect(config.store?.reveal()).to.equal('postgres://tocsin:pw@db/tocsin')
    expect(config.masterKey?.reveal()).to.equal(masterKey)
    expect(config.bootstrapApiKey?.reveal()).to.equal(key)
    expect(config.plugins).to.deep.equal([
      'tocsin-plugin-a',
      '@acme/plugin-b',
      './own/plugin.ts',
      '../x',
      '/opt/plugins/y.js',
    ])
    expect(config.allowPrivateEgress.everyone).to.deep.equal([
      '127.0.0.1:9000',
      '[::1]:80',
      '[fd00::1]',
      'siem.internal',
      '10.1.0.0/16',
      'fd00::/8',
    ])
    expect(() => parseAllowList(config.allowPrivateEgress.everyone)).to.not.throw()
    expect(config.warnings).to.deep.equal([])
  })

  it('reads private systems for all organizations and for one', () => {
    const read = (text: string): object =>
      readConfig({ TOCSIN_ALLOW_PRIVATE_EGRESS: text }).allowPrivateEgress
    const [acme, common] = [['10.0.0.5', 'fd00::/8'], ['127.0.0.1']]
    expect(read('acme=10.0.0.5, FD00::/8; *=127.0.0.1')).to.deep.equal({
      everyone: common,
      organizations: new Map([['acme', acme]]),
    })
    expect(read(' 127.0.0.1 ;ACME = 10.0.0.5,fd00::/8;')).to.deep.equal(
      read('*=127.0.0.1;acme=10.0.0.5,fd00::/8'),
    )
    expect(read('*=127.0.0.1; acme=')).to.deep.equal({
      everyone: common,
      organizations: new Map([['acme', []]]),
    })
  })

  it('reads numbers of approvals of single classes as rules', () => {
    const read = (text: string) =>
      readConfig({ TOCSIN_APPROVALS: text }).approvalRules.map(({ match, approvals }) => [
        match.classes,
        approvals,
      ])
    expect(read('containment=2, deletion=1')).to.deep.equal([
      [['containment'], 2],
      [['deletion'], 1],
    ])
    expect(read('1')).to.have.length(4)
  })

  it('reads single sign-on', () => {
    const env = {
      TOCSIN_PUBLIC_URL: 'https://tocsin.example',
      TOCSIN_OIDC_ISSUER: 'https://login.example.com/realms/soc',
      TOCSIN_OIDC_CLIENT_ID: 'tocsin',
    }
    const { clientSecret, ...settings } = readConfig(env).oidc!
    expect(clientSecret).to.equal(undefined)
    expect(settings).to.deep.equal({
      issuer: 'https://login.example.com/realms/soc',
      clientId: 'tocsin',
      clientAuth: 'client_secret_basic',
      scopes: 'openid profile email',
      groupsClaim: 'groups',
      roles: [],
      emailDomains: [],
      label: 'Single sign-on',
      localSignIn: 'on',
      recheckMs: 3_600_000,
    })
    const changed = readConfig({
      ...env,
      TOCSIN_OIDC_CLIENT_SECRET: 'vault:tocsin/oidc#secret',
      TOCSIN_OIDC_ROLES: ' soc = analyst@acme, globex ;CN=Leads,OU=x=admin;*=reader; ',
      TOCSIN_OIDC_EMAIL_DOMAINS: 'Example.com, example.org',
      TOCSIN_OIDC_RECHECK_MINUTES: '15',
      TOCSIN_LOCAL_SIGN_IN: 'break_glass',
    }).oidc!
    expect(changed.clientSecret?.reveal()).to.equal('vault:tocsin/oidc#secret')
    expect(changed.roles).to.deep.equal([
      { group: 'soc', role: 'analyst', organizationCodes: ['acme', 'globex'] },
      { group: 'CN=Leads,OU=x', role: 'admin', organizationCodes: undefined },
      { group: '*', role: 'reader', organizationCodes: undefined },
    ])
    expect(changed.emailDomains).to.deep.equal(['example.com', 'example.org'])
    expect(changed).to.include({ recheckMs: 900_000, localSignIn: 'break_glass' })
  })

  it('refuses single sign-on without what it needs', () => {
    const env = { TOCSIN_OIDC_ISSUER: 'https://accounts.google.com' }
    expect(refusal(env).errors.map(({ pointer }) => pointer)).to.deep.equal([
      '/TOCSIN_OIDC_CLIENT_ID',
      '/TOCSIN_PUBLIC_URL',
      '/TOCSIN_OIDC_EMAIL_DOMAINS',
    ])
    const plain = { ...env, TOCSIN_PUBLIC_URL: 'http://tocsin.example', TOCSIN_OIDC_CLIENT_ID: 'x' }
    expect(refusal(plain).errors[0]?.pointer).to.equal('/TOCSIN_PUBLIC_URL')
    expect(refusal({ TOCSIN_LOCAL_SIGN_IN: 'break_glass' }).message).to.include('TOCSIN_OIDC_ISSUER')
  })

  it('reads limits of single classes with the default for the others', () => {
    const read = (text: string) => readConfig({ TOCSIN_DESTRUCTIVE_PER_HOUR: text }).destructiveLimits
    expect(read(' blocking = 50, containment=0 ')).to.deep.equal({
      containment: 0,
      blocking: 50,
      deletion: 10,
      execution: 10,
    })
    expect(() => read('blocking=50,isolation=3'))
      .to.throw()
      .with.property('message')
      .that.includes("names 'isolation=3'; it must be a whole number, or a number for each of containment")
    expect(() => read('blocking=2,blocking=3'))
      .to.throw()
      .with.property('message')
      .that.includes('names twice')
  })

  it('treats an empty variable as absent', () => {
    expect(readConfig(Object.fromEntries(variableNames.map((name) => [name, ' '])))).to.deep.equal(
      readConfig({}),
    )
  })

  for (const [name, values] of Object.entries({
    TOCSIN_HOST: ['http://x', 'a b', 'x/y', '127.0.0.1:80'],
    TOCSIN_PORT: ['-1', '65536', '80a', '1e3', '0x10', '8080.5'],
    TOCSIN_DATA_DIR: ['a\0b'],
    TOCSIN_API_PREFIX: [
      '/api',
      'api/',
      'a//b',
      'API',
      '../x',
      'a%2f',
      'healthz',
      'readyz/x',
      'metrics',
      'cases',
      'keys/v1',
      'assets',
      'é',
      'a/:id',
      '*',
    ],
    TOCSIN_PUBLIC_URL: [
      'tocsin',
      'ftp://x',
      'https://x/path',
      'https://x?y=1',
      'https://u:p@x',
      'javascript:alert(1)',
    ],
    TOCSIN_MASTER_KEY: ['secret', 'A'.repeat(43) + '=', 'abcd', masterKey.slice(4)],
    TOCSIN_NEXT_MASTER_KEY: ['secret', 'A'.repeat(43) + '='],
    TOCSIN_BOOTSTRAP_API_KEY: ['admin', 'toc_x_y', `toc_${'0'.repeat(12)}_${'A'.repeat(43)}`],
    TOCSIN_TRUSTED_PROXIES: [
      'proxy.internal',
      '10.1',
      '10.1/16',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/00',
      '::/00',
      '0.0.0.0/1',
      'f800::/6',
      '::ffff:10.0.0.0/104',
      '10.0.0.0/33',
      '10.0.0.1:80',
      '[::1]',
      '*',
    ],
    TOCSIN_PLAYBOOKS_DIR: ['\0'],
    TOCSIN_SECRET_VARIABLES: [
      'acme=*',
      'acme=TOC*',
      'acme=TOCSIN_MASTER_KEY',
      'tocsin_master_key',
      'acme=OTEL_EXPORTER_OTLP_HEADERS',
      'acme=A-B',
      'acme=AB',
      '*=A*B',
    ],
    TOCSIN_SECRETS_DIR: [
      'secrets',
      '/',
      '/run/{name}',
      resolve('data'),
      resolve('data/secrets'),
      resolve('.'),
    ],
    TOCSIN_VAULT_ADDRESS: [
      'vault.example.com:8200',
      'http://vault.example.com:8200',
      'https://vault.example.com/v1',
      'https://kim:x@vault.example.com',
    ],
    TOCSIN_VAULT_NAMESPACE: ['a b', '../x'],
    TOCSIN_VAULT_TOKEN: ['two words', 'file:token'],
    TOCSIN_VAULT_SECRET_ID: ['file:id'],
    TOCSIN_VAULT_MOUNT: ['../sys', 'a//b', ''.padEnd(3, '.')],
    TOCSIN_VAULT_PATH: ['tocsin/{code}', '../{organization}', 'a b'],
    TOCSIN_VAULT_CACHE_SECONDS: ['-1', '86401', 'x'],
    TOCSIN_VAULT_GRACE_SECONDS: ['604801'],
    TOCSIN_PLUGINS: [
      'a b',
      'http://x',
      'UPPER',
      '.',
      './',
      'plugins/x',
      '~/x',
      '@acme/plugin/deep',
      './a\0b',
    ],
    TOCSIN_OPS_PORT: ['-1', '65536', 'http', '8080.5'],
    TOCSIN_PLAYBOOKS_RELOAD_SECONDS: ['-1', '3601', '5s'],
    TOCSIN_WORKERS: ['-1', '65', 'all'],
    TOCSIN_MAX_RUNS: ['0', '-5', 'many', '10001'],
    TOCSIN_SESSION_IDLE_MINUTES: ['0', '10081', '1h'],
    TOCSIN_SESSION_MAX_HOURS: ['0', '721'],
    TOCSIN_KEY_DAYS: ['0', '3651', '1y', 'none'],
    TOCSIN_SHARE_PERCENT: ['0', '101', '80%'],
    TOCSIN_MAX_QUEUED: ['0', '-5', 'many', '10000001'],
    TOCSIN_SHADOW_SHARE_PERCENT: ['0', '101', '10%'],
    TOCSIN_STORM_PER_MINUTE: ['0', '10000001'],
    TOCSIN_DRAIN_SECONDS: ['-1', '301', '5s'],
    TOCSIN_SLOW_RUN_SECONDS: ['-1', '31536001', '5m'],
    TOCSIN_CONTAINMENT_CHECK_MINUTES: ['-1', '10081', '1h'],
    TOCSIN_GROUP_MINUTES: ['-1', '10081', '1h'],
    TOCSIN_DESTRUCTIVE_PER_HOUR: [
      '-1',
      '1000001',
      'few',
      'containment',
      'containment=',
      'containment=-1',
      'containment=1000001',
      'isolation=3',
      'blocking=3=4',
      'blocking=3,blocking=4',
      'blocking=3,',
    ],
    TOCSIN_APPROVALS: ['-1', '6', 'two', 'containment=6', 'isolation=1', 'blocking=1,blocking=2'],
    TOCSIN_SELF_APPROVAL: ['yes', 'true', 'signed in'],
    TOCSIN_STORE: ['mysql://db', 'postgres:', 'tocsin.db'],
    TOCSIN_STANDBY: ['yes', 'true', '1'],
    TOCSIN_OIDC_ISSUER: [
      'login.example.com',
      'http://login.example.com',
      'https://user:x@login.example.com',
      'https://login.example.com?x=1',
      'https://login.example.com/.well-known/openid-configuration',
      'https://login.microsoftonline.com/common/v2.0',
      'https://login.microsoftonline.com/organizations/v2.0',
    ],
    TOCSIN_OIDC_CLIENT_ID: ['a b', 'é'],
    TOCSIN_OIDC_CLIENT_SECRET: ['file-é'],
    TOCSIN_OIDC_CLIENT_AUTH: ['none', 'private_key_jwt'],
    TOCSIN_OIDC_SCOPES: ['profile email', 'openid "x"'],
    TOCSIN_OIDC_GROUPS_CLAIM: ['a b'],
    TOCSIN_OIDC_ROLES: ['soc', 'soc=', '=admin', 'soc=a-b', 'soc=admin@', 'soc=admin@a-b', ';', 'soc=a b'],
    TOCSIN_OIDC_EMAIL_DOMAINS: ['*', 'example', '@example.com', 'https://example.com', 'example.com.'],
    TOCSIN_OIDC_LABEL: ['x'.repeat(61), 'a\u202eb'],
    TOCSIN_OIDC_RECHECK_MINUTES: ['0', '4', '1441', '1h'],
    TOCSIN_LOCAL_SIGN_IN: ['off', 'false'],
    TOCSIN_KEEP_RUNS_DAYS: ['0', '36501', '30d', 'forever'],
    TOCSIN_KEEP_ALERTS_DAYS: ['0', '36501'],
    TOCSIN_KEEP_FILES_DAYS: ['0', '36501'],
    TOCSIN_FILE_QUOTA_MB: ['-1', '1 GB'],
    TOCSIN_FILE_MB: ['0', '1001'],
    TOCSIN_CASE_FILES_MB: ['-1'],
    TOCSIN_AUDIT_EXPORT: [
      'audit.jsonl',
      'file:',
      'https://user:pass@x',
      'syslog://x',
      'syslog+tls://',
      'file:/a,file:/b,file:/b/../a',
    ],
    TOCSIN_AUDIT_EXPORT_AUTHORIZATION: ['short', 'Bearer zwölf-zwölf', 'Bearer a\r\nx: y'],
    TOCSIN_LOG_LEVEL: ['verbose', 'trace'],
    TOCSIN_ALLOW_PRIVATE_EGRESS: [
      'http://x',
      '*',
      'x:0',
      'x:99999',
      'a b',
      '10.1/16',
      '10.0.0.0/33',
      '10.0.0.0/',
      '0.0.0.0/0',
      '::/0',
      '[fd00::]/8',
      'siem.internal/8',
      '10.0.0.0:80/8',
      'acme=http://x',
      '=10.0.0.5',
      'a-b=10.0.0.5',
      'acme=10.0.0.5;ACME=10.0.0.6',
      '10.0.0.5; *=10.0.0.6',
      '*=0.0.0.0/0',
      'acme=10.0.0.5=10.0.0.6',
    ],
  })) {
    for (const value of values) {
      it(`refuses ${name}=${JSON.stringify(value)} with a hint`, () => {
        const error = refusal({ [name]: value })
        expect(error.code).to.equal('config_invalid')
        expect(error.errors.map(({ pointer }) => pointer)).to.deep.equal([`/${name}`])
        expect(error.message).to.include(name)
        expect(error.errors[0]?.message).to.match(/must|use |name it once|at most|create one with/)
      })
    }
  }

  it('refuses the same port for both listeners, except 0', () => {
    for (const env of [{ TOCSIN_OPS_PORT: '8080' }, { TOCSIN_PORT: '9000', TOCSIN_OPS_PORT: '9000' }]) {
      const { errors } = refusal(env)
      expect(errors.map(({ pointer }) => pointer)).to.deep.equal(['/TOCSIN_OPS_PORT'])
      expect(errors[0]?.message).to.include('choose another port')
    }
    expect(readConfig({ TOCSIN_PORT: '0', TOCSIN_OPS_PORT: '0' }).opsPort).to.equal(0)
  })

  it('tests every variable above', () => {
    expect(variableNames).to.have.length(65)
  })

  it('warns about an unencrypted audit log export, and about an unused authorization', () => {
    const warnings = (env: Record<string, string>) => readConfig(env).warnings.map(({ message }) => message)
    const inTheClear = ['http://logs.example/x', 'syslog+tcp://logs.example', 'syslog+udp://10.0.0.1']
    for (const text of inTheClear)
      expect(warnings({ TOCSIN_AUDIT_EXPORT: text })).to.match(/is sent to .* in clear text/)
    const fine = ['https://logs.example/x', 'syslog+tls://logs.example', 'http://127.0.0.1:9/x', 'file:/x']
    expect(warnings({ TOCSIN_AUDIT_EXPORT: fine.join(',') })).to.deep.equal([])
    const authorization = 'Bearer canary-4711'
    const unused = { TOCSIN_AUDIT_EXPORT: 'file:/x', TOCSIN_AUDIT_EXPORT_AUTHORIZATION: authorization }
    expect(warnings(unused))
      .to.match(/no destination is an HTTP address/)
      .and.not.match(/canary/)
  })

  it('refuses to keep alerts for a shorter time than their runs', () => {
    const days = (alerts: string, runs: string) => ({
      TOCSIN_KEEP_ALERTS_DAYS: alerts,
      TOCSIN_KEEP_RUNS_DAYS: runs,
    })
    expect(readConfig(days('30', '30')).keep).to.include({
      alertsMs: 30 * 86_400_000,
      runsMs: 30 * 86_400_000,
    })
    const error = refusal(days('29', '30'))
    expect(error.errors.map(({ pointer }) => pointer)).to.deep.equal(['/TOCSIN_KEEP_ALERTS_DAYS'])
    expect(error.message).to.include('TOCSIN_KEEP_RUNS_DAYS keeps for 30 days')
  })

  it('reports all problems in one error', () => {
    const error = refusal({ TOCSIN_PORT: 'x', TOCSIN_LOG_LEVEL: 'y', TOCSIN_HOST: '::1' })
    expect(error.errors.map(({ pointer }) => pointer)).to.deep.equal(['/TOCSIN_PORT', '/TOCSIN_LOG_LEVEL'])
  })

  it('never quotes a secret', () => {
    const error = refusal({
      TOCSIN_MASTER_KEY: 'canary',
      TOCSIN_BOOTSTRAP_API_KEY: 'canary',
      TOCSIN_PUBLIC_URL: 'https://user:canary@x',
    })
    expect(error.errors).to.have.length(3)
    expect(JSON.stringify([error.message, error.details, error.hint])).to.not.include('canary')
    const config = readConfig({ TOCSIN_MASTER_KEY: masterKey })
    expect(JSON.stringify(config)).to.not.include(masterKey)
  })

  it('warns if keys would cross a network unencrypted', () => {
    const warned = (TOCSIN_HOST: string, TOCSIN_PUBLIC_URL = '') =>
      readConfig({ TOCSIN_HOST, TOCSIN_PUBLIC_URL }).warnings.map(({ message }) => message)
    for (const [host, url] of [
      ['0.0.0.0', ''],
      ['10.1.2.3', ''],
      ['::', 'http://localhost:8080'],
      ['0.0.0.0', 'http://tocsin.example.com'],
      ['127.0.0.1', 'http://tocsin.example.com'],
      ['127.0.0.1', 'http://[2001:db8::1]'],
      ['localhost.example.com', ''],
      ['127.0.0.1.example.com', ''],
    ] as const) {
      expect(warned(host, url), `${host} ${url}`).to.have.length(1)
      expect(warned(host, url)[0]).to.match(/^TOCSIN_(HOST|PUBLIC_URL) is .* in clear text$/)
    }
    for (const [host, url] of [
      ['', ''],
      ['127.0.0.1', 'http://localhost:8080'],
      ['::1', 'http://[::1]:8080'],
      ['localhost', 'http://127.0.0.1'],
      ['0.0.0.0', 'https://tocsin.example.com'],
    ] as const)
      expect(warned(host, url), `${host} ${url}`).to.deep.equal([])
  })

  it('warns about an unknown variable and suggests a similar one', () => {
    const { warnings } = readConfig({
      TOCSIN_PROT: '1',
      TOCSIN_SOMETHING_ELSE: '1',
      OTHER: '1',
      TOCSIN_KEY: 'toc',
      TOCSIN_URL: 'x',
    })
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'unknown variable TOCSIN_PROT; did you mean TOCSIN_PORT?',
      'unknown variable TOCSIN_SOMETHING_ELSE',
    ])
  })
})
