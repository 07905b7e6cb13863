import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const wide = `apiVersion: tocsin/v1
name: wide
on: { manual: true }
steps:
  - id: all
    parallel:
${Array.from({ length: 12 }, (_, n) => `      - { id: branch_number_${n}, set: { value: ${n} } }`).join('\n')}
  - { id: done, uses: indicators.extract, with: { text: nothing } }
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

  it('is not said to have errors before the playbook was checked', async () => {
    const { page } = opened
    let check = () => {}
    await page.route('**/playbooks/validate', async (route) => {
      await new Promise<void>((resolve) => (check = resolve))
      await route.continue()
    })
    await opened.visit('/playbooks/tall')
    await page.getByLabel('Playbook source').getByText('step_3').waitFor()
    const claim = page.getByText('Fix the errors to see the graph')
    expect(await claim.count()).to.equal(0)
    check()
    await page.locator('.graph-viewport').waitFor()
    await page.unroute('**/playbooks/validate')
    expect(await claim.count()).to.equal(0)
  })

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
  it('zooms with two fingers', async () => {
    const { page } = opened
    await opened.visit('/playbooks/tall')
    await page.locator('.graph-node', { hasText: 'step_0' }).waitFor()
    await page.getByText('100 %').waitFor()
    const { x, y } = (await page.getByRole('region', { name: 'Playbook steps' }).boundingBox())!
    const fingers = (apart: number) => [
      { x: x + 200 - apart / 2, y: y + 100 },
      { x: x + 200 + apart / 2, y: y + 100 },
    ]
    const session = await page.context().newCDPSession(page)
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(200) })
    for (const apart of [180, 140, 100])
      await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) })
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await session.detach()
    await page.getByText('50 %').waitFor()
    const scale = await page.evaluate('visualViewport.scale')
    expect(scale, 'the page itself').to.equal(1)
  })

  it('shows titles only while it is small', async () => {
    const { page } = opened
    await opened.visit('/playbooks/wide')
    const note = page.locator('.graph-note', { hasText: 'indicators.extract' })
    const branch = page.locator('.graph-node', { hasText: 'branch_number_3' })
    await branch.waitFor()
    expect([await note.count(), await note.isVisible()]).to.deep.equal([1, false])
    const size = await page.evaluate(`(() => {
      const title = document.querySelector('.graph-node .graph-title')
      return (parseFloat(getComputedStyle(title).fontSize) * title.getBoundingClientRect().width) / title.offsetWidth
    })()`)
    expect(size, 'pixels on the screen').to.be.at.least(8)
  })

  it('is enlarged to the window by keyboard, and a click on a step returns to the page', async () => {
    const { page } = opened
    await opened.visit('/playbooks/wide')
    const enlarge = page.getByRole('button', { name: 'Enlarge' })
    await enlarge.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Playbook steps' })
    const region = dialog.getByRole('region', { name: 'Playbook steps, enlarged' })
    await region.waitFor()
    expect((await region.boundingBox())!.width).to.be.above(1_200)
    expect(await seriousFaults(page)).to.deep.equal([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).to.equal('Enlarge')
    await enlarge.click()
    await region.getByRole('button', { name: 'done' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.cm-activeLine', { hasText: 'id: done' }).waitFor()
  })
})

const folder = join(import.meta.dirname, '../../playbooks')
const files = (await readdir(folder)).filter((name) => /^[^.]+\.yaml$/.test(name))
const shipped = Object.fromEntries(
  await Promise.all(
    files.map(async (name) => [name.slice(0, -5), await readFile(join(folder, name), 'utf8')] as const),
  ),
)

/** What of a graph is visible at first. */
interface Opening {
  /** Titles of nodes that the controls cover. */
  readonly covered: readonly string[]
  readonly isWhole: boolean
  readonly zoom: string
}

const opening = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const view = document.querySelector('.graph-viewport')
  const [seen, controls] = [view, document.querySelector('.graph-controls')].map((each) => each.getBoundingClientRect())
  const isCovered = (node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect()
    const [from, to] = [Math.max(top, seen.top), Math.min(bottom, seen.bottom)]
    return from < to && from < controls.bottom && to > controls.top && left < controls.right && right > controls.left
  }
  resolve({
    covered: [...document.querySelectorAll('.graph-node')].filter(isCovered).map((node) => node.textContent),
    isWhole: view.scrollWidth <= view.clientWidth,
    zoom: document.querySelector('.graph-zoom-text').textContent,
  })
})))`

describe('the graphs of the shipped playbooks', function () {
  this.timeout(180_000)
  const opened = openPage(shipped)

  for (const width of [375, 768, 1_440])
    it(`open with their whole width unless titles would be illegible, and no control covers a node: ${width} px`, async () => {
      const { page } = opened
      await page.setViewportSize({ width, height: 900 })
      await opened.visit('/playbooks')
      const odd: object[] = []
      for (const name of Object.keys(shipped)) {
        await opened.go(`/playbooks/${name}`)
        await page.locator('.graph-node[data-shape=start]', { hasText: name }).waitFor()
        const { covered, isWhole, zoom } = (await page.evaluate(opening)) as Opening
        if (covered.length > 0 || (!isWhole && zoom !== '50 %')) odd.push({ name, covered, isWhole, zoom })
      }
      expect(odd).to.deep.equal([])
    })
})
