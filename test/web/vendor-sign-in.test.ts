import { expect } from 'chai'
import type { ServedSandbox } from '../../core/plugin/testing/index.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { startDriveSandbox, writeDrive } from '../sign-in/declared-drive.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('the sign-in to a vendor in the page', function () {
  this.timeout(60_000)
  let sandbox: ServedSandbox
  let folder: TemporaryFolder
  const env: Record<string, string> = {}

  before(async () => {
    sandbox = await startDriveSandbox()
    folder = await makeTemporaryFolder()
    env['TOCSIN_PLUGINS'] = writeDrive(folder.path)
    env['TOCSIN_ALLOW_PRIVATE_EGRESS'] = new URL(sandbox.url).host
  })
  const house = openPage({}, { env })
  after(async () => {
    await sandbox.close()
    await folder.remove()
  })

  const signInButton = () => house.page.getByRole('button', { name: 'Sign in to Cloud drive' })

  it('shows the redirect URI to register, and asks for a sign-in after the connection is created', async () => {
    const { page, server } = house
    await house.visit('/connections/new?plugin=cloud_drive')
    await page.getByText(`${server.url}/oauth/callback/cloud-drive`).waitFor()
    const { settings } = sandbox
    const body = { organization_code: 'main', name: 'drive', plugin: 'cloud_drive', settings }
    expect((await server.call('/connections', { body })).status).to.equal(201)
    await house.visit('/connections/drive?new=yes')
    await page.getByText('Nobody has signed in to Cloud drive yet.').waitFor()
    expect(await page.getByText('Sign-in needed', { exact: true }).count()).to.equal(1)
    expect(await page.getByRole('button', { name: 'Test connection' }).count()).to.equal(0)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'sign-in-needed')
  })

  it('shows why the vendor refused, as text, and keeps the code out of the address', async () => {
    const { page } = house
    await signInButton().click()
    await page.getByRole('link', { name: 'Deny access' }).click()
    await page.getByText('the vendor refused the sign-in: access_denied').waitFor()
    expect(page.url()).to.match(/\/oauth\/callback\/cloud-drive$/)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'sign-in-refused')
    await page.getByRole('link', { name: 'Back to the connection' }).click()
    await signInButton().waitFor()
  })

  it('signs in, tests the connection, and shows the account', async () => {
    const { page } = house
    await signInButton().click()
    await page.getByRole('link', { name: 'Allow access' }).click()
    await page.getByText('Connection works').waitFor()
    await page.getByText('Account: sandbox').waitFor()
    await page.getByText('Scope: files.read offline_access').waitFor()
    expect(page.url()).to.match(/\/connections\/[\da-f-]+$/)
    await page.getByRole('button', { name: 'Sign in again' }).waitFor()
    expect(await page.getByText('Sign-in needed', { exact: true }).count()).to.equal(0)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'signed-in')
  })

  it('refuses a callback that this browser did not start', async () => {
    const { page } = house
    await house.visit('/oauth/callback/cloud-drive?state=x&code=y&error_description=%3Cb%3Ex')
    const title = 'The sign-in has expired, is complete, or began in another session'
    await page.getByText(title, { exact: true }).waitFor()
    await page.getByText('start the sign-in again').waitFor()
  })

  it('says why somebody must sign in again', async () => {
    const { page, server } = house
    const { body } = await server.call('/connections/drive')
    await house.visit('/connections/drive')
    await server.call('/connections/drive', {
      method: 'PATCH',
      body: { settings: { client_id: 'another-app' } },
      headers: { 'if-match': '*' },
    })
    expect(body.sign_in.needed).to.equal(null)
    await signInButton().waitFor()
    await page.getByText('not signed in yet').first().waitFor()
  })
})
