import { ConnectionError, isObject, valueAt, type HttpClient, type HttpResponse } from 'tocsin/plugin'
import { isKnown, jsonIn, notTheProvider } from './answer-body.ts'

/** Modules that a key may use; the provider sells each separately. */
interface Module {
  readonly skill: string
  /**
   * The cheapest call: false if the key may not use the module; throws if the response is not the provider's.
   */
  isOpen(http: HttpClient): Promise<boolean>
}

const modules: readonly Module[] = [
  {
    skill: 'Get Enrichment',
    async isOpen(http) {
      // A wrong key fails here with 401.
      const response = await http.get('/v2/ip/8.8.8.8', { query: { fields: 'entity' }, accept: [403, 404] })
      if (response.status === 403) return false
      // An unknown address also proves the key, if the 404 is the provider's.
      if (isKnown(response) && !isObject(valueAt(jsonIn(response), 'data'))) throw notTheProvider(response)
      return true
    },
  },
  {
    skill: 'List Alerts',
    async isOpen(http) {
      const query = { limit: 1, fields: 'type' }
      return isList(await http.get('/alert/v3', { query, accept: [401, 403] }))
    },
  },
  {
    skill: 'Get Playbook Alerts',
    async isOpen(http) {
      const json = { limit: 1 }
      return isList(await http.post('/playbook-alert/search', { json, accept: [401, 403] }))
    },
  },
]

/** The first module accepted the key, so a refusal by another module concerns only that module. */
function isList(response: HttpResponse): boolean {
  if (response.status >= 400) return false
  if (!Array.isArray(valueAt(jsonIn(response), 'data'))) throw notTheProvider(response)
  return true
}

/**
 * A warning that names the skills without access; `undefined` if all have access. Throws ConnectionError
 * `http_403` if none has, and the errors of the calls.
 */
export async function warningAboutModules(http: HttpClient): Promise<string | undefined> {
  const open: boolean[] = []
  for (const module of modules) open.push(await module.isOpen(http))
  const closed = modules.filter((_, index) => !open[index]).map(({ skill }) => skill)
  if (closed.length === 0) return undefined
  if (closed.length === modules.length) {
    throw new ConnectionError(
      'http_403',
      'the subscription of the API key includes no module that this plugin uses',
      {
        hint: 'ask the provider to enable API access and the modules for the key',
      },
    )
  }
  return `The subscription of the API key does not include ${closed.join(' and ')}: ask the provider to enable it if you need it.`
}
