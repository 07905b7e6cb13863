import { join } from 'node:path'
import { expect } from 'chai'
import type { JsonSchema, PluginDefinition } from '../../core/plugin/index.ts'
import {
  checkConnection,
  loopbackEgress,
  runSkill,
  type ServedSandbox,
} from '../../core/plugin/testing/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import { permissions } from '../../plugins/endpoint-security/permissions.ts'

const pluginsDir = join(import.meta.dirname, '../../plugins')
const pluginOf = async (name: string) => {
  const path = join(pluginsDir, name.replaceAll('_', '-'), 'plugin.ts')
  return ((await import(path)) as { default: PluginDefinition }).default
}

/** Skills by plugin, each with the method and path of its operation, without query. `…`: an id. */
const skills: Readonly<
  Record<string, readonly (readonly [name: string, title: string, operation: string])[]>
> = {
  endpoint_security: [
    ['list_alerts', 'List Endpoint Security Alerts', 'GET /api/alerts'],
    ['get_alert', 'Get Endpoint Security Alert', 'GET /api/alerts/…'],
    ['list_machines', 'List Endpoint Security Machines', 'GET /api/machines'],
    ['get_machine', 'Get Endpoint Security Machine', 'GET /api/machines/…'],
    [
      'list_machine_logon_users',
      'List Endpoint Security Machine Logon Users',
      'GET /api/machines/…/logonusers',
    ],
    ['isolate_machine', 'Isolate Machine', 'POST /api/machines/…/isolate'],
    ['unisolate_machine', 'Unisolate Machine', 'POST /api/machines/…/unisolate'],
    ['run_antivirus_scan', 'Run Antivirus Scan', 'POST /api/machines/…/runAntiVirusScan'],
    [
      'collect_investigation_package',
      'Collect Investigation Package',
      'POST /api/machines/…/collectInvestigationPackage',
    ],
    ['run_live_response', 'Run Live Response', 'POST /API/machines/…/runliveresponse'],
    ['get_machine_action', 'Get Machine Action', 'GET /api/machineactions/…'],
    ['run_advanced_query', 'Run Advanced Query', 'POST /api/advancedqueries/run'],
    ['list_indicators', 'List Indicators', 'GET /api/indicators'],
    ['create_indicator', 'Create Indicator', 'POST /api/indicators'],
    ['list_vulnerabilities', 'List Vulnerabilities', 'GET /api/Vulnerabilities'],
    [
      'list_machines_vulnerabilities',
      'List Machines Vulnerabilities',
      'GET /api/vulnerabilities/machinesVulnerabilities',
    ],
    ['list_recommendations', 'List Recommendations', 'GET /api/recommendations'],
  ],
  threat_platform: [
    ['fetch_incidents', 'Fetch Threat Platform Incidents', 'GET /api/v1/alerts'],
    [
      'fetch_company_audit_logs',
      'Fetch Threat Platform Company Audit Logs',
      'GET /api/v1/auditlogs', // not specified
    ],
  ],
  messaging: [
    ['checkpoint', 'Messaging Checkpoint', 'POST /api/chat.postMessage'],
    ['send_message', 'Send Messaging Message', 'POST /services/T0SANDBOX/B0WEBHOOK/q7Rk2LxSandboxOnly9fTz'],
  ],
  travel: [
    ['get_users', 'Get Travel Platform Users', 'GET /v1/users'],
    ['search_user_travel', 'Search Travel Platform User Travel', 'GET /v1/bookings'],
    ['get_bookings', 'Get Travel Platform Bookings', 'GET /v1/bookings'],
  ],
  intel_provider: [
    ['get_playbook_alerts', 'Get Playbook Alerts', 'POST /playbook-alert/search'],
    ['list_alerts', 'List Alerts', 'GET /alert/v3'],
    ['get_enrichment', 'Get Enrichment', 'GET /v2/domain/evil.example'],
  ],
}

/** The settings of a connection; secrets with an asterisk. */
const fields: Readonly<Record<string, readonly string[]>> = {
  endpoint_security: ['Tenant ID', 'Client ID', 'Client Secret*'],
  threat_platform: ['Company ID', 'API Token*'],
  messaging: ['Webhook URL*', 'Channel name', 'Bot User OAuth Token*', 'Signing Secret*'],
  travel: ['Client ID', 'Client Secret*', 'Base URL'],
  intel_provider: ['API Key*'],
}

/** The request that tests the credentials. */
const checks: Readonly<Record<string, string>> = {
  endpoint_security: 'GET /api/alerts',
  threat_platform: 'GET /api/v1/token/status',
  messaging: 'POST /api/auth.test',
  travel: 'GET /v1/bookings',
  intel_provider: 'GET /v2/ip/8.8.8.8',
}

for (const [name, rows] of Object.entries(skills)) {
  const plugin = await pluginOf(name)
  const sandbox = await loadSandbox({ pluginsDir }, name)

  describe(`the specified ${name}`, () => {
    let running: ServedSandbox
    beforeEach(async () => {
      running = (await sandbox!.start()) as ServedSandbox
    })
    afterEach(() => running.close())
    const sent = () => running.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`)

    it('has these skills', () => {
      expect(plugin.skills.map((skill) => [skill.name, skill.title])).to.include.deep.members(
        rows.map(([skill, title]) => [skill, title]),
      )
    })

    it('has these settings, with these secrets', () => {
      const settings = plugin.connection!.settings as JsonSchema
      const properties = Object.values(settings.properties ?? {})
      const titles = properties.map((field) => `${field.title}${field['x-secret'] === true ? '*' : ''}`)
      expect(titles).to.include.members([...fields[name]!])
      expect(titles.filter((title) => title.endsWith('*'))).to.deep.equal(
        fields[name]!.filter((title) => title.endsWith('*')),
      )
    })

    it('tests its connection with this call', async () => {
      await checkConnection(plugin.connection!, { settings: running.settings, egress: loopbackEgress })
      expect(sent()).to.include(checks[name])
    })

    for (const [skillName, , operation] of rows) {
      it(`makes this call: ${skillName}`, async () => {
        const skill = plugin.skills.find((one) => one.name === skillName)!
        const { input } = skill.examples[0]!
        await runSkill(skill, input, { settings: running.settings, egress: loopbackEgress })
        const id = (input as { id?: string }).id ?? ''
        expect(sent()).to.include(operation.replace('…', id))
      })
    }
  })
}

describe('the specified permissions of endpoint_security', () => {
  const specified: Readonly<Record<string, string>> = {
    list_alerts: 'Alert.ReadWrite.All',
    get_alert: 'Alert.ReadWrite.All',
    list_machines: 'Machine.Read.All',
    get_machine: 'Machine.Read.All',
    list_machine_logon_users: 'User.Read.All',
    isolate_machine: 'Machine.Isolate',
    unisolate_machine: 'Machine.Isolate',
    run_antivirus_scan: 'Machine.Scan',
    collect_investigation_package: 'Machine.CollectForensics',
    run_live_response: 'Machine.LiveResponse',
    get_machine_action: 'Machine.Read.All',
    run_advanced_query: 'AdvancedQuery.Read.All',
    list_indicators: 'Ti.ReadWrite',
    create_indicator: 'Ti.ReadWrite.All',
    list_vulnerabilities: 'Vulnerability.Read.All',
    list_machines_vulnerabilities: 'Vulnerability.Read.All',
    list_recommendations: 'SecurityRecommendation.Read.All',
  }
  for (const [skill, permission] of Object.entries(specified)) {
    it(`allows ${skill} with ${permission}`, () => {
      expect(permissions[skill as keyof typeof permissions]).to.include(permission)
    })
  }
})
