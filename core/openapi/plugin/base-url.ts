import { isObject, objectsAt, textAt, valueAt, type JsonObject } from '../../plugin/index.ts'
import type { ApiDocument } from '../document/api-document.ts'
import { cleanText } from '../document/clean-text.ts'
import { UniqueNames, snakeCase } from '../document/names.ts'
import { literal, template } from './skill-plan.ts'

/** The address of the API, and the fields that it depends on. */
export interface PlannedAddress {
  readonly baseUrl: string
  readonly fields: Readonly<Record<string, JsonObject>>
  /** Origin of the address with its default values; undefined if the document does not state it. */
  readonly origin: string | undefined
  readonly notes: readonly string[]
}

/** The address of the first server of a document. */
export function planAddress(document: ApiDocument): PlannedAddress {
  const server = document.isSwagger2
    ? serverOfSwagger2(document.root)
    : objectsAt(document.root, 'servers')[0]
  const written = (textAt(server, 'url') ?? '').replace(/[?#].*$/s, '').replace(/\/+$/, '')
  const variables = valueAt(server, 'variables')
  const named = isObject(variables) ? variables : {}
  const usual = written.replaceAll(/\{([^{}]{1,100})\}/g, (_, name: string) => {
    const fallback = valueAt(valueAt(named, name), 'default')
    return typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : 'example'
  })
  const secure = usual.replace(/^http:/i, 'https:')
  const isPublic =
    /^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?(\/[^\s?#]*)?$/i.test(secure) && written.length < 500
  if (!isPublic || isPlaceholder(secure)) return askedAddress(secure)
  const names = new UniqueNames([
    'base_url',
    'api_key',
    'username',
    'password',
    'token',
    'client_id',
    'client_secret',
  ])
  const fields: Record<string, JsonObject> = {}
  const reads = new Map<string, string>()
  const baseUrl = written.replace(/^http:/i, 'https:').replaceAll(/\{([^{}]{1,100})\}/g, (_, key: string) => {
    const name = reads.get(key) ?? names.take(snakeCase(key) ?? 'server')
    reads.set(key, name)
    fields[name] ??= fieldOf(valueAt(named, key))
    return template(`settings.${name}`)
  })
  return {
    baseUrl,
    fields,
    origin: URL.parse(secure)?.origin,
    notes: usual === secure ? [] : ['The document names an address without TLS; the plugin uses https.'],
  }
}

/** Hosts of this machine, and placeholders for the host of each customer. */
const isPlaceholder = (url: string): boolean =>
  /^https:\/\/(127\.|localhost|[^/]*\b(your|my)[-.]|[^/]*\bsubdomain\b|[^/]*\bexample\.(com|org|net)\b)/i.test(
    url,
  )

function serverOfSwagger2(root: JsonObject): JsonObject {
  const host = textAt(root, 'host')
  const path = textAt(root, 'basePath') ?? ''
  return { url: host === null ? path : `https://${host}${path}` }
}

function fieldOf(variable: unknown): JsonObject {
  const text = cleanText(textAt(variable, 'description'), 200)
  const choices = valueAt(variable, 'enum')
  const texts = Array.isArray(choices) ? choices.filter((each) => typeof each === 'string').slice(0, 50) : []
  const usual = textAt(variable, 'default')
  const pattern = {
    pattern: '^[A-Za-z0-9._-]+$',
    patternErrorMessage: 'must be letters, digits, dots and hyphens',
  }
  return {
    ...(text !== undefined && { description: text }),
    ...(texts.length > 0 ? { enum: [...new Set(usual === null ? texts : [...texts, usual])] } : pattern),
    ...(usual !== null && /^[\w.-]+$/.test(usual) && { default: usual }),
  }
}

/** An address that each operator enters. */
function askedAddress(written: string): PlannedAddress {
  const path = URL.parse(written, 'https://example.com')?.pathname.replace(/\/$/, '') ?? ''
  const host = URL.parse(written)?.protocol === 'https:' ? URL.parse(written)!.host : 'api.example.com'
  const example = `https://${host}${path}`
  const description = `The address of the API${path === '' ? '' : `, with \`${String(literal(path)).slice(0, 100)}\` at the end`}.`
  return {
    baseUrl: template('settings.base_url'),
    fields: { base_url: { title: 'Base URL', description, examples: [example], address: 'public' } },
    origin: undefined,
    notes: ['The document does not state the address of the API, so every connection must set it.'],
  }
}
