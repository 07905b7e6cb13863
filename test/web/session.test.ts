import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { askedWithin } from './support/asked-within.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { signIn } from './support/page-server.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

describe('session of the web page', function () {
  this.timeout(90_000)
  const house = openPage()
  let path: string

  before(async () => {
    const id = await house.postAlert('strange_sign_in')
    const { body } = await house.server.call(`/alerts/${id}`)
    path = `/cases/${body.case_id}`
  })

  const note = (page: Page) => page.getByRole('textbox', { name: 'Note' })
  const endSession = (page: Page) => page.evaluate(() => fetch('/api/session', { method: 'DELETE' }))
  it('keeps input after its end and continues with the same key', async () => {
    const { page } = house
    await house.visit(path)
    await note(page).fill('half a thought')
    await endSession(page)
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'session-ended')
    await page.keyboard.press('Escape')
    await signIn(page, house.server.adminKey)
    await dialog.waitFor({ state: 'detached' })
    await hasValue(note(page), 'half a thought')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.mantine-Timeline-root').getByText('half a thought').waitFor()
  })

  it('sends no requests after its end', async () => {
    const { page, server } = house
    await page.clock.install()
    await house.visit('/alerts')
    await page.getByRole('row').nth(1).waitFor()
    await endSession(page)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    const asked = await askedWithin(page, 60_000)
    // Code that is loaded after the first view needs no session.
    const calls = asked.filter((path) => !path.startsWith('/assets/') && path !== '/api/session')
    expect(calls).to.deep.equal([])
    await signIn(page, server.adminKey)
    await page.getByRole('row').nth(1).waitFor()
  })

  it('marks background requests, so that an idle tab keeps no session', async () => {
    const { page } = house
    await page.clock.install()
    await house.visit('/alerts')
    await page.getByRole('row').nth(1).waitFor()
    const marks: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/') && !request.url().endsWith('/events'))
        marks.push(request.headers()['tocsin-background'])
    })
    const askedMeanwhile = async (act?: () => Promise<unknown>) => {
      marks.length = 0
      await askedWithin(page, 130_000, act)
      expect(marks).to.not.be.empty
      return marks.filter((mark) => mark === undefined).length
    }
    await askedMeanwhile()
    expect(await askedMeanwhile(), 'nobody is there').to.equal(0)
    // Scripts in the page are not user activity.
    expect(await askedMeanwhile(() => page.evaluate('dispatchEvent(new Event("keydown"))'))).to.equal(0)
    // A cancelled request has not reported it, so the next one may.
    expect(await askedMeanwhile(() => page.keyboard.press('Shift')), 'a key').to.be.within(1, 3)
    expect(await askedMeanwhile(() => page.mouse.wheel(0, 50)), 'scrolling').to.be.within(1, 3)
  })

  it('reloads when another key signs in, also in another tab', async () => {
    const { page, server } = house
    const made = await server.call('/keys', { body: { name: 'watcher', role: 'reader' } })
    await house.visit('/keys')
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(server.url)
    await endSession(other)
    await other.reload()
    await signIn(other, made.body.key)
    await page.getByText('You don’t have access').waitFor()
    await page.getByRole('button', { name: 'Signed in as watcher' }).waitFor()
    for (const address of ['/connections/new', '/playbooks/new']) {
      await house.visit(address)
      await page.getByText('You don’t have access').waitFor()
    }
    await endSession(other)
    await other.reload()
    await signIn(other, server.adminKey)
    await page.getByRole('button', { name: 'Signed in as bootstrap' }).waitFor()
    await other.close()
  })

  it('shows unsaved input when another key signs in, and continues when the first key returns', async () => {
    const { page, server } = house
    const made = await server.call('/keys', { body: { name: 'second', role: 'reader' } })
    await house.visit(path)
    await note(page).fill('half a thought of mine')
    const other = await page.context().newPage()
    await other.goto(server.url)
    const signInElsewhere = async (key: string): Promise<void> => {
      await endSession(other)
      await other.reload()
      await signIn(other, key)
      await other.getByRole('navigation').first().waitFor()
    }
    await signInElsewhere(made.body.key)
    await page.getByRole('heading', { name: 'You are now signed in as second' }).waitFor()
    const kept = page.getByRole('region', { name: 'Note on case' })
    expect(await kept.innerText()).to.equal('half a thought of mine')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'somebody-else')
    await signInElsewhere(server.adminKey)
    await hasValue(note(page), 'half a thought of mine')
    await signInElsewhere(made.body.key)
    await page.getByRole('button', { name: 'Continue as second and discard it' }).click()
    await page.getByRole('button', { name: 'Signed in as second' }).waitFor()
    await signInElsewhere(server.adminKey)
    await page.getByRole('button', { name: 'Signed in as bootstrap' }).waitFor()
    await hasValue(note(page), '')
    await other.close()
  })

  it('opens no stream of changes for a key that only posts alerts', async () => {
    const { page, server } = house
    const made = await server.call('/keys', { body: { name: 'poster', role: 'intake' } })
    await house.visit('/alerts')
    await endSession(page)
    await page.reload()
    const asked = await askedWithin(page, 10_000, async () => {
      await signIn(page, made.body.key)
      await page.getByRole('button', { name: 'Signed in as poster' }).waitFor()
    })
    expect(asked).to.include('/api/session')
    expect(asked).to.not.include('/api/events')
    await endSession(page)
    await page.reload()
    await signIn(page, server.adminKey)
    await page.getByRole('button', { name: 'Signed in as bootstrap' }).waitFor()
  })

  it('reports an unreachable server, keeps data and input, and recovers', async () => {
    const { page } = house
    await house.visit(path)
    await note(page).fill('written in the dark')
    await page.context().setOffline(true)
    await page.getByText(/Tocsin has been unreachable since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/).waitFor()
    await page.clock.runFor(12_000)
    await picture(page, 'unreachable')
    await page.getByRole('heading', { name: 'Decisions' }).waitFor()
    await page.context().setOffline(false)
    await page.getByText('Tocsin has been unreachable since').waitFor({ state: 'detached' })
    await hasValue(note(page), 'written in the dark')
    // The browser would ask before leaving.
    await note(page).fill('')
  })

  it('loads a view that was opened while the server was away', async () => {
    const { page } = house
    await house.visit('/alerts')
    await page.getByRole('row').nth(1).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('It loads when the server is reachable again').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  })

  it('keeps a form although its schema cannot be reloaded', async () => {
    const { page } = house
    await house.visit('/connections/new?plugin=http')
    await page.getByRole('textbox', { name: 'Name' }).fill('half a form')
    await page.context().setOffline(true)
    await page.getByText('Tocsin has been unreachable since').waitFor()
    const refused = page.waitForResponse('**/api/plugins*')
    await page.route('**/api/plugins*', (route) => route.fulfill({ status: 403, body: '' }))
    await page.context().setOffline(false)
    await refused
    await page.getByText('Tocsin has been unreachable since').waitFor({ state: 'detached' })
    await page.unroute('**/api/plugins*')
    await hasValue(page.getByRole('textbox', { name: 'Name' }), 'half a form')
  })
})
