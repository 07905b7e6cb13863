import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

describe('tocsin keys list and revoke', () => {
  let folder: TemporaryFolder
  let server: RunningServer

  const keys = (...args: string[]) => runTocsin(['keys', ...args], { env: { TOCSIN_DATA_DIR: folder.path } })

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ dataDir: folder.path })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('revoke a key beside a running server, which refuses it at once, and list it as revoked', async () => {
    const key = (await keys('create', 'old forwarder', '--organization', 'main')).stdout.trim()
    const id = key.split('_')[1] ?? ''
    expect((await server.call('/organizations', { key })).status).to.equal(200)
    const { code, stderr } = await keys('revoke', id)
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "intake key 'old forwarder' is revoked\n" })
    expect((await server.call('/organizations', { key })).status).to.equal(401)
    const { stdout } = await keys('list')
    const [header = '', , ...rows] = stdout.split('\n')
    expect(header).to.match(/^ID +NAME +ROLE +ORGANIZATIONS +OWNER +ADDRESSES +MADE +LAST USED +STATE$/)
    expect(rows[0]).to.match(/^[0-9a-f]{12} +bootstrap +admin +all +none +any +\d{4}-\d\d-\d\d +\S+ +usable$/)
    expect(rows[1]).to.match(
      new RegExp(`^${id} +old forwarder +intake +main .* revoked \\d{4}-\\d\\d-\\d\\d$`),
    )
    for (const secret of [key, server.adminKey]) expect(stdout).not.to.contain(secret.slice(-43))
  })

  it('keep the last admin key and refuse unknown ids', async () => {
    const last = await keys('revoke', server.adminKey.split('_')[1] ?? '')
    expect(last.code).to.equal(1)
    expect(last.stderr).to.match(
      /^error the key '[0-9a-f]{12}' is the last active administrator key\nhint {2}create another/,
    )
    const unknown = await keys('revoke', '000000000000')
    expect(unknown.code).to.equal(1)
    expect(unknown.stderr).to.contain("there is no key with the id '000000000000'")
  })
})
