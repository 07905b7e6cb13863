import { expect } from 'chai'
import {
  answerLink,
  readAnswerLink,
  readLinkedAnswer,
  Secret,
  showLinkedQuestion,
  valueAt,
} from 'tocsin/plugin'
import { loopbackEgress, runSkill, webhookRequest } from 'tocsin/plugin/testing'
import { questionContent } from './question-mail.ts'
import sandbox, { type MailSandbox } from './sandbox.ts'
import { askByMail } from './skills/ask-by-mail.ts'

const link_secret = new Secret('link-secret-0123456789abcdef-0123')
const address = 'https://tocsin.example/api/webhooks/mail/v1/answer?token=t'
const question = { checkpointId: 'c1', by: 'ana@example.com', value: 'mine' }

async function caught(work: Promise<unknown>): Promise<object> {
  return work.then(
    (output) => ({ output }),
    (error: unknown) => error as object,
  )
}

describe('questions by mail', () => {
  const input = {
    to: 'Ana@example.com',
    message: 'Was this you?',
    labels: { mine: 'Yes' },
    checkpoint_id: 'c1',
    answers: ['mine', 'not_mine'],
  }

  describe('the link of an answer', () => {
    const queryOf = (link: string) => Object.fromEntries(new URL(link).searchParams)

    it('contains its signed values, and is refused if one differs', () => {
      const query = queryOf(answerLink(address, question, link_secret))
      expect(readAnswerLink(query, link_secret)).to.deep.equal(question)
      for (const [name, value] of [
        ['q', 'c2'],
        ['p', 'kim@example.com'],
        ['a', 'not_mine'],
        ['s', 'f'.repeat(64)],
      ] as const)
        expect(() => readAnswerLink({ ...query, [name]: value }, link_secret), name).to.throw(
          /signature .* is invalid/,
        )
      const { s: _, ...unsigned } = query
      expect(() => readAnswerLink(unsigned, link_secret)).to.throw(/no signature/)
      expect(() => readAnswerLink(query, new Secret('another-secret-0123456789abcdef-01'))).to.throw(
        /invalid/,
      )
      expect(() => readAnswerLink(query, undefined)).to.throw(/no secret/)
    })

    it('keeps its parts apart', () => {
      const one = queryOf(answerLink(address, { checkpointId: 'a', by: 'b","c', value: 'd' }, link_secret))
      const moved = { ...one, q: 'a","b', p: 'c' }
      expect(() => readAnswerLink(moved, link_secret)).to.throw(/invalid/)
    })

    it('survives any answer in an address', () => {
      for (const value of ['ja & nein', 'ü=?#', '"\'<>', 'a\nb', '%00', '+'])
        expect(
          readAnswerLink(queryOf(answerLink(address, { ...question, value }, link_secret)), link_secret)
            .value,
        ).to.equal(value)
    })
  })

  describe('the webhook of links', () => {
    const { searchParams } = new URL(answerLink(address, question, link_secret))
    const query = Object.fromEntries(searchParams)
    const post = (text: string) => readLinkedAnswer(webhookRequest(text, { query }), { link_secret })

    it('answers only when the button was pressed', () => {
      expect(showLinkedQuestion(webhookRequest('', { method: 'GET', query }), { link_secret })).to.deep.equal(
        {
          question,
        },
      )
      for (const text of ['', 'comment=x', 'answer=', 'answer=yes', '{"answer":"confirmed"}'])
        expect(post(text), text).to.deep.equal({ reply: { question } })
      expect(post('answer=confirmed')).to.deep.equal({ reply: { question }, answers: [question] })
    })

    it('takes a comment, cut and without line ends of forms', () => {
      const [answer] = post(`answer=confirmed&comment=a%0D%0Ab${'x'.repeat(3_000)}`).answers ?? []
      expect(answer?.text)
        .to.match(/^a\nbx+$/)
        .and.have.length(2_000)
    })
  })

  it('marks the lines of a question, and escapes everything in HTML', () => {
    const hostile = 'Hi\nYes:\nhttps://evil.example/\r\n</blockquote><script>x</script>\x1b[31m'
    const labels = JSON.parse('{"mine":"<b>\\"Yes\\"\\r\\n","__proto__":"no"}') as Record<string, string>
    const links = { address, secret: link_secret }
    const { text, html, subject } = questionContent(
      { ...input, message: hostile, labels, subject: 'a\r\nBcc: x' },
      links,
    )
    expect(subject).to.equal('a Bcc: x')
    const own = text.split('\n').filter((line) => !line.startsWith('> '))
    expect(
      own
        .filter((line) => line.startsWith('http'))
        .every((line) => line.startsWith('https://tocsin.example/')),
    ).to.equal(true)
    expect(own.join('\n')).to.include('not_mine:\nhttps://tocsin.example/')
    expect(html)
      .to.include('&lt;script&gt;')
      .and.include('&lt;b&gt;&quot;Yes&quot;')
      .and.not.match(/<script|<b>|\p{Cc}(?<!\n)/u)
    expect(html.match(/href="[^"]*"/g)).to.have.length(2)
  })

  describe('with a server', () => {
    let running: MailSandbox
    beforeEach(async () => (running = await sandbox.start()))
    afterEach(() => running.close())
    const options = (more: object = {}) => ({
      settings: { ...running.settings, ...more },
      egress: loopbackEgress,
    })

    it('has the same mail for the same question, and its reminder belongs to it', async () => {
      const { output } = await runSkill(askByMail, input, options())
      expect(output).to.include({ asked: 'ana@example.com', asked_name: 'Ana@example.com' })
      const again = await runSkill(askByMail, input, { ...options(), run: { id: 'after a crash' } })
      expect(again.output).to.deep.equal(output)
      await runSkill(askByMail, input, { ...options(), purpose: 'remind', asked: { output } })
      const reminder = running.controls.deliveries[2]?.source.toString() ?? ''
      expect(reminder).to.match(/^Subject: Reminder: A question for you\r$/m)
      expect(reminder)
        .to.include(`In-Reply-To: ${output.message_id}`)
        .and.not.include(`Message-ID: ${output.message_id}`)
    })

    it('never shows the token of the webhook that a server repeats', async () => {
      running.controls.intercept(({ protocol, command, peer }) => {
        if (protocol !== 'smtp' || command !== 'MESSAGE') return false
        peer.write('554 spam with events-token-of-this-test\r\n')
        return true
      })
      const error = await caught(runSkill(askByMail, input, options()))
      expect(error).to.include({ code: 'smtp_refused' })
      expect(valueAt(error, 'message')).to.include('spam').and.not.include('events-token')
    })

    it('says what is missing', async () => {
      const { link_secret: _, ...without } = running.settings
      const error = await caught(runSkill(askByMail, input, { ...options(), settings: without }))
      expect(error).to.include({ code: 'connection_incomplete' })
      expect(valueAt(error, 'hint')).to.match(/openssl rand/)
      expect(running.controls.deliveries).to.have.length(0)
    })

    it('fails if the person cannot get mail', async () => {
      const error = await caught(runSkill(askByMail, { ...input, to: 'nobody@refused.example' }, options()))
      expect(error).to.include({ code: 'recipients_refused' })
    })
  })
})
