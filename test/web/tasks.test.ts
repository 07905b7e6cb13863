import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

describe('tasks on the page', function () {
  this.timeout(60_000)
  const house = openPage({})
  let path: string

  before(async () => {
    const id = await house.postAlert('strange_sign_in')
    const { body } = await house.server.call(`/alerts/${id}`)
    path = `/cases/${body.case_id}`
    for (const task of [
      { title: 'Call Kim <b>now</b>', owner: 'me', due_at: 1 },
      { title: 'Write the report', owner: 'me' },
      { title: 'Of somebody else', owner: 'Bert' },
    ])
      await house.server.call(`${path}/tasks`, { method: 'POST', body: task })
  })

  it('show what the signed-in person has to do, due soonest first, and are finished with the keyboard', async () => {
    const { page, server } = house
    await house.visit('/tasks')
    await page.getByText('Write the report').waitFor()
    expect(await page.getByText('Of somebody else').count()).to.equal(0)
    const links = page.getByRole('link', { name: /Call Kim|Write the report/ })
    expect(await links.allTextContents()).to.deep.equal(['Call Kim <b>now</b>', 'Write the report'])
    await page.getByText('Overdue').first().waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'tasks')
    await page.getByRole('checkbox', { name: 'Done: Write the report' }).focus()
    await page.keyboard.press('Space')
    await page.getByText('Write the report').waitFor({ state: 'detached' })
    const { tasks } = (await server.call(path)).body
    expect(tasks.map(({ done_at: at }: { done_at: unknown }) => at !== null)).to.deep.equal([
      false,
      true,
      false,
    ])
    await links.first().click()
    await page.getByRole('heading', { level: 1 }).getByText('Strange sign in').waitFor()
  })

  it('of others are a choice of the filter', async () => {
    const { page } = house
    await house.visit('/tasks?owner=all&state=all')
    await page.getByText('Of somebody else').waitFor()
    expect(await page.getByRole('checkbox').count()).to.equal(3)
  })

  it('get an owner from all people of the organization, in place of the present one', async () => {
    const { page, server } = house
    for (const name of ['Anna Able', 'Ben Baker']) {
      const email = `${name.slice(0, 3)}@example.com`
      const { body } = await server.call('/accounts', { body: { email, name, roles: [{ role: 'analyst' }] } })
      const token = body.invitation_url.split('#')[1]
      await server.call('/invitation/accept', { body: { token, password: 'correct horse battery staple' } })
    }
    await house.visit(path)
    await page.getByRole('button', { name: 'Add task' }).click()
    await page.getByLabel('Task', { exact: true }).fill('Ask Kim')
    await page.getByRole('combobox', { name: 'Owner' }).click()
    await page.getByRole('option', { name: 'Anna Able' }).waitFor()
    await page.keyboard.type('ben')
    await page.getByRole('option', { name: 'Anna Able' }).waitFor({ state: 'hidden' })
    await page.getByRole('option', { name: 'Ben Baker' }).click()
    await page.getByRole('button', { name: 'Add task' }).click()
    await page.getByText('Ask Kim', { exact: false }).first().waitFor()
    const { tasks } = (await server.call(path)).body
    expect(tasks.at(-1)).to.include({ title: 'Ask Kim', owner: 'Ben Baker' })
    expect(tasks.at(-1).owner_id).to.be.a('string')
  })
})
