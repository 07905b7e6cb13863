import { expect } from 'chai'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const mails = `apiVersion: tocsin/v1
name: mails
on:
  alert:
    type: mail
steps: [{ return: 1 }]
`

describe('preview of correlation in the page', function () {
  this.timeout(60_000)
  const house = openPage({ mails })

  it('applies a rule that is not published yet to past alerts', async () => {
    const { page } = house
    for (const from of ['a@evil.example', 'A@evil.example', '<b>x</b>'])
      await house.postAlert('mail', JSON.stringify({ from, at: from.length + from.charCodeAt(0) }))
    await house.visit('/playbooks/mails')
    const editor = page.getByLabel('Playbook source')
    await editor.click()
    await page.keyboard.press('Control+Home')
    for (let line = 0; line < 4; line++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('correlate: { by: { sender: alert.data.from } }')
    await page.getByRole('heading', { name: 'Correlation' }).waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page
      .getByText('3 alerts, a rule applies to 3. Cases: 3 now, 2 with these rules; 1 would join')
      .waitFor()
    await page
      .getByText('1 × sender (A@evil.example) is the same as in an alert at most 1d earlier')
      .waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'correlation-preview')
  })
})
