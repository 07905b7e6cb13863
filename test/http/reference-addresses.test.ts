import { expect } from 'chai'
import { Secret, type ConnectionDefinition } from '../../core/plugin/index.ts'
import {
  requireFixedAddress,
  requireSecretsForNewAddress,
} from '../../server/http/resources/connections/connection-addresses.ts'

describe('the address of a connection', () => {
  const definition = {
    baseUrl: ({ region }: { region: string }) => `https://${region}.example`,
    otherOrigins: ({ webhook }: { webhook?: Secret }) => (webhook ? [new URL(webhook.reveal()).origin] : []),
  } as unknown as ConnectionDefinition
  const settings = { region: 'eu' }
  const secrets = { token: new Secret('canary-token'), webhook: new Secret('https://hooks.example/canary') }
  const check = (...references: string[]) =>
    requireFixedAddress(definition, { settings, secrets }, references)

  it('does not come from a reference while a stored secret would be sent there', () => {
    expect(() => check('webhook')).to.throw(/^webhook decides the address of the connection/)
    expect(() => check('webhook')).to.not.throw(/canary/)
  })

  it('comes from a reference if all secrets do, and other secrets can be references', () => {
    check()
    check('token')
    check('token', 'webhook')
  })

  it('includes its sockets: another host or port of one needs the secrets again', () => {
    const mail = {
      baseUrl: () => 'https://mail.example',
      sockets: ({ host, port }: { host: string; port: number }) => ({ imap: { host, port } }),
    } as unknown as ConnectionDefinition
    const at = (host: string, port: number) => ({ settings: { host, port }, secrets })
    const change = (host: string, port: number) => () =>
      requireSecretsForNewAddress(mail, at('imap.example', 993), at(host, port), ['token'], new Set())
    change('imap.example', 993)()
    expect(change('evil.example', 993)).to.throw(/^the secrets token must be entered again/)
    expect(change('imap.example', 994)).to.throw(/^the secrets token must be entered again/)
    expect(change('fd00::1', 993)).to.throw(/^the secrets token must be entered again/)
  })
})
