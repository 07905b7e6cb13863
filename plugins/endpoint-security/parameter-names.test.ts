import { expect } from 'chai'
import type { JsonSchema } from 'tocsin/plugin'
import { runSkill } from 'tocsin/plugin/testing'
import plugin from './plugin.ts'
import { listAlerts } from './skills/list-alerts.ts'

/** Names of all fields of an input, nested ones included. */
const namesIn = (schema: JsonSchema): readonly string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [name, ...namesIn(inner)]),
  ...(schema.items === undefined ? [] : namesIn(schema.items)),
]

describe('the parameters of endpoint_security', () => {
  for (const { name, input } of plugin.skills) {
    it(`of ${name} are the vendor’s names in camelCase, or snake_case for ours`, () => {
      for (const parameter of namesIn(input as JsonSchema))
        expect(parameter).to.match(/^[a-z][A-Za-z0-9]*$|^[a-z]+(_[a-z]+)+$/)
    })
  }

  it('are sent with the vendor’s spelling', async () => {
    const settings = {
      tenant_id: 'contoso.example',
      client_id: '11111111-2222-4333-8444-555555555555',
      client_secret: 'a-client-secret',
    }
    const replies = [{ json: { value: [] } }]
    const { requests } = await runSkill(listAlerts, { investigationId: 7 }, { settings, replies })
    expect(decodeURIComponent(requests[0]?.path ?? '')).to.include('InvestigationId eq 7')
  })
})
