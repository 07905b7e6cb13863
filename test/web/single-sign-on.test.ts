import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startProvider, type TestProvider } from '../identity/support/provider.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('single sign-on in the page', function () {
  this.timeout(90_000)
  let provider: TestProvider
  const env: Record<string, string> = {}

  before(async () => {
    provider = await startProvider()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    await provider.register(url)
    const anna = { name: 'Anna', email: 'anna@example.com', email_verified: true, groups: ['soc'] }
    provider.people.set('anna-1', anna)
    Object.assign(env, {
      TOCSIN_PORT: String(port),
      TOCSIN_PUBLIC_URL: url,
      TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(provider.issuer).host,
      TOCSIN_OIDC_ISSUER: provider.issuer,
      TOCSIN_OIDC_CLIENT_ID: provider.clientId,
      TOCSIN_OIDC_CLIENT_SECRET: provider.clientSecret,
      TOCSIN_OIDC_SCOPES: 'openid profile email groups',
      TOCSIN_OIDC_ROLES: 'soc=analyst',
      TOCSIN_OIDC_LABEL: 'Sign in with Example',
      TOCSIN_LOCAL_SIGN_IN: 'break_glass',
    })
  })
  const house = openPage({}, { env, isSignedIn: false })
  after(() => provider.close())

  const button = () => house.page.getByRole('link', { name: 'Sign in with Example' })

  it('is offered first, and says why it failed without showing the code', async () => {
    const { page, server } = house
    await page.goto(`${server.url}/runs?status=failed`)
    await button().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'single-sign-on')
    provider.current = undefined
    await button().click()
    await page.getByText('the identity provider did not let you in (access_denied)').waitFor()
    expect(page.url()).to.equal(`${server.url}/sign-in/callback`)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'single-sign-on-refused')
    await page.getByRole('link', { name: 'Back to the sign-in' }).click()
    await button().waitFor()
  })

  it('leads back to the page that was asked for', async () => {
    const { page, server } = house
    provider.current = 'anna-1'
    await page.goto(`${server.url}/runs?status=failed`)
    await button().click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(page.url()).to.equal(`${server.url}/runs?status=failed`)
    await page.goBack()
    expect(page.url()).to.not.include('code=')
  })

  it('in another tab continues the work of this one', async () => {
    const { page, server } = house
    await page.goto(`${server.url}/runs`)
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.evaluate(() => fetch('/api/session', { method: 'DELETE' }))
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await picture(page, 'single-sign-on-again')
    const opened = page.context().waitForEvent('page')
    await dialog.getByRole('link', { name: 'Sign in with Example' }).click()
    const tab = await opened
    await tab.getByText('You are signed in. Close this tab').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await tab.close()
  })

  it('ends at the provider when the person signs out', async () => {
    const { page, server } = house
    await page.goto(server.url)
    await page.getByRole('button', { name: 'Anna' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await button().waitFor()
    expect(page.url()).to.match(new RegExp(`^${server.url}/`))
  })
})

/** For a server whose address somebody must know before it listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
