import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describePostgres } from '../support/postgres.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { connect, openDriver } from './support/driver.ts'

const fixtures = join(import.meta.dirname, '../egress/fixtures')
const read = (name: string): string => readFileSync(join(fixtures, name), 'utf8')

describePostgres('TLS to PostgreSQL', () => {
  let server: PostgresServer

  before(async function () {
    if (process.env['TOCSIN_TEST_POSTGRES']) this.skip()
    server = await PostgresServer.start({
      settings: ['ssl = on', "ssl_cert_file = 'cert.pem'", "ssl_key_file = 'key.pem'"],
      files: { 'cert.pem': read('localhost.cert.pem'), 'key.pem': read('localhost.key.pem') },
    })
  })

  after(() => server?.dispose())

  const address = (host: string, parameters: string): string =>
    `${server.address('postgres', 'tcp').replace('127.0.0.1', host)}?${parameters}`
  const rootOf = (name: string): string => `sslrootcert=${encodeURIComponent(join(fixtures, name))}`

  /** Whether the connection is encrypted, or why there is none. */
  async function outcome(host: string, parameters: string): Promise<unknown> {
    try {
      const connection = await connect(address(host, parameters))
      const { rows } = await connection.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      await connection.close()
      return (rows[0] as { ssl: number }).ssl === 1
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  it('checks the certificate and its name', async () => {
    const trusted = rootOf('localhost.cert.pem')
    expect(await outcome('localhost', `sslmode=verify-full&${trusted}`)).to.equal(true)
    expect(await outcome('localhost', 'sslmode=verify-full')).to.be.oneOf([
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ])
    expect(await outcome('localhost', `sslmode=verify-full&${rootOf('self-signed.cert.pem')}`)).to.be.a(
      'string',
    )
    expect(await outcome('127.0.0.1', `sslmode=verify-full&${trusted}`)).to.equal(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    )
  })

  it('checks only who signed it with verify-ca', async () => {
    expect(await outcome('127.0.0.1', `sslmode=verify-ca&${rootOf('localhost.cert.pem')}`)).to.equal(true)
    expect(await outcome('127.0.0.1', `sslmode=verify-ca&${rootOf('self-signed.cert.pem')}`)).to.be.a(
      'string',
    )
  })

  it('says what to do when it is refused', async () => {
    const refusal = async (host: string, parameters: string): Promise<string> => {
      const driver = openDriver(address(host, parameters))
      const error = await driver.value('SELECT 1 AS one').catch((failure: unknown) => failure)
      await driver.close()
      expect(error).to.have.property('code', 'store_unavailable')
      return (error as { hint: string }).hint
    }
    expect(await refusal('localhost', 'sslmode=verify-full')).to.include('sslrootcert')
    expect(await refusal('127.0.0.1', `sslmode=verify-full&${rootOf('localhost.cert.pem')}`)).to.include(
      'host of the certificate',
    )
  })

  it('is not used on this machine, unless the address asks for it', async () => {
    expect(await outcome('127.0.0.1', '')).to.equal(false)
    expect(await outcome('localhost', 'sslmode=disable')).to.equal(false)
  })
})
