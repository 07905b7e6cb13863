import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { picture, seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { signIn } from './support/page-server.ts'
import { hasValue } from './support/has-value.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { alert: { type: question } }
steps:
  - id: sure
    checkpoint:
      via: operator
      with:
        message: |-
          Is this alert real?
          \${{ alert.content }}
        labels: { real: 'Yes, it is', noise: 'No, noise' }
      answers: [real, noise]
      timeout: 1h
      on_timeout: noise
`

describe('questions on the web page', function () {
  this.timeout(60_000)
  const house = openPage({ asking })
  const ask = (what: string) =>
    house.server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'question',
        alert_content: what,
      },
    })

  it('show their text, labels, context and timeout without markup', async () => {
    const { page } = house
    await house.visit('/checkpoints')
    await page.getByText('No questions are waiting for an answer').waitFor()
    const { body: alert } = await ask('<img src=x onerror=alert(1)> \u202Egnp.exe')
    const card = page.getByRole('article')
    await card.getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await card.innerText(), 'no character turns the text around').to.not.include('\u202E')
    await card.getByText('then continues as “No, noise”').waitFor()
    await card.getByText('in 59m').waitFor()
    await card.getByRole('link', { name: alert.alert_id.toUpperCase(), exact: true }).waitFor()
    await card.getByRole('link', { name: 'asking · step sure' }).waitFor()
    await card.getByRole('link', { name: /^Case / }).waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'question')
    await card.getByLabel('Remark').fill('seen it myself')
    await card.getByRole('button', { name: 'Yes, it is' }).click()
    await page.getByText('Answer recorded').waitFor()
    await card.getByText(', answered by bootstrap').waitFor()
    expect(await card.getByRole('button', { name: 'Yes, it is' }).isDisabled()).to.equal(true)
  })

  it('show who answered, when and how', async () => {
    const { page } = house
    await page.getByText('Answered', { exact: true }).click()
    const card = page.getByRole('article')
    await card.getByText('Yes, it is').waitFor()
    expect(await card.innerText()).to.match(/Yes, it is, answered by bootstrap .*: “seen it myself”/)
    expect(await card.getByRole('button').count(), 'nothing is to be answered any more').to.equal(0)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'question-answered')
  })

  it('are shown and answered at the waiting step on the page of a run', async () => {
    const { page, server } = house
    await ask('run page')
    const { body } = await eventually('the question', async () => {
      const found = await server.call('/checkpoints')
      return found.body.total === 1 ? found : undefined
    })
    await house.visit(`/runs/${body.data[0].run_uuid}`)
    const step = page.getByRole('region', { name: 'Step' })
    const card = step.getByRole('article')
    await card.getByText('Is this alert real?').waitFor()
    await card.getByText('in 59m').waitFor()
    await card.getByRole('link', { name: /^Case MAIN-\d+: \S/ }).waitFor()
    expect(await step.getByText('"answers"').count(), 'no JSON of the question').to.equal(0)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'question-of-step')
    await card.getByRole('button', { name: 'No, noise' }).click()
    await page.getByText('Answer recorded').waitFor()
    await card.getByText(', answered by bootstrap').waitFor()
    await step.getByText('Output').first().waitFor()
  })

  it('are answered together after the responder enters the number of targets', async () => {
    const { page } = house
    for (const what of ['one', 'two', 'three']) await ask(what)
    await house.visit('/checkpoints')
    const group = page.getByRole('group', { name: 'Similar questions' })
    await group.getByText('3 × sure of asking').waitFor()
    await page.getByLabel('Select for bulk answer').nth(0).check()
    await page.getByLabel('Select for bulk answer').nth(1).check()
    await group.getByRole('button', { name: 'Review selected and answer' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 questions in main, 2 different targets.').waitFor()
    const noise = dialog.getByRole('button', { name: 'No, noise · 2' })
    expect(await noise.isDisabled(), 'before the targets are counted').to.equal(true)
    await dialog.getByLabel('Number of different targets').fill('3')
    expect(await noise.isDisabled(), 'with another number').to.equal(true)
    await dialog.getByLabel('Number of different targets').fill('2')
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'questions-together')
    const keys: (string | undefined)[] = []
    const interrupted = { title: 'Interrupted', status: 409, code: 'request_interrupted' }
    const lost = [
      { status: 502, body: 'Bad Gateway' },
      { status: 409, json: interrupted, contentType: 'application/problem+json' },
    ]
    await page.route('**/checkpoints/answer', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      const answer = lost.shift()
      await (answer === undefined ? route.continue() : route.fulfill(answer))
    })
    await noise.click()
    await page.getByText('Recorded all 2 answers').waitFor()
    await page.unroute('**/checkpoints/answer')
    expect(keys).to.have.length(3)
    expect(keys[0], 'while no server answers').to.be.a('string').and.equal(keys[1])
    expect(keys[2], 'after the answer was lost').to.not.equal(keys[1])
    await page.getByRole('article').filter({ hasText: ', answered by' }).nth(1).waitFor()
    const left = page.getByRole('article').filter({ has: page.locator('button:enabled') })
    expect(await left.count()).to.equal(1)
    expect(await left.innerText()).to.include('three')
  })

  it('keep their places and typed text when one is answered elsewhere', async () => {
    const { page, server } = house
    for (const what of ['four', 'five']) await ask(what)
    await house.visit('/checkpoints')
    const [first, second] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
    await page.getByRole('article').nth(2).waitFor()
    await first.getByLabel('Remark').fill('half a wo')
    const aimed = second.getByRole('button', { name: 'No, noise' })
    const before = await aimed.boundingBox()
    const { body } = await server.call('/checkpoints?state=waiting&sort=created_at')
    const answer = { answer: 'noise', text: 'a long remark '.repeat(60) }
    await server.call(`/checkpoints/${body.data[0].checkpoint_id}/answer`, { body: answer })
    await first.getByText(', answered by bootstrap').waitFor()
    expect(await aimed.boundingBox()).to.deep.equal(before)
    await hasValue(first.getByLabel('Remark'), 'half a wo')
    expect(await first.getByRole('button', { name: 'No, noise' }).isDisabled()).to.equal(true)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'question-ended')
  })

  it('load further pages on request, and can be filtered by run', async () => {
    const { page, server } = house
    const before: number = (await server.call('/checkpoints?state=waiting')).body.total
    for (let n = before; n < 103; n++) await ask(`the many ${n}`)
    await eventually('all questions', async () => {
      const { body } = await server.call('/checkpoints?state=waiting')
      return body.total === 103 || undefined
    })
    await house.visit('/checkpoints')
    await page.getByText('3 more').waitFor()
    await page.getByRole('button', { name: 'Review all and answer' }).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('article').nth(102).waitFor()
    await page.getByRole('button', { name: 'Review the first 100 and answer' }).waitFor()
    expect(await page.getByRole('button', { name: 'Show more' }).count()).to.equal(0)
    const { body } = await server.call('/checkpoints?state=waiting&limit=1')
    await house.visit(`/checkpoints?run=${body.data[0].run_uuid}&state=ever`)
    await page.getByRole('article').waitFor()
    await page.getByText('Unknown state: ever').waitFor()
    expect(await page.getByRole('article').count()).to.equal(1)
    await page.getByRole('button', { name: 'Clear Run' }).click()
    await page.getByRole('article').nth(99).waitFor()
  })

  it('are readable without permission to answer, and name the permitted roles', async () => {
    const { page, server } = house
    await ask('for readers')
    const { body } = await server.call('/keys', { body: { name: 'watcher', role: 'reader' } })
    await page.context().clearCookies()
    await house.visit('/checkpoints')
    await signIn(page, body.key)
    const card = page.getByRole('article').first()
    await card.getByText('Answering here requires a key with the role analyst or admin').waitFor()
    expect(await card.getByRole('button').count()).to.equal(0)
    expect(await page.getByRole('group', { name: 'Similar questions' }).count()).to.equal(0)
    expect(await seriousFaults(page)).to.deep.equal([])
    await picture(page, 'question-read')
    await card.getByRole('link', { name: 'asking · step sure' }).click()
    await page.getByRole('link', { name: 'open question' }).click()
    await page.getByText('Answering here requires a key with the role analyst or admin').waitFor()
  })
})
