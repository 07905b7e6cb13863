import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { linkOf } from '../../server/web/notifications/link-of.ts'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { manual: true }
steps:
  - id: sure
    checkpoint: { via: operator, with: { message: Sure? }, answers: [yes], timeout: 1h }
`

const password = 'correct horse battery staple'

/** Stands for the notifications of the browser, which a headless one does not show. */
const browserNotifications = `
  window.told = []
  class Told extends EventTarget {
    static permission = 'default'
    static async requestPermission() { return (Told.permission = 'granted') }
    constructor(title, options) { super(); this.options = options; window.told.push({ ...options, isClosed: false }) }
    close() { const of = window.told.find(({ tag }) => tag === this.options.tag); of.isClosed = true }
  }
  window.Notification = Told
`
const hide = (isHidden: boolean) => `
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${isHidden ? 'hidden' : 'visible'}' })
`

describe('notifications on the web page', function () {
  this.timeout(120_000)
  const house = openPage({ asking })
  let page: Page

  const bell = (of = page) => of.getByRole('button', { name: /^Notifications/ })
  const dialog = (of = page) => of.getByRole('dialog', { name: 'Notifications' })
  let opened = 0
  const assign = async (title: string): Promise<string> => {
    const { body } = await house.server.call(`/alerts/${await house.postAlert(`odd-${opened++}`)}`)
    const change = { body: { title, assignee: 'anna@example.com' }, headers: { 'if-match': '*' } }
    const reply = await house.server.call(`/cases/${body.case_id}`, { method: 'PATCH', ...change })
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200)
    return body.case_id
  }
  const unread = (count: number) =>
    bell()
      .and(page.getByLabel(`Notifications, ${count} unread`))
      .waitFor()

  const titled = (title: string) =>
    eventually('the title', async () => ((await page.title()) === title ? true : undefined))

  before(async () => {
    ;({ page } = house)
    const account = { name: 'Anna', email: 'anna@example.com', roles: [{ role: 'analyst' }] }
    const { body } = await house.server.call('/accounts', { body: account })
    await page.context().clearCookies()
    await page.addInitScript(browserNotifications)
    await page.goto('about:blank')
    await page.goto(body.invitation_url as string)
    await page.getByLabel('Password').nth(0).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.getByRole('button', { name: 'Set password and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  })

  it('appear at once with a count in the header and in the title of the tab', async () => {
    await bell().waitFor()
    await titled('Alerts · Tocsin')
    await assign('Phishing <img src=x onerror=alert(1)>')
    await unread(1)
    await titled('(1) Alerts · Tocsin')
    await page.getByRole('status').getByText('1 unread notifications').waitFor({ state: 'attached' })
  })

  it('are listed as text, opened with the keyboard alone, and read by opening one', async () => {
    await bell().focus()
    await page.keyboard.press('Enter')
    await dialog().getByText('to you: “Phishing <img src=x onerror=alert(1)>”').waitFor()
    for (const [width, scheme] of [
      [375, 'light'],
      [768, 'dark'],
      [1440, 'light'],
      [375, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: scheme })
      expect(await seriousFaults(page)).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(true)
      await picture(page, `notifications-${width}-${scheme}`)
    }
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await eventually('the focus on the bell', async () => {
      const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")')
      return focused === 'Notifications, 1 unread' ? true : undefined
    })
    await picture(page, 'header-375')
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.keyboard.press('Enter')
    await dialog().getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Phishing/ }).waitFor()
    await bell()
      .and(page.getByLabel('Notifications', { exact: true }))
      .waitFor()
  })

  it('are marked as read together, in every page', async () => {
    await assign('First')
    await assign('Second')
    await unread(2)
    const other = await page.context().newPage()
    await other.goto(`${house.server.url}/alerts`)
    await other.getByLabel('Notifications, 2 unread').waitFor()
    await page.bringToFront()
    await bell().click()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await bell()
      .and(page.getByLabel('Notifications', { exact: true }))
      .waitFor()
    await other.bringToFront()
    await other.getByRole('button', { name: 'Notifications', exact: true }).waitFor()
    await other.close()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  it('disappear from the count when a question is answered by somebody else', async () => {
    await house.startRun('asking')
    await unread(1)
    const { body } = await house.server.call('/checkpoints')
    await house.server.call(`/checkpoints/${body.data[0].checkpoint_id}/answer`, { body: { answer: 'yes' } })
    await bell()
      .and(page.getByLabel('Notifications', { exact: true }))
      .waitFor()
  })

  it('are chosen by kind, and shown by the browser after a click that allows it, while the page is hidden', async () => {
    await bell().click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await page.evaluate('Notification.permission')).to.equal('default')
    await page.getByRole('button', { name: 'Allow browser notifications' }).click()
    await page.getByText('The browser shows notifications').waitFor()
    const kind = 'A question that I may answer is asked: in the page'
    await page.getByLabel(kind).click()
    await page.getByLabel(kind).and(page.locator(':not(:checked)')).waitFor()
    await page
      .getByLabel('A question that I may answer is asked: by the browser')
      .and(page.locator(':disabled'))
      .waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'notification-settings')
    await page.keyboard.press('Escape')
    await assign('Seen in the page')
    await unread(1)
    await page.evaluate(hide(true))
    const id = await assign('Shown by the browser')
    await eventually('the notification', async () =>
      (await page.evaluate('told.length')) === 1 ? true : undefined,
    )
    const [told] = (await page.evaluate('told')) as { body: string; isClosed: boolean }[]
    expect(told?.body).to.equal(`bootstrap assigned ${id} to you: “Shown by the browser”`)
    await page.evaluate(hide(false))
    await house.startRun('asking')
    await page.getByRole('button', { name: 'Notifications, 2 unread' }).click()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await eventually('its end', async () => (await page.evaluate('told[0].isClosed')) || undefined)
    expect(await page.evaluate('told.length')).to.equal(1)
  })

  it('lead to the object, or to the list of several', () => {
    const about = { organization_code: 'main', playbook: 'p q', case_id: null, run_uuid: null, count: 1 }
    const link = (changes: object) => linkOf({ ...about, subject_kind: 'run', subject_id: 'r1', ...changes })
    expect(link({})).to.equal('/runs/r1')
    expect(link({ count: 2 })).to.equal('/runs?status=failed&organization=main&playbook=p+q')
    expect(link({ subject_kind: 'case', subject_id: 'main-1' })).to.equal('/cases/main-1')
    expect(link({ subject_kind: 'checkpoint', run_uuid: 'r2' })).to.equal('/checkpoints?run=r2')
    expect(link({ subject_kind: 'checkpoint', run_uuid: 'r2', count: 2 })).to.equal(
      '/checkpoints?organization=main',
    )
    expect(link({ subject_kind: 'containment' })).to.equal('/containments?organization=main')
    expect(link({ subject_kind: 'containment', case_id: 'main-1' })).to.equal('/cases/main-1')
  })
})
