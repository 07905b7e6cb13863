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

interface View {
  readonly scrollWidth: number
  readonly clientWidth: number
  readonly scrollLeft: number
}

describe('the picture of a playbook in a browser', function () {
  this.timeout(60_000)
  const opened = openPage({ wide })
  /** As it is once it has been drawn. */
  const view = async () =>
    (await opened.page.evaluate(
      `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const { scrollWidth, clientWidth, scrollLeft } = document.querySelector('.graph-viewport')
        resolve({ scrollWidth, clientWidth, scrollLeft })
      })))`,
    )) as View

  it('is zoomed by keys and buttons, and dragged with the mouse', async () => {
    const { page } = opened
    await opened.visit('/playbooks/wide')
    const region = page.getByRole('region', { name: 'Steps of the playbook' })
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

    for (let times = 0; times < 12; times++) await page.getByRole('button', { name: 'Larger' }).click()
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
