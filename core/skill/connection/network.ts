import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ConnectionError, Secret, type ConnectionDefinition, type JsonSchema } from '../../plugin/index.ts'
import type { NetworkSettings } from '../../ports/egress.ts'

/** Settings that every connection has beside those of its plugin, which never sees them. */
const networkFields = {
  network_proxy: {
    type: 'string',
    title: 'Proxy',
    description: 'HTTP proxy for the requests of this connection, e.g. http://tocsin@proxy.internal:3128.',
    maxLength: 300,
    pattern: '^https?://([A-Za-z0-9._~%-]+@)?([A-Za-z0-9.-]+|\\[[0-9a-fA-F:]+\\])(:[0-9]{1,5})?/?$',
    patternErrorMessage: 'must be http:// or https://, an optional user and @, a host and an optional port',
  },
  network_proxy_password: {
    type: 'string',
    title: 'Proxy password',
    description: 'Password of the user in the address of the proxy.',
    'x-secret': true,
  },
  network_ca: {
    type: 'string',
    title: 'Certificate authority',
    description: 'Certificates in PEM that are trusted beside the public authorities.',
    maxLength: 200_000,
  },
  network_certificate: {
    type: 'string',
    title: 'Client certificate',
    description: 'Certificate in PEM, with its intermediate certificates, that identifies this client.',
    maxLength: 50_000,
  },
  network_key: {
    type: 'string',
    title: 'Key of the client certificate',
    description: 'Private key in PEM, without a passphrase.',
    'x-secret': true,
  },
} as const satisfies Readonly<Record<string, JsonSchema>>

export const isNetworkField = (name: string): boolean => Object.hasOwn(networkFields, name)

const merged = new WeakMap<JsonSchema, JsonSchema>()

/** The schema of all settings of a connection: those of the plugin and of the network. */
export function fullSettings({ settings }: Pick<ConnectionDefinition, 'settings'>): JsonSchema {
  const known = merged.get(settings)
  if (known !== undefined) return known
  const full = { ...settings, properties: { ...settings.properties, ...networkFields } }
  merged.set(settings, full)
  return full
}

type Values = Readonly<Record<string, unknown>>

/** The settings that the plugin sees. */
export const withoutNetwork = (settings: Values): Values =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !isNetworkField(name)))

/**
 * The network settings among all settings; undefined if there are none.
 *
 * @throws ConnectionError `connection_invalid`, without values
 */
export function readNetwork(connection: string, settings: Values): NetworkSettings | undefined {
  const text = (name: keyof typeof networkFields): string | undefined => {
    const value = settings[name]
    return value instanceof Secret ? value.reveal() : (value as string | undefined)
  }
  if (!Object.keys(networkFields).some((name) => settings[name] !== undefined)) return undefined
  const refuse = (problem: string, cause?: unknown): never => {
    const message = `the network settings of connection '${connection}' cannot be used: ${problem}`
    throw new ConnectionError('connection_invalid', message, { cause, hint: 'paste the whole PEM text' })
  }
  const pem = (name: 'network_ca' | 'network_certificate' | 'network_key'): string | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    const blocks = pemBlocks(given)
    return blocks.length === 0 ? refuse(`${name} contains no PEM text`) : blocks.join('')
  }
  const [ca, certificate, key] = [pem('network_ca'), pem('network_certificate'), pem('network_key')]
  if ((certificate === undefined) !== (key === undefined))
    refuse('network_certificate and network_key belong together')
  try {
    const authorities = pemBlocks(ca ?? '').map((one) => new X509Certificate(one).fingerprint256)
    if (ca !== undefined && authorities.length === 0) refuse('network_ca contains no certificate')
    const isPair =
      certificate === undefined || new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key!))
    if (!isPair) refuse('network_key is not the key of network_certificate')
  } catch (error) {
    if (error instanceof ConnectionError) throw error
    refuse('a certificate or the key cannot be read', error)
  }
  const [proxy, password] = [text('network_proxy'), text('network_proxy_password')]
  if (proxy === undefined && password !== undefined) refuse('network_proxy_password needs network_proxy')
  return { proxy: proxy && proxyUrl(proxy, password), ca, certificate, key }
}

function proxyUrl(address: string, password: string | undefined): string {
  const url = new URL(address)
  if (password !== undefined) url.password = encodeURIComponent(password)
  return url.href
}

/** Forms have fields of one line, so line breaks may be missing. */
function pemBlocks(text: string): readonly string[] {
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g)
  return [...blocks].map(([, name, content = '']) => {
    const lines = content.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []
    return `-----BEGIN ${name}-----\n${lines.join('\n')}\n-----END ${name}-----\n`
  })
}
