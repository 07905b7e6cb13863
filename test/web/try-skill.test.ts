import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { signIn } from './support/page-server.ts'

/** Skills that return markup and secrets, and one with unknown outcome. */
const plugin = `
const fields = { type: 'object', additionalProperties: false, properties: {} }
const skill = (name, more) => ({
  name, title: 'Bell ' + name, description: 'For tests.', input: fields, output: { type: 'object' },
  examples: [{ title: 'One', input: {}, output: {} }], ...more,
})
export default {
  name: 'bell', title: 'Bell', description: 'Rings.',
  skills: [
    skill('tell', {
      effect: 'read',
      input: { type: 'object', required: ['word'], properties: { word: { type: 'string', maxLength: 9 } } },
      output: { type: 'object', properties: { said: { type: 'string' }, pin: { type: 'string', 'x-sensitive': true } } },
      examples: [{ title: 'One', input: { word: 'ding' }, output: { said: 'ding', pin: 'x' } }],
      run: async ({ word }) => ({ said: '<img src=x onerror=alert(1)>' + word, pin: 'canary-1234' }),
    }),
    skill('ring', {
      effect: 'write', repeat: 'never', destructive: 'execution', run: async () => ({ rung: true }),
    }),
    skill('cut', {
      effect: 'write', repeat: 'never',
      run: async () => { throw new Error('cut off') },
    }),
  ],
}
`

describe('trying a skill in the page', function () {
  this.timeout(60_000)
  const house = openPage({}, { plugin })
  const open = (skill: string) => house.visit(`/catalogue/skills/bell.${skill}`)
  const click = (name: string) => house.page.getByRole('button', { name, exact: true }).click()

  it('calls a skill that reads, and shows its output as text without sensitive values', async () => {
    const { page } = house
    await open('tell')
    await page.getByLabel('word').fill('too long a word')
    await click('Try it')
    await page.getByText('Check the highlighted field').waitFor()
    await click('Fill in example')
    await click('Try it')
    const output = page.getByRole('region', { name: 'Output of the skill' })
    await output.getByText('<img src=x onerror=alert(1)>ding').waitFor()
    expect(await output.textContent())
      .to.contain('[redacted]')
      .and.not.contain('canary')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'try-read')
  })

  it('shows the error of a skill over a connection, with what to do', async () => {
    const { page, server } = house
    const settings = { base_url: 'https://10.1.2.3' }
    const body = { organization_code: 'main', name: 'inside', plugin: 'http', settings }
    expect((await server.call('/connections', { body })).status).to.equal(201)
    await house.visit('/catalogue/skills/http.get')
    await page.getByLabel('path').fill('/')
    await page.getByRole('combobox', { name: 'Connection' }).click()
    await page.getByRole('option', { name: 'inside' }).click()
    await click('Try it')
    await page.getByText('request to 10.1.2.3 refused').waitFor()
    await page.getByText('What to do').waitFor()
    await picture(page, 'try-error')
  })

  it('makes a change only after a confirmation', async () => {
    const { page, server } = house
    await open('ring')
    await click('Try it …')
    await page.getByText('the hourly limit for “execution”').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'try-write')
    await click('Back')
    expect((await server.call('/runs?playbook=try-bell-ring')).body.total).to.equal(0)
    await click('Try it …')
    await click('Make the change')
    await page.getByRole('region', { name: 'Output of the skill' }).getByText('rung').waitFor()
    const { body } = await server.call('/audit?action=skill.called')
    expect(body.data[0].details).to.include({ skill: 'bell.ring' })
  })

  it('waits for an approval beyond the hourly limit', async () => {
    const { page, server } = house
    const path = '/organizations/main/destructive-limits'
    expect(
      (await server.call(path, { method: 'PUT', body: { execution: 1 }, headers: { 'if-match': '*' } }))
        .status,
    ).to.equal(200)
    await open('ring')
    await click('Try it …')
    await click('Make the change')
    await page.getByText('Nothing has been changed yet').waitFor()
    await page.getByRole('link', { name: 'open question' }).waitFor()
  })

  it('says that the outcome of a change is unknown', async () => {
    const { page } = house
    await open('cut')
    await click('Try it …')
    await click('Make the change')
    await page.getByText('The change may have taken effect').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'try-unknown')
  })

  it('is not offered to those who may not', async () => {
    const { page, server } = house
    const body = { name: 'r', role: 'analyst' }
    const { key } = (await server.call('/keys', { body })).body
    await page.context().clearCookies()
    await open('ring')
    await signIn(page, key)
    await page.getByText('Only administrators can try skills that write').waitFor()
    expect(await page.getByRole('button', { name: 'Try it' }).count()).to.equal(0)
    await open('tell')
    await page.getByRole('button', { name: 'Try it' }).waitFor()
  })
})
