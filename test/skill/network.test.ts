import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { definePlugin, type ConnectionDefinition } from '../../core/plugin/index.ts'
import { runSkill } from '../../core/plugin/testing/index.ts'
import type { Egress, EgressRequest } from '../../core/ports/egress.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'
import { usableSettings } from '../../core/skill/connection/usable-settings.ts'
import { canary, connection, failure, skillThat } from './fixture.ts'

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../egress/fixtures', `${name}.pem`), 'utf8')
const [certificate, key] = [fixture('localhost.cert'), fixture('localhost.key')]
const settings = { base_url: 'https://box.example.com/v1', key: canary }
const inOneLine = (pem: string) => pem.replaceAll('\n', '')

/** Calls a skill that sends a request to each address, with these settings. */
async function call(network: object, seen: (settings: unknown) => void = () => {}, text = 'fine') {
  const sent: EgressRequest[] = []
  const egress: Egress = {
    async send(request) {
      sent.push(request)
      return { status: 200, headers: {}, body: text }
    },
  }
  const skill = skillThat(async (_input, context) => {
    seen(context.settings)
    await context.http.get('https://login.example.com/x')
    return { text: (await context.http.get('/x')).text }
  })
  const { output } = await runSkill(skill, {}, { settings: { ...settings, ...network }, egress })
  return { sent, output: output as { readonly text: string } }
}

describe('network settings of a connection', () => {
  it('reach the egress with each request, and the plugin never', async () => {
    const network = {
      network_proxy: 'http://tocsin@proxy.internal:3128',
      network_proxy_password: 'p@ss:word 1',
      network_ca: inOneLine(certificate + certificate),
      network_certificate: certificate,
      network_key: inOneLine(key),
    }
    let seen: unknown
    const { sent } = await call(network, (given) => (seen = given))
    expect(seen).to.have.all.keys('base_url', 'key', 'region')
    expect(sent.map(({ network, isElsewhere }) => ({ network, isElsewhere }))).to.deep.equal(
      [true, false].map((isElsewhere) => ({
        network: {
          proxy: 'http://tocsin:p%40ss%3Aword%201@proxy.internal:3128/',
          ca: certificate + certificate,
          certificate,
          key,
        },
        isElsewhere,
      })),
    )
    expect(sent[0]?.network, 'one for all, so that sockets are shared').to.equal(sent[1]?.network)
    expect((await call({})).sent[0]?.network).to.equal(undefined)
  })

  it('are secrets like others: the key and the password never appear', async () => {
    const network = { network_proxy: 'http://u@proxy.internal', network_proxy_password: 'canary-password' }
    const { output } = await call(network, undefined, 'echo of canary-password')
    expect(output.text).to.include('echo of').and.not.include('canary')
  })

  it('are refused when they are entered, without their values', async () => {
    const refused = (network: object) => {
      const work = async () => usableSettings(connection, 'x', { ...settings, ...network })
      return failure(work())
    }
    for (const [network, message] of [
      [{ network_proxy: 'ftp://proxy' }, 'must be http:// or https://'],
      [{ network_proxy: 'http://u:secret@proxy' }, 'must be http:// or https://'],
      [{ network_proxy_password: 'canary-password' }, 'network_proxy_password needs network_proxy'],
      [{ network_ca: 'canary' }, 'network_ca contains no PEM text'],
      [{ network_ca: certificate.replace('MII', 'canary') }, 'a certificate or the key cannot be read'],
      [{ network_certificate: certificate }, 'belong together'],
      [{ network_certificate: fixture('self-signed.cert'), network_key: key }, 'is not the key of'],
    ] as const) {
      const error = await refused(network)
      expect(error, message).to.include({ code: 'value_invalid' })
      expect(error.message).to.include(message).and.not.include('canary').and.not.include('secret@')
    }
  })

  it('are reserved: a plugin cannot have a setting of that name', () => {
    const own = {
      ...connection.settings,
      properties: { ...connection.settings.properties, network_key: { type: 'string' } },
    }
    const plugin = definePlugin({
      name: 'box',
      title: 'Box',
      description: 'Box.',
      connection: { ...connection, settings: own } as unknown as ConnectionDefinition,
      skills: [],
    })
    expect(checkPlugin(plugin, undefined)).to.deep.include({
      pointer: '/connection/settings/properties/network_key',
      message: 'is a setting that every connection has: choose another name',
    })
  })
})
