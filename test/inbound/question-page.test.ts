import { expect } from 'chai'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import type { Connection } from '../../core/domain/connection.ts'
import { findQuestionPage } from '../../core/inbound/question-page.ts'
import { storedConnection } from '../skill/fixture.ts'

const link = { checkpointId: 'c1', by: 'ana', value: 'mine' }
const connection: Connection = storedConnection('mailbox', { plugin: 'mail' })

const waiting = {
  id: 'c1',
  organizationUuid: 'org',
  question: {
    via: 'mail.ask',
    input: { message: 'Was this you?', labels: { mine: 'Yes' } },
    answers: ['mine', 'not_mine'],
    form: null,
  },
  connection: 'mailbox',
  reference: { asked: 'ana' },
  state: 'waiting',
  timeoutAt: 1_000,
  answer: null,
} as unknown as Checkpoint
const answered = (value: unknown, by: object) =>
  ({ ...waiting, state: 'answered', answer: { value, by, text: null, at: 5 } }) as Checkpoint

describe('the page of a question', () => {
  const page = (checkpoint: Checkpoint | undefined, now = 500) =>
    findQuestionPage({ find: async () => checkpoint }, connection, link, undefined, now)

  it('shows the question and the answer of the link while it is open', async () => {
    expect(await page(waiting)).to.deep.equal({
      state: 'open',
      message: 'Was this you?',
      answer: 'Yes',
      isOwn: false,
      timeoutAt: 1_000,
    })
  })

  for (const [what, checkpoint] of [
    ['no question', undefined],
    ['another connection', { ...waiting, connection: 'other' }],
    ['another plugin', { ...waiting, question: { ...waiting.question, via: 'chat.ask' } }],
    ['another person', { ...waiting, reference: { asked: 'kim' } }],
    ['a form', { ...waiting, question: { ...waiting.question, answers: null, form: {} } }],
    ['another question', { ...waiting, question: { ...waiting.question, answers: ['yes'] } }],
  ] as const)
    it(`shows nothing of ${what}`, async () => {
      expect(await page(checkpoint)).to.include({
        state: 'unknown',
        message: '',
        answer: '',
      })
    })

  it('shows the outcome of the question', async () => {
    expect(await page(waiting, 1_000)).to.include({ state: 'late' })
    expect(await page({ ...waiting, state: 'timed_out' }, 500)).to.include({ state: 'late' })
    expect(await page({ ...waiting, state: 'withdrawn' })).to.include({ state: 'withdrawn' })
    expect(await page({ ...waiting, reference: null })).to.include({ state: 'pending', message: '' })
  })

  it('names the answer that counts, and whether it is their own', async () => {
    const ana = { kind: 'person', id: 'ana', name: '' }
    expect(await page(answered('not_mine', ana))).to.include({
      state: 'answered',
      answer: 'not_mine',
      isOwn: true,
    })
    const key = { kind: 'api_key', id: 'ana', name: 'ana' }
    expect(await page(answered('mine', key))).to.include({ state: 'answered', answer: 'Yes', isOwn: false })
  })
})
