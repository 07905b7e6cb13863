import { expect } from 'chai'
import type { MailSandbox } from '../../plugins/mail/sandbox.ts'
import { linksIn } from '../end-to-end/support/mailed-links.ts'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { openBrowser, picture, seriousFaults, type BrowserPage } from './support/browser.ts'

const playbook = `apiVersion: tocsin/v1
name: ask
on: { manual: true }
steps:
  - id: confirm
    checkpoint:
      via: mail.ask
      with: { to: ana@example.com, message: 'Sign-in from <b>Lisbon</b> at 08:12. Was this you?', labels: { mine: 'Yes, me' } }
      answers: [mine, not_mine]
      timeout: 1h
  - return: \${{ steps.confirm.output }}
`

describe('the page of a question that was mailed, in a browser', function () {
  this.timeout(180_000)
  let tocsin: TestTocsin
  let browser: BrowserPage | undefined

  before(async function () {
    browser = await openBrowser()
    if (browser === undefined) return this.skip()
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'mail',
      playbooks: { ask: playbook },
      env: { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' },
    })
    expect((await tocsin.connect('mailbox')).status).to.equal(201)
  })
  after(async () => {
    await browser?.close()
    await tocsin?.close()
  })

  it('is styled, accessible and answered by its button, without a sign-in', async () => {
    const body = { organization_code: 'main', inputs: {} }
    const { run_uuid: run } = (await tocsin.call('/playbooks/ask/runs', { body })).body
    const mail = await eventually(
      'the question',
      () => (tocsin.sandbox as MailSandbox).controls.deliveries[0],
    )
    const url = linksIn(mail.source.toString())['Yes, me'] ?? ''
    const { page, alarms } = browser!
    const open = () => page.goto(url)
    await eventually('the page of the question', async () =>
      (await open())?.status() === 200 ? true : undefined,
    )
    expect(await page.locator('h1').textContent()).to.equal('Confirm your answer')
    expect(await page.locator('blockquote').textContent()).to.include('<b>Lisbon</b>')
    const width = (await page.locator('main').boundingBox())?.width
    expect(width, 'of 40rem and 1rem at each side: the style sheet counts').to.be.at.most(672)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'mailed-question')
    await page.getByLabel('Comment').fill('From my phone')
    await page.getByRole('button', { name: 'Send answer' }).click()
    await page.getByRole('heading', { name: 'Answer recorded' }).waitFor()
    const ended = await eventually('the end of the run', async () => {
      const { body: now } = await tocsin.call(`/runs/${run}`)
      return now.status === 'completed' ? now : undefined
    })
    expect(ended.output).to.include({ answer: 'mine', by: 'ana@example.com', text: 'From my phone' })
    await open()
    await page.getByRole('heading', { name: 'Already answered' }).waitFor()
    expect(await page.context().cookies()).to.deep.equal([])
    expect(alarms).to.deep.equal([])
  })
})
