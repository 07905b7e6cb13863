import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { picture } from './support/browser.ts'
import { openSignedIn, type SignedIn } from './support/signed-in.ts'

const source = `apiVersion: tocsin/v1
name: begun
on: { manual: true }
steps:
  - id: first
    set: { number: 1 }
`

describe('completion in the page', function () {
  this.timeout(60_000)
  let opened: SignedIn
  let page: Page

  before(async function () {
    this.timeout(180_000)
    const found = await openSignedIn({ begun: source })
    if (found === undefined) return this.skip()
    opened = found
  })
  after(() => opened?.close())
  afterEach(() => expect(opened.alarms).to.deep.equal([]))

  const list = () => page.getByRole('listbox', { name: 'Completions' })
  const option = (name: RegExp) => list().getByRole('option', { name })

  let asking = 0
  const note = (change: number) => (request: Request) => {
    if (request.url().endsWith('/complete')) asking += change
  }
  /** In the page, after all earlier work of the page, regardless of its speed. */
  const pause = (ms: number) =>
    page.evaluate((time) => new Promise((resolve) => setTimeout(resolve, time)), ms)

  /**
   * The list ignores keys at first, because they may be meant for the text, and a response may replace it.
   */
  async function take(key: 'Enter' | 'Tab', name: RegExp): Promise<void> {
    await option(name).waitFor()
    await pause(150)
    await eventually('the last answer', () => asking === 0 || undefined)
    await pause(100)
    await option(name).waitFor()
    await page.keyboard.press(key)
  }

  async function openAtEnd(): Promise<void> {
    page = await opened.visit('/playbooks/begun')
    asking = 0
    page.on('request', note(1)).on('requestfinished', note(-1)).on('requestfailed', note(-1))
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+End')
  }

  it('completes keys, skills, inputs and step outputs by keyboard', async () => {
    await openAtEnd()
    await page.keyboard.type('  - us')
    await take('Enter', /^uses/)
    await option(/^case\.update/).waitFor()
    await page.keyboard.type('case.com')
    await option(/^case\.comment/).waitFor()
    await page.getByText('Inputs:').waitFor()
    await picture(page, 'completion')
    await take('Tab', /^case\.comment/)
    await page.keyboard.press('Enter')
    await page.keyboard.type('with: { te')
    await take('Enter', /^text/)
    await page.keyboard.type('"${{ string(steps.first.output.')
    await take('Enter', /^number/)
    await page.keyboard.type(') }}')
    const written = await page.getByLabel('Playbook source').innerText()
    expect(written.split('\n').slice(-2)).to.deep.equal([
      '  - uses: case.comment',
      '    with: { text: "${{ string(steps.first.output.number) }}"}',
    ])
    await page.getByText('No problems').waitFor()
  })

  it('shows help at the cursor with F1', async () => {
    await openAtEnd()
    for (const key of ['ArrowUp', 'End', 'Home']) await page.keyboard.press(key)
    await page.keyboard.press('F1')
    const told = page.locator('.cm-tooltip.documentation', { hasText: 'set' })
    await told.waitFor()
    await page.keyboard.press('Escape')
    await told.waitFor({ state: 'detached' })
  })

  it('cancels requests for outdated text', async () => {
    await openAtEnd()
    let asked = 0
    await page.route('**/playbooks/complete', async (route) => {
      asked++
      // The first request is never answered.
      if (asked > 1) await route.continue()
    })
    const cancelled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/complete'))
    const first = page.waitForRequest('**/playbooks/complete')
    await page.keyboard.type('  - us')
    await first
    await page.keyboard.type('es: case.u')
    await cancelled
    await option(/^case\.update/).waitFor()
  })

  it('is off in a read-only editor', async () => {
    const { body } = await opened.server.call('/keys', { body: { name: 'r', role: 'reader' } })
    await opened.signInAs(body.key)
    page = await opened.visit('/playbooks/begun')
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/complete')) asked++
    })
    await page.getByLabel('Playbook source').click()
    await page.keyboard.press('Control+Space')
    await page.keyboard.type('  - us')
    const told = page.waitForResponse('**/playbooks/hover')
    await page.keyboard.press('F1')
    await told
    expect(asked).to.equal(0)
  })
})
