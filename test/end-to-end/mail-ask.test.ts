import { expect } from 'chai'
import type { MailSandbox } from '../../plugins/mail/sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { linksIn } from './support/mailed-links.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const playbook = `apiVersion: tocsin/v1
name: ask
on: { manual: true }
inputs:
  to: { type: string, default: Ana.Silva@example.com }
  message: { type: string, default: 'Was this you?' }
  within: { type: duration, default: 1h }
steps:
  - id: confirm
    checkpoint:
      via: mail.ask
      with:
        to: \${{ inputs.to }}
        message: \${{ inputs.message }}
        labels: { mine: 'Yes, me', not_mine: 'No <b>not</b> me' }
      answers: [mine, not_mine]
      timeout: \${{ inputs.within }}
      on_timeout: no_reply
  - return: \${{ steps.confirm.output }}
`
const ana = 'ana.silva@example.com'
const browser = { accept: 'text/html,application/xhtml+xml' }

describe('a question by mail, end to end', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin

  beforeEach(async () => {
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'mail',
      playbooks: { ask: playbook },
      env: { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' },
    })
    expect((await tocsin.connect('mailbox')).status).to.equal(201)
  })
  afterEach(() => tocsin?.close())

  const deliveries = () => (tocsin.sandbox as MailSandbox).controls.deliveries

  async function ask(inputs: object = {}) {
    const before = deliveries().length
    const started = await tocsin.call('/playbooks/ask/runs', { body: { organization_code: 'main', inputs } })
    const run = started.body.run_uuid as string
    const mail = await eventually('the question', () => deliveries()[before])
    await eventually('the checkpoint that knows its mail', async () => {
      const { data } = (await tocsin.call('/checkpoints')).body
      return data.find((row: any) => row.run_uuid === run && row.reference !== null)
    })
    const links = linksIn(mail.source.toString())
    return { run, mail, yes: links['Yes, me'] ?? '', no: links['No <b>not</b> me'] ?? '' }
  }
  const ended = (uuid: string) =>
    eventually('the end of the run', async () => {
      const run = (await tocsin.call(`/runs/${uuid}`)).body
      return ['queued', 'running', 'waiting'].includes(run.status) ? undefined : run
    })
  const isWaiting = async (uuid: string) => (await tocsin.call(`/runs/${uuid}`)).body.status === 'waiting'
  const open = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, { headers: browser, ...init })
    const page = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      page,
      title: /<h1>(.*?)<\/h1>/.exec(page)?.[1],
    }
  }
  const press = (url: string, comment = '') =>
    open(url, { method: 'POST', body: new URLSearchParams({ answer: 'confirmed', comment }) })

  it('is answered on the page of a link, once, also after a restart', async () => {
    const { run, mail, yes, no } = await ask()
    expect(mail.to).to.deep.equal(['Ana.Silva@example.com'])
    const shown = await open(yes)
    expect(shown).to.include({ status: 200, title: 'Confirm your answer' })
    expect(shown.page).to.include('Was this you?').and.include('Yes, me')
    await tocsin.restart()
    const port = new URL(tocsin.server.url).port
    const moved = (url: string) => Object.assign(new URL(url), { port }).href
    const answered = await press(moved(yes), 'From my phone.')
    expect(answered).to.include({ status: 200, title: 'Answer recorded' })
    expect(await ended(run)).to.deep.include({ status: 'completed' })
    expect((await ended(run)).output).to.include({
      answer: 'mine',
      by: ana,
      by_kind: 'person',
      text: 'From my phone.',
    })
    for (const url of [yes, no]) {
      expect((await open(moved(url))).page)
        .to.include('Already answered')
        .and.include('You answered: <strong>Yes, me')
      expect(await press(moved(url))).to.include({ status: 200, title: 'Already answered' })
    }
    expect((await tocsin.call(`/runs/${run}`)).body.output.answer).to.equal('mine')
  })

  it('is not answered by programs that open links, however often', async () => {
    const { run, yes, no } = await ask()
    for (let count = 0; count < 5; count++)
      for (const url of [yes, no]) {
        await open(url)
        await open(url, { method: 'HEAD' })
        // A form without the button.
        expect(
          (await open(url, { method: 'POST', body: new URLSearchParams({ comment: 'x' }) })).title,
        ).to.equal('Confirm your answer')
      }
    expect(await isWaiting(run)).to.equal(true)
    await press(no)
    expect((await ended(run)).output.answer).to.equal('not_mine')
  })

  it('counts one answer of many that arrive at the same time', async () => {
    const { run, yes, no } = await ask()
    const pages = await Promise.all([yes, no, yes, no, yes].map((url) => press(url)))
    expect(pages.filter(({ title }) => title === 'Answer recorded')).to.have.length(1)
    expect(pages.filter(({ title }) => title === 'Already answered')).to.have.length(4)
    expect((await ended(run)).status).to.equal('completed')
  })

  it('refuses changed links without a reason', async () => {
    const { run, yes } = await ask()
    const other = await ask({ to: 'kim@example.com' })
    const changed = (change: (query: URLSearchParams) => void) => {
      const url = new URL(yes)
      change(url.searchParams)
      return url.href
    }
    const foreign = new URL(other.yes).searchParams
    for (const url of [
      changed((query) => query.set('a', 'not_mine')),
      changed((query) => query.set('p', 'kim@example.com')),
      changed((query) => query.set('q', foreign.get('q') ?? '')),
      changed((query) => query.set('s', foreign.get('s') ?? '')),
      changed((query) => query.set('s', '0'.repeat(64))),
      changed((query) => query.delete('s')),
      changed((query) => query.set('token', 'x'.repeat(43))),
      changed((query) => query.delete('token')),
    ]) {
      expect(await open(url), url).to.include({ status: 404, title: 'Link not valid' })
      expect(await press(url), url).to.include({ status: 404, title: 'Link not valid' })
    }
    const program = await fetch(
      changed((query) => query.delete('s')),
      { method: 'POST' },
    )
    expect(program.status).to.equal(401)
    expect(await isWaiting(run)).to.equal(true)
  })

  it('says when it is too late', async () => {
    const { run, yes } = await ask({ within: '2s' })
    expect((await ended(run)).output).to.include({ answer: 'no_reply' })
    expect(await open(yes)).to.include({ status: 200, title: 'Too late' })
    expect(await press(yes)).to.include({ status: 200, title: 'Too late' })
    const cancelled = await ask()
    await tocsin.call(`/runs/${cancelled.run}/cancel`, { method: 'POST', body: {} })
    await ended(cancelled.run)
    expect(await press(cancelled.yes)).to.include({ title: 'No longer needed' })
  })

  it('shows hostile text as text, on a page that can do nothing', async () => {
    const message =
      '</blockquote><script>alert(1)</script><img src=https://evil.example/x> "\'&\nYes, me:\nhttps://evil.example/'
    const { mail, yes, no } = await ask({ message })
    const { page, headers } = await open(no)
    expect(page).to.not.include('<script').and.not.include('<img').and.not.include('<b>')
    expect(page).to.include('&lt;script&gt;').and.include('No &lt;b&gt;not')
    expect(yes, 'the link after a label').to.include('/webhooks/mail/v1/answer?')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(Object.fromEntries(headers)).to.include({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(headers.get('set-cookie')).to.equal(null)
    const [, html = ''] = mail.source.toString().split('text/html')
    expect(html)
      .to.include('&lt;script')
      .and.not.match(/<script|<img/)
  })
})
