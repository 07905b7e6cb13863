import { expect } from 'chai'
import { publish } from './support/publish.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { signIn } from './support/page-server.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: question }, manual: true }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: Is this alert real? }
      answers: [yes, no]
      timeout: 1h
  - return: \${{ steps.sure.output.answer }}
`

const failing = `apiVersion: tocsin/v1
name: failing
on: { manual: true }
steps:
  - id: asked
    set: { n: 1 }
  - fail: The other system said no
`

describe('web page in a browser', function () {
  this.timeout(60_000)
  const house = openPage({ asking, failing }, { isSignedIn: false })
  const { visit, postAlert } = house

  it('refuses a wrong key and says why', async () => {
    const { page } = house
    await visit('/alerts')
    await signIn(page, 'toc_000000000000_wrong')
    await page.getByRole('alert').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
  })

  it('explains how to send the first alert, and shows new alerts', async () => {
    const { page, server } = house
    await signIn(page, server.adminKey)
    await page.getByText('No alerts yet').waitFor()
    const id = await postAlert('first')
    await page.getByRole('row', { name: id.toUpperCase() }).waitFor()
    const next = await postAlert('second')
    await page.getByRole('row', { name: next.toUpperCase() }).waitFor()
    await page.getByRole('row', { name: next.toUpperCase() }).getByText('Completed').waitFor()
    await picture(page, 'alerts')
  })

  it('never turns text into markup or code', async () => {
    const { page } = house
    await visit('/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const outcomes = (await page.evaluate(`(() => {
      const element = document.createElement('div')
      const attempts = [
        () => (element.innerHTML = '<img src=x onerror=alert(1)>'),
        () => element.insertAdjacentHTML('beforeend', '<b>bold</b>'),
        () => document.write('<p>written</p>'),
        () => document.createElement('script').setAttribute('src', 'https://evil.example/x.js'),
        () => new DOMParser().parseFromString('<p>parsed</p>', 'text/html'),
      ]
      const threw = attempts.map((attempt) => {
        try {
          attempt()
          return 'done'
        } catch (error) {
          return error.name
        }
      })
      element.innerHTML = 'a > b'
      return [...threw, element.textContent, element.childElementCount]
    })()`)) as readonly unknown[]
    expect(outcomes.slice(0, 5)).to.deep.equal(Array.from({ length: 5 }, () => 'TypeError'))
    expect(outcomes.slice(5)).to.deep.equal(['a > b', 0])
  })

  it('navigates by keyboard', async () => {
    const { page } = house
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('View, id, or words of an alert').fill('MAIN-CUSTOM-1')
    await page.getByRole('button', { name: 'Alert MAIN-CUSTOM-1' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'MAIN-CUSTOM-1' }).waitFor()
  })

  it('records an answer and shows the resumed run', async () => {
    const { page, server } = house
    const { body } = await server.call('/playbooks/asking/runs', { body: { organization_code: 'main' } })
    await visit(`/runs/${body.run_uuid}`)
    await page.getByText('Waiting for an answer').waitFor()
    await page.getByRole('link', { name: 'open question' }).click()
    await page.getByRole('heading', { name: 'Is this alert real?' }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'yes' }).click()
    await page.getByText('Answer recorded').waitFor()
    await visit(`/runs/${body.run_uuid}`)
    await page.locator('.graph-node[data-state=completed]').filter({ hasText: 'sure' }).click()
    await page.getByRole('region', { name: 'Output of sure' }).getByText('"yes"').waitFor()
    await picture(page, 'run')
  })

  it('marks problems while typing and saves a valid playbook', async () => {
    const { page, server } = house
    await visit('/playbooks/asking')
    const source = page.getByLabel('Playbook source')
    await source.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('  - uses: nowhere.nothing')
    await page.locator('.cm-lintRange-error', { hasText: 'nowhere.nothing' }).waitFor()
    await page.getByRole('region', { name: 'Problems' }).getByText("no plugin 'nowhere'").waitFor()
    expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).to.equal(true)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'playbook')
    await page.keyboard.press('Control+Shift+Home')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(asking.replace('Is this alert real?', 'Is it?'))
    await publish(page)
    await page.getByText('Published asking').waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.locator('.cm-mergeView .cm-changedLine', { hasText: 'Is it?' }).waitFor({ state: 'attached' })
    const { body } = await server.call('/playbooks/asking')
    expect(body.source).to.contain('Is it?')
  })

  it('shows the error of a run with its line, and previews a retry', async () => {
    const { page, server } = house
    const { body } = await server.call('/playbooks/failing/runs', { body: { organization_code: 'main' } })
    await visit(`/runs/${body.run_uuid}`)
    await page.getByText('The other system said no').first().waitFor()
    await page.getByRole('button', { name: 'Retry from failed step' }).click()
    await page.getByText('1 of 2 steps are carried over').waitFor()
    await page.getByText('No action will be repeated').waitFor()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByRole('link', { name: 'previous run' }).waitFor()
    await page
      .getByRole('link', { name: /line of the playbook|line 7/ })
      .first()
      .click()
    await page.locator('.cm-activeLine', { hasText: 'fail: The other system said no' }).waitFor()
  })

  it('saves decisions and notes of a case', async () => {
    const { page, server } = house
    await visit('/cases/main-1')
    await page.getByRole('combobox', { name: 'Verdict' }).click()
    await page.getByRole('option', { name: 'Malicious' }).click()
    await page.getByText('verdict is now malicious').waitFor()
    await page.getByLabel('Note').fill('<b>seen</b> on two machines')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.mantine-Timeline-root').getByText('<b>seen</b> on two machines').first().waitFor()
    const { body } = await server.call('/cases/main-1')
    expect(body.verdict).to.equal('malicious')
    expect(body.timeline.at(-1)).to.include({ kind: 'note', text: '<b>seen</b> on two machines' })
  })

  it('shows a new key once, and revokes it', async () => {
    const { page, server } = house
    await visit('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('mail gateway')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.getByRole('dialog').locator('pre').innerText()).trim()
    expect((await server.call('/organizations', { key })).status).to.equal(200)
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row', { name: 'mail gateway' })
    await row.getByRole('button', { name: 'Manage' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
    expect((await server.call('/organizations', { key })).status).to.equal(401)
  })

  it('does not offer to revoke the last administrator key', async () => {
    const { page } = house
    const row = page.getByRole('row', { name: 'bootstrap' }).filter({ hasText: 'admin' })
    await row.getByRole('button', { name: 'Manage' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This is the last active administrator key').waitFor()
    expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).to.equal(true)
    expect(await dialog.getByText('You will be signed out').count()).to.equal(0)
    await dialog.getByRole('button', { name: 'Back' }).click()
  })

  it('creates a connection with the settings of its plugin', async () => {
    const { page, server } = house
    await visit('/connections/new')
    await page.getByRole('link', { name: 'HTTP' }).click()
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Base URL').fill('https://tickets.example.com')
    await page.getByLabel('Header value').first().fill('Bearer canary')
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByRole('button', { name: 'Test connection' }).waitFor()
    const { body } = await server.call('/connections/http')
    expect(body).to.deep.include({ plugin: 'http', name: 'http' })
    expect(body.settings.base_url).to.equal('https://tickets.example.com')
    expect(await page.content()).not.to.contain('canary')
  })

  describe('hostile content', () => {
    const markup = `"><script>alert(1)</script><img src=x onerror=alert(2)><iframe srcdoc="<script>alert(3)</script>">`
    for (const [name, content, shown] of [
      ['markup', markup, markup],
      ['text that turns around', 'pay \u202Emoc.live', 'pay ‹U+202E›moc.live'],
      ['a megabyte', `start ${'x'.repeat(1_000_000)}`, 'start xxx'],
      ['deep JSON', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, '[[[['],
    ] as const) {
      it(`shows ${name} as text`, async () => {
        const { page, server } = house
        const id = await postAlert('hostile', content)
        await visit(`/alerts/${id}`)
        const region = page.getByRole('region', { name: 'Alert content' })
        await region.waitFor()
        expect(await region.innerText()).to.contain(shown)
        expect(await page.locator('iframe, img[src=x]').count()).to.equal(0)
        const { body } = await server.call(`/alerts/${id}`)
        if (body.case_id !== null) {
          await visit(`/cases/${body.case_id}`)
          await page.getByRole('heading', { name: 'Observables' }).waitFor()
        }
      })
    }
  })
})
