import type { PointedMessage } from '../errors/errors.ts'
import type { ConnectionDefinition, JsonSchema } from '../plugin/index.ts'
import { isNetworkField } from '../skill/connection/network.ts'
import { checkDocs, checkSchema, checkTexts, hasSecret, isRecord } from './check-schemas.ts'

export function checkConnectionDeclaration(
  connection: unknown,
  isTried: boolean,
  problems: PointedMessage[],
): void {
  if (!isRecord(connection)) {
    problems.push({ pointer: '/connection', message: 'must be a result of defineConnection' })
    return
  }
  checkTexts(connection, ['title', 'description'], '/connection', problems)
  checkDocs(connection['docs'], '/connection', problems)
  const { setup } = connection
  if (setup !== undefined && !(Array.isArray(setup) && setup.every((step) => typeof step === 'string')))
    problems.push({ pointer: '/connection/setup', message: 'must be a list of strings, one per step' })
  for (const name of ['baseUrl', 'authenticate']) {
    if (typeof connection[name] !== 'function') {
      problems.push({ pointer: `/connection/${name}`, message: 'must be a function' })
    }
  }
  const { hosts = {} } = connection
  const isUsable = (host: unknown): boolean => isRecord(host) && typeof host['baseUrl'] === 'function'
  if (!isRecord(hosts) || !Object.values(hosts).every(isUsable))
    problems.push({
      pointer: '/connection/hosts',
      message: 'must be an object of hosts with a function baseUrl',
    })
  checkInbound(connection, problems)
  if (checkSchema(connection['settings'], '/connection/settings', isTried, problems)) {
    checkSettings((connection as unknown as ConnectionDefinition).settings, problems)
  }
}

function checkSettings(settings: JsonSchema, problems: PointedMessage[]): void {
  const pointer = '/connection/settings'
  if (settings.type !== 'object') problems.push({ pointer: `${pointer}/type`, message: "must be 'object'" })
  if (settings.additionalProperties !== false) {
    problems.push({
      pointer: `${pointer}/additionalProperties`,
      message: 'must be false, so that a misspelled setting is refused',
    })
  }
  for (const [name, schema] of Object.entries(settings.properties ?? {})) {
    if (isNetworkField(name)) {
      const message = 'is a setting that every connection has: choose another name'
      problems.push({ pointer: `${pointer}/properties/${name}`, message })
    }
    if (schema['x-secret'] === true && schema.type !== 'string') {
      problems.push({
        pointer: `${pointer}/properties/${name}/type`,
        message: "must be 'string' because it is a secret",
      })
    } else if (schema['x-secret'] !== true && hasSecret(schema)) {
      problems.push({
        pointer: `${pointer}/properties/${name}`,
        message: 'x-secret works on top-level settings only',
      })
    }
  }
}

/** The last segment of a webhook address. */
const routeWord = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Checks a connection's declaration of webhooks. */
function checkInbound(connection: Readonly<Record<string, unknown>>, problems: PointedMessage[]): void {
  const say = (place: string, message: string): number =>
    problems.push({ pointer: `/connection${place}`, message })
  const { inbound, handshakes = {}, manifest } = connection
  if (manifest !== undefined && typeof manifest !== 'function') say('/manifest', 'must be a function')
  for (const [word, handshake] of Object.entries(isRecord(handshakes) ? handshakes : { '': undefined })) {
    if (typeof handshake !== 'function' || !isRecord(inbound) || !Object.hasOwn(inbound, word))
      say('/handshakes', 'must be an object of functions, by words of `inbound`')
  }
  if (inbound === undefined) return
  if (typeof inbound !== 'object' || inbound === null) {
    say('/inbound', 'must be an object of functions, by the last word of their address')
    return
  }
  for (const [word, handler] of Object.entries(inbound)) {
    if (!routeWord.test(word)) {
      say('/inbound', `'${word}' must be lower-case letters, digits and single hyphens`)
    } else if (typeof handler !== 'function') say(`/inbound/${word}`, 'must be a function')
  }
}
