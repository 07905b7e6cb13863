import { expect } from 'chai'
import type { MailSandbox } from '../../plugins/mail/sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { readBlocks } from '../support/guide-page.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

describe('the recipe that polls a mailbox, against a mailbox', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin

  before(async () => {
    const recipe = readBlocks('docs/how-to/poll-a-mailbox.md').find(
      ({ file }) => file === 'reported-phish.yaml',
    )
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'mail',
      playbooks: { 'reported-phish': recipe?.text ?? '' },
      env: { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' },
    })
    expect((await tocsin.connect('mailbox')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  const mailbox = (path: string) =>
    (tocsin.sandbox as MailSandbox).controls.mailboxes.find(path)?.messages ?? []
  const poll = async () => {
    const body = { organization_code: 'main', inputs: {} }
    const started = await tocsin.call('/playbooks/reported-phish/runs', { body })
    return await eventually('the end of the run', async () => {
      const run = (await tocsin.call(`/runs/${started.body.run_uuid}`)).body
      return ['queued', 'running', 'waiting'].includes(run.status) ? undefined : run
    })
  }

  it('opens a case with the message for each report, and empties the inbox', async () => {
    const run = await poll()
    expect(run).to.deep.include({ status: 'completed', output: { found: 2, handled: 2 } })
    expect(mailbox('INBOX')).to.have.length(0)
    expect(mailbox('Handled')).to.have.length(2)
    const { data } = (await tocsin.call('/cases')).body
    const reported = data.find(({ title }: any) => title === 'Reported mail from ana.silva@example.com')
    expect(reported.summary)
      .to.include('Your parcel is waiting')
      .and.include('hxxps://parcel-tracking[.]example/pay?id=7&u=ana')
    const found = (await tocsin.call(`/cases/${reported.case_id ?? reported.id}`)).body
    expect(JSON.stringify(found)).to.include('message-2.eml')
  })

  it('copes with a mail that is as long as an attacker likes', async () => {
    const { mailboxes } = (tocsin.sandbox as MailSandbox).controls
    const links = Array.from({ length: 3_000 }, (_, at) => `https://evil.example/${'x'.repeat(500)}/${at}`)
    const from = `${'a'.repeat(60)}@${'b'.repeat(240)}.example`
    const source = `From: ${from}\r\nSubject: ${'s'.repeat(5_000)}\r\n\r\n${links.join('\r\n')}`
    mailboxes.add('INBOX', source, new Date())
    expect((await poll()).output).to.deep.equal({ found: 1, handled: 1 })
  })

  it('does nothing when there is no report', async () => {
    expect((await poll()).output).to.deep.equal({ found: 0, handled: 0 })
  })
})
