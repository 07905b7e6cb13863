import { readFileSync } from 'node:fs'
import { TocsinError } from '../../../core/plugin/index.ts'

/** One of the servers of an address; at most one of them is the primary. */
export interface Host {
  /** A name, an IP address, or the absolute path of a folder with a socket. */
  readonly host: string
  readonly port: number
}

/** TLS options of `node:tls`, as far as an address can set them. */
export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Absent: the certificate must name the host. */
  readonly checkServerIdentity?: () => undefined
}

/** A parsed `postgres://` address. Do not log it: it contains the password. */
export interface PostgresAddress {
  readonly hosts: readonly Host[]
  readonly database: string
  readonly user: string
  readonly password: string | undefined
  /** Undefined: no TLS. */
  tls(host: Host): TlsOptions | undefined
  /** Where the tables are. */
  readonly schema: string
}

const parameters = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'target_session_attrs'] as const
type Parameter = (typeof parameters)[number]

const tlsModes = ['disable', 'verify-ca', 'verify-full']
const shape = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const example = 'postgres://user:password@host:5432/database'

/**
 * Parses `postgres://user:password@host:port/database?parameters`. Several hosts, separated by commas, are a primary and its standbys.
 * A socket is a host such as `%2Frun%2Fpostgresql`. Connections to other machines use TLS with a checked certificate unless the
 * address has `sslmode=disable`.
 *
 * @throws TocsinError `store_address_invalid`, whose text does not contain the password
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const [, authority, path, query] = shape.exec(text) ?? []
  if (authority === undefined) throw invalid(`expected an address such as ${example}`)
  const at = authority.lastIndexOf('@')
  const [user, password] = at < 0 ? [] : splitAt(authority.slice(0, at), ':')
  if (!user) throw invalid(`the address has no user: expected ${example}`)
  const database = decode(path ?? '', 'database')
  if (database === '') throw invalid(`the address has no database: expected ${example}`)
  const given = readParameters(query ?? '')
  const mode = given.get('sslmode')
  const files = readTlsFiles(given)
  return {
    hosts: authority
      .slice(at + 1)
      .split(',')
      .map(parseHost),
    database,
    user: decode(user, 'user'),
    password: password === undefined ? undefined : decode(password, 'password'),
    schema: given.get('schema') ?? 'public',
    tls(host) {
      if (mode === 'disable' || host.host.startsWith('/')) return undefined
      if (mode === undefined && isThisMachine(host.host)) return undefined
      return mode === 'verify-ca' ? { ...files, checkServerIdentity: () => undefined } : files
    },
  }
}

/** For people and logs: without user, password and parameters. */
export function showAddress({ hosts, database }: PostgresAddress): string {
  return `${hosts.map(showHost).join(', ')}, database '${database}'`
}

export const showHost = ({ host, port }: Host): string =>
  host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`

function parseHost(text: string): Host {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? decode(plain ?? '', 'host')
  const number = Number(port ?? 5432)
  if (host === '' || number < 1 || number > 65_535)
    throw invalid(`invalid host in the address: expected host:port, several separated by commas`)
  return { host, port: number }
}

function readParameters(query: string): ReadonlyMap<Parameter, string> {
  const given = new Map<Parameter, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!parameters.includes(name as Parameter))
      throw invalid(
        `unknown parameter '${name}' in the address; known: ${parameters.join(', ')}`,
        'Remove it, or correct its name.',
      )
    given.set(name as Parameter, value)
  }
  const mode = given.get('sslmode')
  if (mode !== undefined && !tlsModes.includes(mode))
    throw invalid(`sslmode is '${mode}': expected ${tlsModes.join(', ')}`, tlsHint)
  if (mode === 'verify-ca' && !given.has('sslrootcert'))
    throw invalid('sslmode=verify-ca needs sslrootcert', rootHint)
  const attributes = given.get('target_session_attrs') ?? 'primary'
  if (!['primary', 'read-write'].includes(attributes))
    throw invalid(
      `target_session_attrs is '${attributes}': Tocsin needs 'primary' or 'read-write'`,
      'Remove it: Tocsin always connects to the primary.',
    )
  return given
}

function readTlsFiles(given: ReadonlyMap<Parameter, string>): TlsOptions {
  const read = (name: Parameter): string | undefined => {
    const path = given.get(name)
    if (path === undefined) return undefined
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      throw invalid(`cannot read the file of ${name}: ${(cause as Error).message}`, readHint)
    }
  }
  const [ca, cert, key] = [read('sslrootcert'), read('sslcert'), read('sslkey')]
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

function splitAt(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(`the ${what} in the address is not valid percent-encoding: write % as %25`)
  }
}

const tlsHint =
  'Use verify-full, which checks the certificate (sslrootcert names its authority), or disable in a trusted network.'
const rootHint = 'Name the file of the certificate authority: sslrootcert=/path/ca.pem'
const readHint = 'Correct the path, or let the user who runs Tocsin read the file.'
const encodingHint = 'Write @ : / ? # % in user and password as %40 %3A %2F %3F %23 %25.'

const invalid = (message: string, hint = encodingHint): TocsinError =>
  new TocsinError('store_address_invalid', message, { hint })
