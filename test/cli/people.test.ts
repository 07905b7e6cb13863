import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

const linkLine = /^http:\/\/[^ ]+\/invitation#([\w-]{43})\n$/

describe('tocsin people', () => {
  let folder: TemporaryFolder
  let server: RunningServer

  const people = (...args: string[]) =>
    runTocsin(['people', ...args], { env: { TOCSIN_DATA_DIR: folder.path } })
  const accept = (token: string | undefined, password: string) =>
    server.call('/invitation/accept', { key: '', body: { token, password } })
  const signIn = (password: string) =>
    server.call('/session', { key: '', body: { email: 'anna@example.com', password } })

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ dataDir: folder.path })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('invites a person beside a running server, and prints only the link to standard output', async () => {
    const given = ['anna@example.com', '--name', 'Anna', '--role', 'analyst', '--organization', 'main']
    const { code, stdout, stderr } = await people('invite', ...given)
    expect(code, stderr).to.equal(0)
    expect(stdout).to.match(linkLine)
    expect(stderr).to.match(
      /^Anna, analyst of main\nthis is the first account, .*\nthe link works once, for 72 hours; shown once:\n$/,
    )
    const accepted = await accept(linkLine.exec(stdout)?.[1], 'correct horse battery staple')
    expect(accepted.status).to.equal(201)
    expect(accepted.body).to.deep.include({ key_name: 'Anna', role: 'analyst', organization_codes: ['main'] })
  })

  it('lists people with their roles and state', async () => {
    await people('invite', 'bert@example.com')
    const { stdout } = await people('list')
    expect(stdout).to.match(/E-MAIL +NAME +ROLES +LAST USED +STATE/)
    expect(stdout).to.match(/anna@example.com +Anna +analyst:main +\S+ +active/)
    expect(stdout).to.match(/bert@example.com +bert@example.com +reader:all +never +invited/)
  })

  it('disables a person at once, and resets one who cannot sign in', async () => {
    expect((await signIn('correct horse battery staple')).status).to.equal(201)
    const { stderr } = await people('disable', 'ANNA@example.com')
    expect(stderr).to.equal('the account of Anna is disabled\n')
    expect((await signIn('correct horse battery staple')).status).to.equal(401)
    const { stdout } = await people('reset', 'anna@example.com')
    expect((await accept(linkLine.exec(stdout)?.[1], 'another horse battery staple')).status).to.equal(201)
    expect((await signIn('another horse battery staple')).status).to.equal(201)
  })

  it('says which value is wrong', async () => {
    const taken = await people('invite', 'anna@example.com')
    expect(taken.code).to.not.equal(0)
    expect(taken.stderr).to.contain('an account with the e-mail address anna@example.com already exists')
    expect((await people('invite', 'anna')).stderr).to.contain('It must be an e-mail address.')
    const unknown = await people('disable', 'nobody@example.com')
    expect(unknown.stderr).to.contain("no account has the e-mail address 'nobody@example.com'")
    const elsewhere = await people('invite', 'c@example.com', '--organization', 'nowhere')
    expect(elsewhere.stderr).to.contain("no organization has the code 'nowhere'")
  })
})
