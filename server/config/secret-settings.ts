import { isAbsolute, resolve, sep } from 'node:path'
import { Secret } from '../../core/plugin/index.ts'
import type { PrivateEgress } from '../egress/allow-lists.ts'
import type { PointedMessage } from '../../core/errors/errors.ts'
import { integerBetween, items, path, perOrganization, Unusable } from './config-values.ts'
import { isLoopback } from './loopback.ts'

/** Where secrets that connections refer to may be read. */
export interface SecretSettings {
  /** Names of variables that connections may refer to, or beginnings that end with `*`; undefined: none. */
  readonly variables: AllowedVariables | undefined
  /** Folder of the files of an organization, with {@link organizationMark}; undefined: no files. */
  readonly folder: string | undefined
  /** Undefined: no Vault. */
  readonly vault: VaultSettings | undefined
}

export type AllowedVariables = PrivateEgress

/** A server of HashiCorp Vault or OpenBao. */
export interface VaultSettings {
  /** Origins of the nodes of one cluster, tried in order. */
  readonly addresses: readonly string[]
  readonly namespace: string | undefined
  /** File with certificates of authorities, in PEM; undefined: those of Node. */
  readonly caFile: string | undefined
  readonly auth: VaultAuth
  /** Path of the KV version 2 engine. */
  readonly mount: string
  /** Path of an organization's secrets in the engine, with {@link organizationMark}. */
  readonly path: string
  /** How long a value is used without asking again. */
  readonly cacheMs: number
  /** How much longer while Vault cannot be reached. */
  readonly graceMs: number
}

/** A text, or `file:` with the path of a file that is read at each sign-in. */
export type VaultAuth =
  | { readonly kind: 'token'; readonly token: Secret }
  | {
      readonly kind: 'approle'
      readonly mount: string
      readonly roleId: Secret
      readonly secretId: Secret | undefined
    }

/** Replaced by the code of the organization, in lower case. */
export const organizationMark = '{organization}'

/** Whether an entry of {@link AllowedVariables} allows a variable. */
export const allowsVariable = (entry: string, name: string): boolean =>
  entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry

const entryPattern = /^[A-Za-z_][A-Za-z0-9_]{2,127}\*?$/
/** Variables of Tocsin and its libraries. */
const reserved = ['TOCSIN_', 'OTEL_', 'NODE_']

/** @throws Unusable */
const allowedVariables = (text: string): AllowedVariables =>
  perOrganization(text, (list) => items(list).map(variableEntry), 'ACME_*')

function variableEntry(text: string): string {
  const prefix = text.replace(/\*$/, '').toUpperCase()
  const isReserved = reserved.some((own) =>
    text.endsWith('*') ? own.startsWith(prefix) || prefix.startsWith(own) : prefix.startsWith(own),
  )
  if (entryPattern.test(text) && !isReserved) return text
  throw new Unusable(
    `has '${text.slice(0, 80)}'; use names of variables, or at least three characters and '*', that do not include ${reserved.join('…, ')}…, e.g. acme=ACME_*`,
  )
}

function secretsFolder(text: string): string {
  const isUsable =
    isAbsolute(text) && !text.includes('\0') && !text.replace(organizationMark, '').includes('{')
  if (isUsable && resolve(text) !== sep) return resolve(text)
  throw new Unusable(
    `must be an absolute path, in which ${organizationMark} is the code of the organization, e.g. /run/secrets/tocsin/${organizationMark}`,
  )
}

const containsOrIsIn = (one: string, other: string): boolean => isIn(one, other) || isIn(other, one)

const isIn = (path: string, folder: string): boolean =>
  `${resolve(path)}${sep}`.startsWith(resolve(folder) === sep ? sep : `${resolve(folder)}${sep}`)

/** Origins, separated by `,`. */
function vaultAddresses(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const url = URL.parse(part.trim())
    const isBare = url !== null && url.username === '' && url.password === '' && url.search === ''
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
    if (isBare && isSafe && url.pathname === '/' && url.hash === '') return url.origin
    throw new Unusable(
      'must be https addresses without path and credentials, separated by commas, e.g. https://vault.example.com:8200; http is possible for this machine only',
    )
  })
}

/** No part ends with a dot, so none is `..`. */
const pathPattern = /^[A-Za-z0-9._-]*[A-Za-z0-9_-](\/[A-Za-z0-9._-]*[A-Za-z0-9_-])*$/

function vaultPath(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, '')
  const isUsable = pathPattern.test(bare.replace(organizationMark, 'x'))
  if (isUsable) return bare
  throw new Unusable(
    `must be a path of letters, digits, '.', '_' and '-', in which ${organizationMark} is the code of the organization, e.g. tocsin/${organizationMark}`,
  )
}

function vaultMount(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, '')
  if (pathPattern.test(bare)) return bare
  throw new Unusable("must be a path of letters, digits, '.', '_' and '-', e.g. secret")
}

/** A credential, or `file:` with an absolute path. */
function vaultCredential(text: string): string {
  if (text.startsWith('file:') ? isAbsolute(text.slice(5)) : /^[\x21-\x7e]{1,4096}$/.test(text)) return text
  throw new Unusable('must be the credential without spaces, or file: and an absolute path')
}

/** The variables of these settings, with their readers. */
export const secretVariables = {
  TOCSIN_SECRET_VARIABLES: allowedVariables,
  TOCSIN_SECRETS_DIR: secretsFolder,
  TOCSIN_VAULT_ADDRESS: vaultAddresses,
  TOCSIN_VAULT_NAMESPACE: vaultMount,
  TOCSIN_VAULT_CA_FILE: path,
  TOCSIN_VAULT_TOKEN: vaultCredential,
  TOCSIN_VAULT_ROLE_ID: vaultCredential,
  TOCSIN_VAULT_SECRET_ID: vaultCredential,
  TOCSIN_VAULT_AUTH_MOUNT: vaultMount,
  TOCSIN_VAULT_MOUNT: vaultMount,
  TOCSIN_VAULT_PATH: vaultPath,
  TOCSIN_VAULT_CACHE_SECONDS: integerBetween(0, 86_400),
  TOCSIN_VAULT_GRACE_SECONDS: integerBetween(0, 604_800),
} as const

type Variables = typeof secretVariables
type ReadVariable = <Name extends keyof Variables>(name: Name) => ReturnType<Variables[Name]> | undefined

const defaultCacheSeconds = 60
const defaultGraceSeconds = 900

/** @param problems receives the problems of combinations of variables */
export function readSecretSettings(
  value: ReadVariable,
  dataDir: string,
  problems: PointedMessage[],
): SecretSettings {
  const folder = value('TOCSIN_SECRETS_DIR')
  if (folder !== undefined && containsOrIsIn(folder.split(organizationMark)[0]!, dataDir)) {
    const message = 'must not contain the data directory, or be in it: that holds the master key'
    problems.push({ pointer: '/TOCSIN_SECRETS_DIR', message })
  }
  return { variables: value('TOCSIN_SECRET_VARIABLES'), folder, vault: readVault(value, problems) }
}

function readVault(value: ReadVariable, problems: PointedMessage[]): VaultSettings | undefined {
  const auth = readAuth(value)
  // Each variable is read, so that each is checked.
  const settings = {
    namespace: value('TOCSIN_VAULT_NAMESPACE'),
    caFile: value('TOCSIN_VAULT_CA_FILE'),
    mount: value('TOCSIN_VAULT_MOUNT') ?? 'secret',
    path: value('TOCSIN_VAULT_PATH') ?? `tocsin/${organizationMark}`,
    cacheMs: (value('TOCSIN_VAULT_CACHE_SECONDS') ?? defaultCacheSeconds) * 1_000,
    graceMs: (value('TOCSIN_VAULT_GRACE_SECONDS') ?? defaultGraceSeconds) * 1_000,
  }
  const addresses = value('TOCSIN_VAULT_ADDRESS')
  if (addresses === undefined) return undefined
  if (auth !== undefined) return { ...settings, addresses, auth }
  const message = 'must have TOCSIN_VAULT_ROLE_ID and TOCSIN_VAULT_SECRET_ID, or TOCSIN_VAULT_TOKEN'
  problems.push({ pointer: '/TOCSIN_VAULT_ADDRESS', message })
  return undefined
}

function readAuth(value: ReadVariable): VaultAuth | undefined {
  const [token, roleId, secretId] = [
    value('TOCSIN_VAULT_TOKEN'),
    value('TOCSIN_VAULT_ROLE_ID'),
    value('TOCSIN_VAULT_SECRET_ID'),
  ]
  if (roleId !== undefined) {
    const mount = value('TOCSIN_VAULT_AUTH_MOUNT') ?? 'approle'
    const secret = secretId === undefined ? undefined : new Secret(secretId)
    return { kind: 'approle', mount, roleId: new Secret(roleId), secretId: secret }
  }
  return token === undefined ? undefined : { kind: 'token', token: new Secret(token) }
}
