import { expect } from 'chai'
import { defineConnection } from '../../core/plugin/index.ts'
import { compileSchema } from '../../core/schema/index.ts'
import { enforcedSettings, usableSettings } from '../../core/skill/connection/usable-settings.ts'
import { connection as http } from '../../plugins/http/connection.ts'
import { connection as intelProvider } from '../../plugins/intel-provider/connection.ts'
import { connection as threatPlatform } from '../../plugins/threat-platform/connection.ts'
import { connection as travel } from '../../plugins/travel/connection.ts'

const base_url = 'https://api.example.com'

describe('the served schema of settings', () => {
  for (const [name, connection, settings, secret] of [
    ['http', http, { base_url }, 'header_value'],
    ['intel_provider', intelProvider, {}, 'api_key'],
    ['threat_platform', threatPlatform, { base_url, company_id: '330', contract: 'spec' }, 'api_token'],
    ['travel', travel, { base_url, client_id: 'id', users_path: '/v1/users' }, 'client_secret'],
  ] as const) {
    it(`refuses the same secrets as the server: ${name}`, () => {
      const problems = (value: string) =>
        compileSchema(enforcedSettings(connection)).problems({ ...settings, [secret]: value })
      const store = (value: string) => usableSettings(connection, 'c', { ...settings, [secret]: value })
      expect(() => store('1234567'))
        .to.throw()
        .with.property('code', 'value_invalid')
      expect(problems('1234567').map(({ pointer }) => pointer)).to.deep.equal([`/${secret}`])
      expect(() => store('12345678')).to.not.throw()
      expect(problems('12345678')).to.deep.equal([])
    })
  }

  it('keeps stricter rules of a plugin', () => {
    const key = { type: 'string', 'x-secret': true, minLength: 20 } as const
    const name = { type: 'string', minLength: 1 } as const
    const settings = { type: 'object', required: ['key'], properties: { key, name } } as const
    const connection = defineConnection({
      title: 'T',
      description: 'T.',
      settings,
      baseUrl: () => base_url,
      authenticate: async () => {},
    })
    const { properties, ...rest } = enforcedSettings(connection)
    expect(rest).to.deep.equal({ type: 'object', required: ['key'] })
    expect(properties).to.deep.include({ key, name })
    expect(Object.keys(properties ?? {})).to.include.members(['network_proxy', 'network_key'])
  })
})
