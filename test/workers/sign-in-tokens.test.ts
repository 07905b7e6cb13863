import { expect } from 'chai'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret, type CaseAccess } from '../../core/plugin/index.ts'
import type { OpenConnection, SignInTokens } from '../../core/ports/connection-store.ts'
import type { SkillTask } from '../../core/skill/call/perform-task.ts'
import { createSkillPool, type SkillPool } from '../../server/workers/skill-pool.ts'
import { writeDrive } from '../sign-in/declared-drive.ts'
import { failure, storedConnection } from '../skill/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('the tokens of a sign-in in a skill thread', function () {
  let folder: TemporaryFolder
  let pool: SkillPool
  let url: string
  const seen: (string | undefined)[] = []
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization)
    response.statusCode = headers.authorization === 'Bearer old' ? 401 : 200
    response.setHeader('content-type', 'application/json').end('{"count":7}')
  })

  before(async () => {
    folder = await makeTemporaryFolder()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    pool = createSkillPool({
      threads: 1,
      data: {
        plugins: { pluginsDir: '/nowhere', packages: [writeDrive(folder.path)] },
        allowPrivate: { everyone: ['127.0.0.0/8'], organizations: new Map() },
      },
      memoryMb: 256,
      changes: () => false,
      codeOf: async () => 'DEMO',
      onSecret: () => {},
      onRequest: () => {},
      onLost: (reason) => expect.fail(reason),
    })
    await pool.start()
  })
  after(async () => {
    await pool.close()
    server.close()
    await folder.remove()
  })
  beforeEach(() => void (seen.length = 0))

  const connection = (tokens: SignInTokens): OpenConnection => ({
    connection: storedConnection('00000000-0000-4000-8000-000000000001', {
      plugin: 'cloud_drive',
      settings: { base_url: url, login_url: url, client_id: 'app' },
    }),
    secrets: { client_secret: new Secret('canary-client-secret') },
    tokens,
  })

  const call = (open: OpenConnection): Promise<unknown> => {
    const task: SkillTask = {
      purpose: 'run',
      skill: 'cloud_drive.count_files',
      input: {},
      asked: undefined,
      connection: open,
      run: { id: 'r', organization: 'org' },
      idempotencyKey: 'k',
      deadlineMs: Infinity,
    }
    return pool.performTask(task, {
      signal: AbortSignal.timeout(30_000),
      onEffect: undefined,
      onSecret: undefined,
      cases: {} as CaseAccess,
      log: { info() {}, warn() {} },
    })
  }

  it('come from the main thread, also a new one after a 401', async () => {
    const refused: string[] = []
    const replace = async (token: string) => {
      refused.push(token)
      return 'new'
    }
    expect(await call(connection({ client: 'a', get: async () => 'old', replace }))).to.deep.equal({
      count: 7,
    })
    expect(refused).to.deep.equal(['old'])
    expect(seen).to.deep.equal(['Bearer old', 'Bearer new'])
  })

  it('never go to a call that began with other addresses', async () => {
    const tokens = (client: string): SignInTokens => ({
      client,
      get: async () => `token-of-${client}`,
      replace: async () => undefined,
    })
    const before = call(connection(tokens('a')))
    const after = call(connection(tokens('b')))
    expect(await failure(before)).to.include({ code: 'connection_changed' })
    expect(await after).to.deep.equal({ count: 7 })
    expect(seen).to.deep.equal(['Bearer token-of-b'])
  })
})
