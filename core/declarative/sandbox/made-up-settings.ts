import { generateKeyPairSync } from 'node:crypto'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { compileSchema } from '../../schema/index.ts'
import type { DeclaredAuth } from '../language/declared-auth.ts'
import type { DeclaredConnection } from '../language/declared.ts'

/** Fields of a connection, with secrets as plain text. */
export type MadeUpSettings = Readonly<Record<string, unknown>>

/** The made-up origin of every address. */
const madeUpOrigin = 'https://sandbox.example'

/**
 * Settings that fit the fields of a connection: its secrets, and every field that must be filled in.
 *
 * @throws Error if no made-up value fits a field
 */
export function makeUpSettings({ settings, auth, hosts }: DeclaredConnection): MadeUpSettings {
  const key = keyField(auth)
  const addresses = hosts.map(({ name }) => [`${name}_url`, madeUpOrigin + pathOfHost(name)])
  const fields = Object.fromEntries(
    Object.entries(settings.properties ?? {}).flatMap(([name, schema]) => {
      const isNeeded = settings.required?.includes(name) === true && schema.default === undefined
      if (!isNeeded && schema['x-secret'] !== true) return []
      return [[name, name === key ? privateKey(auth) : makeUpValue(name, schema)]]
    }),
  )
  return { ...fields, ...Object.fromEntries(addresses) }
}

/** The address of a connection's host in a sandbox. */
export const pathOfHost = (name: string): string => `/~${name}`

/** The settings to reach a sandbox at this address. */
export function reachedAt(
  url: string,
  settings: MadeUpSettings,
  { properties = {} }: JsonSchema,
  basePath: string,
): MadeUpSettings {
  const addresses = Object.entries(properties).flatMap(([name, schema]) => {
    const value = settings[name] ?? schema.default ?? madeUpOrigin
    if (name === 'base_url' || schema.format !== 'uri' || typeof value !== 'string') return []
    return [[name, `${url}${new URL(value).pathname.replace(/\/$/, '')}`]]
  })
  return { ...settings, ...Object.fromEntries(addresses), base_url: `${url}${basePath}` }
}

function makeUpValue(name: string, schema: JsonSchema): unknown {
  const { default: usual, examples = [], enum: choices = [], const: only } = schema
  const given = [only, usual, ...examples, ...choices].filter((value) => value !== undefined)
  const compiled = compileSchema(schema)
  const value = [...given, ...candidates(name, schema)].find((each) => compiled.problems(each).length === 0)
  if (value !== undefined) return value
  throw new Error(
    `the sandbox cannot make up a value for the field '${name}' of the connection: add an invented one to it, such as examples: [0f3a…]`,
  )
}

function candidates(name: string, { minLength = 0, maxLength = 1_000 }: JsonSchema): readonly unknown[] {
  const lengths = [minLength, 16, 20, 24, 32, 36, 40, 48, 64].filter((length) => length <= maxLength)
  return [
    `sandbox-${name.replaceAll('_', '-')}`.slice(0, maxLength).padEnd(minLength, '-x'),
    ...['0123456789abcdef', 'SandboxKey0123456789', '1234567890'].flatMap((text) =>
      lengths.map((length) => text.repeat(Math.ceil(length / text.length)).slice(0, length)),
    ),
    madeUpOrigin,
    'sandbox@example.com',
    'sandbox.example',
    '00000000-0000-4000-8000-000000000000',
    '192.0.2.1',
    1,
    false,
    ['sandbox'],
    {},
  ]
}

/** The field that holds the private key of assertions. */
function keyField(auth: DeclaredAuth | undefined): string | undefined {
  if (auth?.kind !== 'jwt_bearer' || auth.algorithm.startsWith('HS')) return undefined
  return fieldsRead(auth.key)[0]
}

function fieldsRead(template: Template): readonly string[] {
  const programs = template.kind === 'expression' ? [template.program] : []
  return programs.flatMap(({ references }) =>
    references.flatMap(({ root, path: [field] }) =>
      root === 'settings' && field !== undefined ? [field] : [],
    ),
  )
}

function privateKey(auth: DeclaredAuth | undefined): string {
  const isEllipticCurve = auth?.kind === 'jwt_bearer' && auth.algorithm.startsWith('ES')
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const
  return isEllipticCurve
    ? generateKeyPairSync('ec', {
        namedCurve: auth.algorithm === 'ES384' ? 'P-384' : 'P-256',
        privateKeyEncoding,
        publicKeyEncoding,
      }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: 2048, privateKeyEncoding, publicKeyEncoding }).privateKey
}
