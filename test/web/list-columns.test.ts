import { expect } from 'chai'
import { picture, seriousFaults, settled } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const seen = `apiVersion: tocsin/v1
name: seen
on: { alert: { type: seen }, manual: true }
steps: [{ set: { n: 1 } }]
`
/** All lists with their first column, and a column that is hidden by the test. */
const lists = [
  { path: '/alerts', first: 'ID', other: 'STATUS' },
  { path: '/cases', first: 'ID', other: 'VERDICT' },
  { path: '/runs', first: 'PLAYBOOK', other: 'STATUS' },
  { path: '/observables', first: 'VALUE', other: 'KIND' },
  { path: '/containments', first: 'ACTION', other: 'TARGET' },
  { path: '/playbooks', first: 'NAME', other: 'ORIGIN' },
  { path: '/connections', first: 'NAME', other: 'SYSTEM' },
  { path: '/people', first: 'NAME', other: 'ROLES' },
  { path: '/keys', first: 'NAME', other: 'OWNER' },
  { path: '/audit', first: 'NUMBER', other: 'SKILL' },
] as const

describe('columns of lists', function () {
  this.timeout(60_000)
  const house = openPage({ seen }, {})

  before(() => house.postAlert('seen', '{"ip":"203.0.113.9"}'))

  const titles = () => house.page.getByRole('columnheader').allInnerTexts()

  for (const { path, first, other } of lists)
    it(`can be chosen, and are kept: ${path}`, async () => {
      const { page } = house
      await house.go(path)
      await page.getByRole('columnheader', { name: other, exact: true }).waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: other, exact: true }).click()
      await page.getByRole('columnheader', { name: other, exact: true }).waitFor({ state: 'detached' })
      await settled(page)
      expect(await seriousFaults(page)).to.deep.equal([])
      await page.keyboard.press('Escape')
      await page.reload()
      await page.getByRole('columnheader', { name: first, exact: true }).waitFor()
      expect(await page.getByRole('columnheader', { name: other, exact: true }).count()).to.equal(0)
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('button', { name: 'Default columns' }).click()
      await page.getByRole('columnheader', { name: other, exact: true }).waitFor()
      await page.keyboard.press('Escape')
    })

  it('are ordered by keyboard alone; the first column and the buttons stay', async () => {
    const { page } = house
    await house.visit('/keys')
    await page.getByRole('columnheader', { name: 'ROLE' }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Move EXPIRES up' }).focus()
    const last = (await titles()).indexOf('EXPIRES')
    for (let moves = 0; moves < 12; moves++) await page.keyboard.press('Enter')
    expect((await titles()).indexOf('EXPIRES'))
      .to.equal(1)
      .and.to.be.below(last)
    expect((await titles()).at(-1)).to.equal('')
    await picture(page, 'columns')
    await page.getByRole('button', { name: 'Move EXPIRES down' }).focus()
    await page.keyboard.press('Enter')
    expect((await titles()).indexOf('EXPIRES')).to.equal(2)
    await page.getByRole('button', { name: 'Default columns' }).click()
  })

  it('sort the whole list, and the sort order is in the address', async () => {
    const { page, server } = house
    for (const name of ['zulu', 'alpha'])
      await server.call('/keys', { body: { name, role: 'reader', organization_codes: ['main'] } })
    await house.visit('/keys')
    await page.getByRole('button', { name: 'NAME' }).click()
    await page.waitForURL(/sort=-name/)
    await page.locator('[data-index="0"]', { hasText: 'zulu' }).waitFor()
    await page.getByRole('button', { name: 'NAME' }).click()
    await page.waitForURL(/sort=name/)
    await page.locator('[data-index="0"]', { hasText: 'alpha' }).waitFor()
  })
})

describe('the audit log in the page', function () {
  this.timeout(60_000)
  const house = openPage({ seen })

  it('shows the skill, filters by action, skill and time, and shares its filters', async () => {
    const { page, server } = house
    await server.call('/skills/indicators.extract/try', {
      body: { organization_code: 'main', input: { text: 'a' } },
    })
    await house.visit('/audit')
    await page.getByRole('columnheader', { name: 'SKILL' }).waitFor()
    await page.getByRole('combobox', { name: 'Action' }).fill('key.')
    await page.getByRole('option', { name: 'key.created' }).click()
    await page.getByRole('row', { name: /organization\.created/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /key\.created/ }).waitFor()
    await page.getByRole('button', { name: 'When' }).click()
    await page.getByLabel(/^Before/).fill('2001-01-01T00:00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('No matching entries').waitFor()
    await page.getByRole('button', { name: 'Clear time' }).click()
    await page.getByRole('row', { name: /key\.created/ }).waitFor()
    await page.getByLabel('Skill').fill('nothing.such')
    await page.getByText('No matching entries').waitFor()
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByLabel('Name for these filters').fill('Nothing')
    await page.getByRole('button', { name: 'Share with main' }).click()
    await page.getByRole('link', { name: 'Nothing · main' }).waitFor()
    await settled(page)
    expect(await seriousFaults(page)).to.deep.equal([])
    const { data } = (await server.call('/shared-filters?view=audit')).body
    expect(new URLSearchParams(data[0].search).get('skill')).to.equal('nothing.such')
  })
})
