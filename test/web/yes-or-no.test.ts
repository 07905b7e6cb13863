import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { manual: true }
steps:
  - id: told
    checkpoint:
      via: operator
      with: { message: Is it so? }
      form:
        type: object
        required: [sure]
        properties:
          sure: { type: boolean }
          keep: { type: boolean, default: true }
      timeout: 1h
  - return: \${{ steps.told.output.answer }}
`

describe('a form with a yes-or-no field', function () {
  this.timeout(60_000)
  const house = openPage({ asking })

  it('shows an error at the field', async () => {
    const { page } = house
    await house.startRun('asking')
    await house.visit('/checkpoints')
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByText('Check the highlighted field').waitFor()
    const sure = page.getByRole('combobox', { name: 'sure' })
    expect(await sure.getAttribute('aria-invalid')).to.equal('true')
    expect(await page.locator('[aria-invalid=true]:focus').count(), 'it is gone to').to.equal(1)
    await sure.click()
    await page.getByRole('option', { name: 'Yes' }).click()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByText('Answer recorded').waitFor()
  })

  it('sends the choice, or the default', async () => {
    const { page, server } = house
    const uuid = await house.startRun('asking')
    await house.visit('/checkpoints')
    await page.getByRole('combobox', { name: 'sure' }).click()
    await page.getByRole('option', { name: 'No' }).click()
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    const output = await eventually(
      'the end of the run',
      async () => (await server.call(`/runs/${uuid}`)).body.output ?? undefined,
    )
    expect(output).to.deep.equal({ sure: false, keep: true })
  })
})
