import { expect } from 'chai'
import { openPage } from './support/open-page.ts'

const items = Array.from({ length: 300 }, (_, index) => index).join(', ')
const each = `apiVersion: tocsin/v1
name: each
on: { manual: true }
steps:
  - id: list
    set: { items: [${items}] }
  - id: hosts
    foreach: \${{ steps.list.output.items }}
    as: host
    max_items: 300
    steps:
      - { id: look, set: { n: "\${{ host }}" } }
      - { id: note, set: { text: "\${{ 'host ' + string(steps.look.output.n) }}" } }
  - id: sure
    checkpoint:
      via: operator
      with: { message: Isolate them? }
      answers: [yes, no]
      timeout: 1h
`

const limited = `apiVersion: tocsin/v1
name: limited
on: { manual: true }
rate: 2/h
steps:
  - id: noted
    rate: 1/h
    uses: case.comment
    with: { text: Looked at. }
`

describe('a long run in a browser', function () {
  this.timeout(60_000)
  const opened = openPage({ each, limited })

  it('renders only visible steps and reaches every step', async () => {
    const { page, visit } = opened
    const uuid = await opened.startRun('each')
    await visit(`/runs/${uuid}`)
    await page.getByText('Waiting for an answer').waitFor()
    const timeline = page.getByRole('group', { name: 'Timeline' })
    await timeline.getByText('903 steps').waitFor()
    await timeline.locator('.waterfall-row', { hasText: 'sure' }).waitFor()
    expect(await page.locator('.waterfall-row').count()).to.be.below(80)
    await page.evaluate(`document.querySelector('.waterfall').scrollTo(0, 0)`)
    await timeline.locator('.waterfall-row', { hasText: 'list' }).click()
    await page.waitForURL(/step=list/)
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(/step=hosts/)
    await visit(`/runs/${uuid}?step=hosts%5B299%5D%2Fnote`)
    await page.getByRole('region', { name: 'Output of hosts[299]/note' }).getByText('host 299').waitFor()
    await timeline.locator('.waterfall-row[aria-pressed=true]', { hasText: 'hosts[299]/note' }).waitFor()
    await page.getByRole('combobox', { name: 'Steps of this node (300)' }).waitFor()
  })

  it('says which rate limit it waits for, and until when', async () => {
    const { page, visit } = opened
    const runs = [
      await opened.startRun('limited'),
      await opened.startRun('limited'),
      await opened.startRun('limited'),
    ]
    await visit(`/runs/${runs[1]}`)
    const step = page.getByRole('alert').filter({ hasText: 'Waiting for the rate limit of noted' })
    await step.getByText('may start').waitFor()
    await step.getByRole('button', { name: 'noted' }).click()
    await page.waitForURL(/step=noted%2F%40rate/)
    await visit(`/runs/${runs[2]}`)
    await page.getByText('Waiting for the rate limit of the playbook').waitFor()
  })
})
