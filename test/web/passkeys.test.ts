import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { freePort } from '../http/support/proxies.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const password = 'correct horse battery staple'

describe('passkeys on the web page', function () {
  this.timeout(90_000)
  const env: Record<string, string> = {}
  let url = ''
  before(async () => {
    const port = await freePort()
    // Browsers offer no passkeys at an IP address.
    url = `http://localhost:${port}`
    Object.assign(env, { TOCSIN_PORT: String(port), TOCSIN_PUBLIC_URL: url })
  })
  const house = openPage({}, { env, isSignedIn: false })

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it('are added, renamed, used to sign in, and removed', async () => {
    const { page, server } = house
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('WebAuthn.enable')
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const { body } = await server.call('/accounts', {
      body: { email: 'anna@example.com', name: 'Anna Example', roles: [{ role: 'reader' }] },
    })
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    const isLoaded = () => loaded.some((path) => path.includes('browser-passkeys'))
    await page.goto(String(body.invitation_url))
    await page.getByLabel('Password').nth(0).fill(password)
    await page.getByLabel('Password again').fill(password)
    await button(page, 'Set password and sign in').click()
    await page.getByRole('button', { name: 'Signed in as Anna Example' }).click()
    await page.getByRole('menuitem', { name: 'My account' }).click()
    await button(page, 'Add passkey').click()
    expect(isLoaded(), 'the library is loaded on its first use').to.equal(false)
    await page.getByLabel('Name of the passkey').fill('Laptop')
    await button(page, 'Continue').click()
    await page.getByRole('cell', { name: 'Laptop' }).waitFor()
    expect(isLoaded()).to.equal(true)
    await button(page, 'Rename').click()
    await page.getByLabel('Name of the passkey').fill('Key ring')
    await button(page, 'Rename passkey').click()
    await page.getByRole('cell', { name: 'Key ring' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'passkeys')

    await page.getByRole('button', { name: 'Signed in as Anna Example' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await button(page, 'Sign in with a passkey').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'passkey-sign-in')
    await button(page, 'Sign in with a passkey').click()
    await page.getByRole('button', { name: 'Signed in as Anna Example' }).waitFor()

    await page.goto(`${url}/me`)
    await button(page, 'Remove').click()
    await button(page, 'Remove passkey').click()
    await page.getByText('A passkey signs you in with fingerprint').waitFor()
    await page.getByRole('button', { name: 'Signed in as Anna Example' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await button(page, 'Sign in with a passkey').click()
    await page.getByText('The passkey was refused', { exact: true }).waitFor()
  })
})
