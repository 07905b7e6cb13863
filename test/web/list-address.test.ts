import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { loseAnswer } from './support/lose-answer.ts'
import { openPage } from './support/open-page.ts'
import { hasValue } from './support/has-value.ts'

describe('filters and order of a list in a browser', function () {
  this.timeout(60_000)
  const opened = openPage()

  before(async () => {
    for (const type of ['sign_in', 'malware', 'malware']) await opened.postAlert(type)
  })

  const ids = async () => {
    const rows = opened.page.locator('.data-table-row[data-index]')
    return (await rows.locator('[data-main]').allInnerTexts()).map((text) => text.replaceAll('\n', ''))
  }
  const [first, second, third] = ['MAIN-CUSTOM-1', 'MAIN-CUSTOM-2', 'MAIN-CUSTOM-3'] as const

  it('are in the URL and survive a reload', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    await page.getByLabel('Alert name').fill('malware')
    await page.getByText('2', { exact: true }).waitFor()
    expect(await ids()).to.deep.equal([third, second])
    await page.getByRole('button', { name: 'CREATION TIME' }).click()
    await page.waitForURL(/sort=created_at/)
    await page
      .getByRole('columnheader', { name: 'CREATION TIME' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor()
    await page.locator('[data-index="0"]', { hasText: second }).waitFor()
    expect(await ids()).to.deep.equal([second, third])
    expect(new URL(page.url()).search).to.equal('?type=malware&sort=created_at')
    await page.reload()
    await page.locator('[data-index="0"]', { hasText: second }).waitFor()
    expect(await ids()).to.deep.equal([second, third])
    await hasValue(page.getByLabel('Alert name'), 'malware')
  })

  it('accept words that are typed with pauses', async () => {
    const { page, visit } = opened
    await visit('/alerts')
    const search = page.getByLabel('Search')
    await search.pressSequentially('foo ')
    await page.waitForURL(/q=foo$/)
    await search.pressSequentially('bar')
    await page.waitForURL(/q=foo(\+|%20)bar$/)
    await hasValue(search, 'foo bar')
  })

  it('report no matches and can be cleared', async () => {
    const { page, visit } = opened
    await visit('/alerts?q=nowhere')
    await page.getByText('No matching alerts').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('row', { name: first }).waitFor()
    expect(new URL(page.url()).search).to.equal('')
  })

  it('are all shown, can be cleared, and are undone by Back', async () => {
    const { page, visit } = opened
    await visit('/alerts?created_before=1')
    await page.getByText('No matching alerts').waitFor()
    await page.getByRole('button', { name: 'before 1970-01-01 00:00:00 UTC' }).waitFor()
    await page.getByRole('button', { name: 'Clear time' }).click()
    await page.getByRole('row', { name: first }).waitFor()
    await page.goBack()
    await page.getByText('No matching alerts').waitFor()
    await page.getByRole('button', { name: 'before 1970-01-01 00:00:00 UTC' }).click()
    await page.getByLabel('From (UTC)').fill('2020-01-01T00:00:00')
    await page.getByLabel('Before (UTC)').fill('')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'times')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('row', { name: first }).waitFor()
    expect(new URL(page.url()).search).to.equal('?created_after=1577836800000')
  })

  it('show invalid values at the field and above the list, without retries, and can be cleared', async () => {
    const { page, visit } = opened
    await visit('/alerts?status=abc&since=ever')
    const refusal = page.getByRole('alert').filter({ hasText: 'status: invalid value “abc”' })
    await refusal.waitFor()
    expect(await refusal.getByRole('button').allInnerTexts()).to.deep.equal(['Show all'])
    await page.getByText('Not a valid choice').waitFor()
    await hasValue(page.getByRole('combobox', { name: 'Status' }), '“abc”')
    await page.getByRole('button', { name: '“ever” (invalid time span)' }).waitFor()
    await refusal.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('row', { name: first }).waitFor()
    await visit('/runs?playbook=nowhere')
    await page.getByText('No matching runs').waitFor()
    await page.getByRole('button', { name: 'Clear Playbook' }).click()
    await page.getByRole('row', { name: first }).first().waitFor()
  })

  it('follow the clock of the server for time spans', async () => {
    const ahead = await opened.page.context().newPage()
    await ahead.addInitScript(
      'const now = Date.now; globalThis.hoursAhead = 5; Date.now = () => now() + hoursAhead * 3_600_000',
    )
    await ahead.goto(`${opened.server.url}/alerts?since=1h`)
    await ahead.getByRole('row', { name: first }).waitFor()
    // Offline, so that no answer of the server corrects the clock of the page.
    await ahead.context().setOffline(true)
    await ahead.evaluate('globalThis.hoursAhead = 7')
    await ahead.getByText('No matching alerts').waitFor()
    await ahead.context().setOffline(false)
    await ahead.close()
  })

  it('allow selecting alerts to investigate again', async () => {
    const { page, visit, server } = opened
    await visit('/alerts?type=malware')
    await page.getByRole('row', { name: third }).waitFor()
    await page.getByLabel('Select all loaded rows').check()
    const button = page.getByRole('button', { name: 'Investigate 2 again' })
    await button.waitFor()
    await page.getByLabel('Search').fill('nothing fits this')
    await page.getByText('No matching alerts').waitFor()
    expect(await button.count(), 'of what is not listed').to.equal(0)
    await page.getByLabel('Search').fill('')
    await page.getByRole('row', { name: third }).waitFor()
    expect(await button.count(), 'once other rows were listed').to.equal(0)
    await page.getByLabel('Select all loaded rows').check()
    await button.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('All actions will be repeated').waitFor()
    const named = dialog.getByRole('list', { name: 'Alerts', exact: true }).getByRole('listitem')
    await dialog.getByText(`${third}: actions of the last investigation`).waitFor()
    expect(await named.allInnerTexts()).to.deep.equal([`${third} malware`, `${second} malware`])
    await loseAnswer(page, '**/investigate')
    await dialog.getByRole('button', { name: 'Investigate 2 alerts' }).click()
    await page.getByText('Investigating 2 of 2 again').waitFor()
    const { body } = await server.call('/alerts')
    const counts = body.data.map(
      (alert: { investigation_retry_count: number }) => alert.investigation_retry_count,
    )
    expect(counts).to.deep.equal([1, 1, 0])
  })

  it('are saved under a name, in this browser', async () => {
    const { page, visit } = opened
    await visit('/alerts?type=malware&sort=created_at')
    await page.getByRole('row', { name: second }).waitFor()
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByLabel('Name for these filters').fill('oldest <b>malware</b>')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await visit('/alerts')
    await page.getByRole('row', { name: first }).waitFor()
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('link', { name: 'oldest <b>malware</b>' }).click()
    await page.locator('[data-index="0"]', { hasText: second }).waitFor()
    expect(new URL(page.url()).search).to.equal('?type=malware&sort=created_at')
  })

  it('are saved together with those of another tab', async () => {
    const { page, visit } = opened
    await visit('/alerts?type=malware')
    const other = await page.context().newPage()
    await other.goto(page.url())
    const save = async (tab: typeof page, name: string) => {
      await tab.getByRole('button', { name: 'Saved' }).click()
      await tab.getByLabel('Name for these filters').fill(name)
      await tab.getByRole('button', { name: 'Save', exact: true }).click()
      await tab.getByLabel('Name for these filters').waitFor({ state: 'detached' })
    }
    await save(page, 'of this tab')
    await save(other, 'of the other tab')
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('link', { name: 'of the other tab' }).waitFor()
    await page.getByRole('link', { name: 'of this tab' }).waitFor()
    await other.close()
  })
})
