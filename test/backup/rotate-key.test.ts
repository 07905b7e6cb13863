import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import { readConfig } from '../../server/config/config.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { using } from '../../server/sqlite/file/backup-file.ts'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { canTrace, failing } from '../faults/support/strace.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { someTokens } from '../http/support/things.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const newKey = () => randomBytes(32).toString('base64')
const count = 5

describe('tocsin rotate-key', function () {
  this.timeout(times(120_000))
  let folder: TemporaryFolder
  let origin: string
  let data: string
  let organizationUuid: string
  let tokens: string[]

  before(async () => {
    folder = await makeTemporaryFolder()
    origin = join(folder.path, 'origin')
    const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: origin }), 'exclusive')
    organizationUuid = (await stores.organizations.create({ code: 'main', name: 'Main' }, somebody())).uuid
    tokens = []
    for (let n = 0; n < count; n++) {
      const secrets = { one: new Secret(`first-${n}`), two: new Secret(`second-${n}`) }
      const given = { name: `c${n}`, plugin: 'x', settings: {}, secrets }
      const { uuid } = await stores.connections.create(organizationUuid, given, somebody())
      tokens.push((await stores.connections.eventsToken(organizationUuid, uuid)).reveal())
      const signIn = { ...someTokens, access: new Secret(`access-${n}`) }
      await stores.signIns.save({ organizationUuid, uuid }, signIn, 1, somebody())
    }
    await stores.close()
  })
  beforeEach(async () => {
    data = join(folder.path, 'data')
    await cp(origin, data, { recursive: true })
  })
  afterEach(() => rm(data, { recursive: true, force: true }))
  after(() => folder.remove())

  const rotate = (env: Record<string, string> = {}) =>
    runTocsin(['rotate-key'], { env: { TOCSIN_DATA_DIR: data, ...env } })
  const versions = () =>
    using(join(data, 'tocsin.db'), (database) =>
      database
        .all<{ version: number }>(
          'SELECT key_version AS version FROM connection_secrets UNION SELECT key_version FROM events_tokens UNION SELECT key_version FROM sign_in_tokens',
        )
        .map(({ version }) => version),
    )
  const keyFile = () => readFile(join(data, 'master.key'), 'utf8')

  /**
   * The next start: every secret and token is unchanged, and the audit log is complete. Returns the number of
   * rotations.
   */
  async function start(env: Record<string, string> = {}): Promise<number> {
    const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: data, ...env }), 'exclusive')
    try {
      for (let n = 0; n < count; n++) {
        const open = await stores.connections.open(organizationUuid, `c${n}`)
        expect([open?.secrets['one']?.reveal(), open?.secrets['two']?.reveal()]).to.deep.equal([
          `first-${n}`,
          `second-${n}`,
        ])
        const { uuid } = open!.connection
        expect((await stores.connections.eventsToken(organizationUuid, uuid)).reveal()).to.equal(tokens[n])
        const signIn = await stores.signIns.open({ organizationUuid, uuid })
        expect([signIn?.access?.reveal(), signIn?.refresh?.reveal()]).to.deep.equal([
          `access-${n}`,
          someTokens.refresh?.reveal(),
        ])
        expect((await stores.connections.openByEventsToken(tokens[n]!))?.connection.uuid).to.equal(uuid)
      }
      expect((await stores.audit.verify()).broken).to.equal(null)
      return (await stores.audit.list('all', { action: 'master_key.rotated' }, { limit: 200 })).total
    } finally {
      await stores.close()
    }
  }

  it('reseals everything with a new key that only its owner can read, and keeps the old one for old backups', async () => {
    const old = await keyFile()
    for (const version of [2, 3]) {
      const { code, stdout, stderr } = await rotate()
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout).to.contain(`${count * 5} secrets are encrypted with the new master key`)
      expect(versions()).to.deep.equal([version])
      expect(((await stat(join(data, 'master.key'))).mode & 0o777).toString(8)).to.equal('600')
      expect(await start()).to.equal(version - 1)
    }
    expect(await readFile(join(data, 'master.key.v1'), 'utf8')).to.equal(old)
    expect(
      new Set([old, await readFile(join(data, 'master.key.v2'), 'utf8'), await keyFile()]).size,
    ).to.equal(3)
  })

  it('leaves nothing in the database that the old key can decrypt', async () => {
    const sealed = using(join(data, 'tocsin.db'), (database) =>
      database.all<{ sealed: Buffer }>(
        'SELECT sealed FROM connection_secrets UNION ALL SELECT sealed FROM events_tokens',
      ),
    )
    await rotate()
    const bytes = await readFile(join(data, 'tocsin.db'))
    for (const { sealed: old } of sealed) expect(bytes.includes(old)).to.equal(false)
    await writeFile(join(data, 'master.key'), await readFile(join(data, 'master.key.v1')))
    expect((await runTocsin(['keys', 'list'], { env: { TOCSIN_DATA_DIR: data } })).stderr).to.contain(
      'the master key does not open the secrets',
    )
  })

  it('refuses to run while a server uses the data', async () => {
    const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: data }), 'exclusive')
    const { code, stderr } = await rotate()
    await stores.close()
    expect(code).to.equal(1)
    expect(stderr).to.contain('is in use by the process')
    expect(versions()).to.deep.equal([1])
  })

  it('changes nothing if one secret cannot be decrypted, and names it', async () => {
    using(join(data, 'tocsin.db'), (database) =>
      database.run(`UPDATE connection_secrets SET sealed = zeroblob(60) WHERE field = 'two'`),
    )
    const { code, stderr } = await rotate()
    expect(code).to.equal(1)
    expect(stderr).to.contain(`the stored secret 'two' cannot be decrypted`)
    expect(versions()).to.deep.equal([1])
  })

  it('reads the new key from the environment if the old one comes from there', async () => {
    const [first, second] = [(await keyFile()).trim(), newKey()]
    await rm(join(data, 'master.key'))
    const old = { TOCSIN_MASTER_KEY: first }
    expect((await rotate(old)).stderr).to.contain('TOCSIN_NEXT_MASTER_KEY')
    expect((await rotate({ ...old, TOCSIN_NEXT_MASTER_KEY: first })).stderr).to.contain(
      'is the key that is in use',
    )
    const { code, stdout } = await rotate({ ...old, TOCSIN_NEXT_MASTER_KEY: second })
    expect(code).to.equal(0)
    expect(stdout).to.contain('now set TOCSIN_MASTER_KEY')
    expect(existsSync(join(data, 'master.key'))).to.equal(false)
    expect(
      await start({ ...old, TOCSIN_NEXT_MASTER_KEY: second }),
      'before the variables are changed',
    ).to.equal(1)
    expect(await start({ TOCSIN_MASTER_KEY: second })).to.equal(1)
    const again = await rotate({ ...old, TOCSIN_NEXT_MASTER_KEY: second })
    expect(again.stderr).to.contain('already')
  })

  it('continues after an interruption behind the resealing', async () => {
    const old = await keyFile()
    await rotate()
    const key = await keyFile()
    await rm(join(data, 'master.key.v1'))
    await writeFile(join(data, 'master.key'), old)
    await writeFile(join(data, 'master.key.next'), key, { mode: 0o600 })
    await runTocsin(['keys', 'list'], { env: { TOCSIN_DATA_DIR: data } })
    expect(await keyFile(), 'a command beside others changes nothing').to.equal(old)
    expect(await start()).to.equal(1)
    expect(await keyFile()).to.equal(key)
    expect(existsSync(join(data, 'master.key.next'))).to.equal(false)
    expect(await readFile(join(data, 'master.key.v1'), 'utf8')).to.equal(old)
  })

  it('ignores a next key that sealed nothing', async () => {
    await writeFile(join(data, 'master.key.next'), newKey(), { mode: 0o600 })
    expect(await start()).to.equal(0)
    expect((await rotate()).code).to.equal(0)
    expect(await start()).to.equal(1)
    expect((await readdir(data)).filter((name) => name.startsWith('master')).toSorted()).to.deep.equal([
      'master.key',
      'master.key.v1',
    ])
  })

  describe(`killed (seed ${seed})`, () => {
    before(function () {
      if (!canTrace) this.skip()
    })

    /**
     * Kills a rotation at the nth of these system calls. Returns the number of completed rotations; undefined
     * if it was not killed.
     */
    async function killAt(calls: string, n: number): Promise<number | undefined> {
      await rm(data, { recursive: true })
      await cp(origin, data, { recursive: true })
      const child = join(import.meta.dirname, 'children/rotate.ts')
      const tracer = failing(`${calls}:signal=SIGKILL:when=${n}`).filter((argument) => argument !== '-D')
      const [program, ...args] = [...tracer, process.execPath, child, data]
      const { status } = spawnSync(program, args, { stdio: 'ignore' })
      const done = await start()
      expect((await rotate()).code, `after a kill at ${n}`).to.equal(0)
      expect(await start()).to.equal(done + 1)
      return status === 0 ? undefined : done
    }

    it('loses no secret at any sync or rename', async () => {
      const outcomes: (number | undefined)[] = []
      for (let n = 1; outcomes.length === 0 || outcomes.at(-1) !== undefined; n++)
        outcomes.push(await killAt('fsync,fdatasync,rename,link', n))
      expect(outcomes.length).to.be.above(8)
      const before = outcomes.indexOf(1)
      expect(before, 'killed before the commit').to.be.above(0)
      expect(outcomes.slice(0, before)).to.deep.equal(Array(before).fill(0))
      expect(outcomes.slice(before, -1), 'killed after it').to.deep.equal(
        Array(outcomes.length - 1 - before).fill(1),
      )
    })

    it('loses no secret at any write', async () => {
      const random = makeRandom(seed)
      for (let n = 0; n < times(5); n++) await killAt('pwrite64', 1 + Math.floor(random() * 60))
    })
  })
})
