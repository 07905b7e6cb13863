import { expect } from 'chai'
import { askedWithin } from './support/asked-within.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { manual: true }
steps:
  - id: sure
    checkpoint: { via: operator, with: { message: Sure? }, answers: [yes], timeout: 1h }
  - id: done
    set: { n: 1 }
`

describe('live page', function () {
  this.timeout(60_000)
  const opened = openPage({ asking }, { ownProcess: true })

  const mark = (state: string) => opened.page.locator(`.live-mark[data-state=${state}]`)

  it('shows that it is live and sends no requests without changes', async () => {
    const { page, visit, postAlert } = opened
    await postAlert('first')
    await page.clock.install()
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-1' }).waitFor()
    await page.getByRole('status').getByText('Live').waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await askedWithin(page, 2_500)
    // The page polls the engine's metrics, because no event announces a new measurement, and loads once what the first view does
    // not show.
    const asked = await askedWithin(page, 30_000)
    expect(asked.filter((path) => path !== '/api/engine' && !path.startsWith('/assets/'))).to.deep.equal([])
  })

  it('shows new alerts immediately', async () => {
    const { page, postAlert } = opened
    const id = (await postAlert('second')).toUpperCase()
    await page.getByRole('row', { name: id }).getByText('Completed').waitFor()
    await picture(page, 'live')
  })

  it('shows the progress of a run', async () => {
    const { page, server, visit, startRun } = opened
    const uuid = await startRun('asking')
    await visit(`/runs/${uuid}`)
    await page.getByText('Waiting for an answer').waitFor()
    await mark('live').waitFor()
    const { body } = await server.call('/checkpoints')
    await server.call(`/checkpoints/${body.data[0].checkpoint_id}/answer`, { body: { answer: 'yes' } })
    await page.locator('.graph-node[data-state=completed]').filter({ hasText: 'done' }).waitFor()
  })

  it('shows a lost stream, polls meanwhile, and recovers', async () => {
    const { page, visit, postAlert } = opened
    await page.clock.install()
    await page.route('**/api/events', (route) => route.abort())
    await visit('/alerts')
    await page.getByRole('row', { name: 'MAIN-CUSTOM-2' }).waitFor()
    await page.getByRole('status').getByText('Reconnecting').waitFor()
    const id = (await postAlert('third')).toUpperCase()
    await page.clock.runFor(5_000)
    await page.getByRole('row', { name: id }).waitFor()
    await picture(page, 'reconnecting')
    await page.unroute('**/api/events')
    await page.clock.runFor(5_000)
    await mark('live').waitFor()
  })

  it('reconnects after three missed heartbeats', async () => {
    const { page, visit } = opened
    await page.clock.install()
    await visit('/alerts')
    await mark('live').waitFor()
    const another = page.waitForRequest('**/api/events')
    await page.clock.fastForward(50_000)
    await another
    await mark('live').waitFor()
  })

  it('closes its stream with the page', async () => {
    const { page, server, visit } = opened
    await visit('/alerts')
    await mark('live').waitFor()
    await page.goto('about:blank')
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })
})
