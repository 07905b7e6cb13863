import { expect } from 'chai'
import { openPage } from './support/open-page.ts'

const wide = `apiVersion: tocsin/v1
name: wide
on: { manual: true }
steps:
  - id: all
    parallel:
${Array.from({ length: 12 }, (_, n) => `      - { id: branch_number_${n}, set: { value: ${n} } }`).join('\n')}
  - { id: done, set: { value: 1 } }
`

const tall = `apiVersion: tocsin/v1
name: tall
on: { manual: true }
steps:
${Array.from({ length: 20 }, (_, n) => `  - { id: step_${n}, set: { value: ${n} } }`).join('\n')}
`

interface View {
  readonly scrollWidth: number
  readonly clientWidth: number
  readonly scrollLeft: number
}

describe('the graph of a playbook in a browser', function () {
  this.timeout(60_000)
  const opened = openPage({ wide, tall })
  /** After it was drawn. */
  const view = async () =>
    (await opened.page.evaluate(
      `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const { scrollWidth, clientWidth, scrollLeft } = document.querySelector('.graph-viewport')
        resolve({ scrollWidth, clientWidth, scrollLeft })
      })))`,
    )) as View

  it('starts at the top for a completed run and scrolls to the selection', async () => {
    const { page, server, visit } = opened
    const { body } = await server.call('/playbooks/tall/runs', {
      body: { organization_code: 'main' },
      headers: { prefer: 'wait=10' },
    })
    await visit(`/runs/${body.run_uuid}`)
    await page.locator('.graph-node[aria-pressed=true]', { hasText: 'step_0' }).waitFor()
    await view()
    expect(await page.evaluate(`document.querySelector('.graph-viewport').scrollTop`)).to.equal(0)
    await visit(`/runs/${body.run_uuid}?step=step_19`)
    await page.locator('.graph-node[aria-pressed=true]', { hasText: 'step_19' }).waitFor()
    await view()
    expect(await page.evaluate(`document.querySelector('.graph-viewport').scrollTop`)).to.be.above(0)
  })

  it('zooms by keys and buttons, and scrolls by dragging', async () => {
    const { page } = opened
    await opened.visit('/playbooks/wide')
    const region = page.getByRole('region', { name: 'Playbook steps' })
    await region.getByRole('button', { name: 'done' }).waitFor()
    const first = await view()
    expect(first.scrollWidth, 'wider than there is room').to.be.greaterThan(first.clientWidth)
    const start = (await page.locator('.graph-node[data-shape=start]').boundingBox())!
    const { x: left, width } = (await region.boundingBox())!
    expect(start.x + start.width / 2, 'the start in the middle').to.be.closeTo(left + width / 2, 60)

    await region.focus()
    await page.keyboard.press('0')
    await page.getByText(/^[1-4]\d %$/).waitFor()
    const whole = await view()
    expect(whole.scrollWidth).to.equal(whole.clientWidth)

    for (let times = 0; times < 12; times++) await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.getByText('160 %').waitFor()
    const large = await view()
    expect(large.scrollWidth).to.be.greaterThan(first.scrollWidth)

    const box = (await region.boundingBox())!
    await page.mouse.move(box.x + 20, box.y + box.height - 40)
    await page.mouse.down()
    await page.mouse.move(box.x + 120, box.y + box.height - 40)
    await page.mouse.up()
    expect((await view()).scrollLeft).to.equal(large.scrollLeft - 100)
  })
})
