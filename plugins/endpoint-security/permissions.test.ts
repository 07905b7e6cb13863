import { expect } from 'chai'
import { valueAt, type AnySkill } from 'tocsin/plugin'
import { runSkill } from 'tocsin/plugin/testing'
import { missingPermissions, permissions } from './permissions.ts'
import plugin from './plugin.ts'
import { settingsFor } from './sandbox.ts'
import { clients } from './sandbox/data/clients.ts'
import { failure } from './sandbox/answer.ts'

/** Application permissions of the specification: the one to grant first, then alternatives. */
const rows: readonly (readonly [skill: string, specified: readonly string[], besides?: string])[] = [
  ['list_alerts', ['Alert.ReadWrite.All'], 'Alert.Read.All'],
  ['get_alert', ['Alert.ReadWrite.All'], 'Alert.Read.All'],
  ['list_machines', ['Machine.Read.All', 'Machine.ReadWrite.All']],
  ['get_machine', ['Machine.Read.All', 'Machine.ReadWrite.All']],
  ['list_machine_logon_users', ['User.Read.All']],
  ['isolate_machine', ['Machine.Isolate']],
  ['unisolate_machine', ['Machine.Isolate']],
  ['run_antivirus_scan', ['Machine.Scan']],
  ['collect_investigation_package', ['Machine.CollectForensics']],
  ['run_live_response', ['Machine.LiveResponse']],
  ['get_machine_action', ['Machine.Read.All', 'Machine.ReadWrite.All']],
  ['run_advanced_query', ['AdvancedQuery.Read.All']],
  // The second one is enough for the application's own indicators.
  ['list_indicators', ['Ti.ReadWrite.All', 'Ti.ReadWrite']],
  ['create_indicator', ['Ti.ReadWrite.All'], 'Ti.ReadWrite'],
  ['delete_indicator', ['Ti.ReadWrite.All'], 'Ti.ReadWrite'],
  ['list_vulnerabilities', ['Vulnerability.Read.All']],
  ['list_machines_vulnerabilities', ['Vulnerability.Read.All']],
  ['list_recommendations', ['SecurityRecommendation.Read.All']],
]

describe('the permissions of endpoint_security', () => {
  it('are listed for every skill', () => {
    const listed = Object.keys(permissions)
    expect(plugin.skills.map(({ name }) => name)).to.have.members(listed)
    expect(listed).to.include.members(rows.map(([name]) => name))
  })

  for (const [name, specified, besides] of rows) {
    const all = besides === undefined ? specified : [...specified, besides]

    it(`of ${name} are ${all.join(' or ')}, as in its error and the connection test`, async () => {
      const skill = plugin.skills.find((one) => one.name === name) as AnySkill
      const settings = settingsFor('http://127.0.0.1:9', clients.full)
      const input = skill.examples?.[0]?.input as object
      const replies = () => failure(403, 'Forbidden', 'no')
      const error: unknown = await runSkill(skill, input, { settings, replies }).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(valueAt(error, 'code')).to.equal('http_403')
      expect(valueAt(error, 'hint')).to.include(`the permission ${all.join(' or ')}, with admin consent`)
      expect(missingPermissions(new Set())).to.deep.include({ skill: name, permission: specified[0] })
      for (const one of all)
        expect(missingPermissions(new Set([one])).map((missing) => missing.skill)).to.not.include(name)
    })
  }
})
