import { expect } from 'chai'
import {
  askedOf,
  besides,
  questionOf,
  shownAnswer,
  silenceText,
  type Checkpoint,
} from '../../server/web/checkpoints/checkpoint.ts'

const checkpoint = (changes: Partial<Checkpoint> = {}): Checkpoint => ({
  checkpoint_id: 'c1',
  run_uuid: 'r1',
  organization_code: 'main',
  playbook: 'p',
  alert_id: null,
  case_id: null,
  path: 'contain/confirm',
  step_id: 'confirm',
  via: 'messaging.checkpoint',
  connection: 'chat',
  input: { message: 'You?', user: 'ana@x.example', labels: { yes: 'Yes, me' } },
  asked: null,
  asked_name: null,
  answers: [
    { value: 'yes', label: 'Yes, me' },
    { value: 'no', label: 'no' },
  ],
  form: null,
  state: 'waiting',
  created_at: 1,
  timeout_at: 2,
  on_timeout: null,
  answer: null,
  ...changes,
})

describe('what a card says of a question', () => {
  it('is its message, or the step where the input has none', () => {
    expect(questionOf(checkpoint())).to.equal('You?')
    for (const input of [null, 'text', { message: 7 }, ['x']])
      expect(questionOf(checkpoint({ input }))).to.equal('Step confirm')
    expect(questionOf(checkpoint({ input: null, step_id: null }))).to.equal('Step contain/confirm')
  })

  it('is who was asked: by name, by id, or as the playbook calls them until they are found', () => {
    expect(askedOf(checkpoint({ asked: 'U1', asked_name: 'ana' }))).to.equal('ana')
    expect(askedOf(checkpoint({ asked: 'U1' }))).to.equal('U1')
    expect(askedOf(checkpoint())).to.equal('ana@x.example')
    expect(askedOf(checkpoint({ input: {} }))).to.equal(undefined)
  })

  it('is what else it is about, such as the use of a skill that is to be approved', () => {
    expect(besides(checkpoint())).to.deep.equal([])
    const input = { message: 'One more?', skill: 'edr.isolate', input: { machine: 'WS-7' }, other: null }
    expect(besides(checkpoint({ input }))).to.deep.equal([
      ['skill', 'edr.isolate'],
      ['input', { machine: 'WS-7' }],
    ])
  })

  it('shows an answer by its label, and what was filled in as it is written', () => {
    const { answers } = checkpoint()
    expect(shownAnswer('yes', answers)).to.equal('Yes, me')
    expect(shownAnswer('no', answers)).to.equal('no')
    expect(shownAnswer({ count: 3 }, null)).to.equal('{"count":3}')
  })

  it('is what becomes of it when nobody answers', () => {
    expect(silenceText(checkpoint())).to.equal(undefined)
    expect(silenceText(checkpoint({ on_timeout: { fails: true, answer: null } }))).to.equal(
      'then the step fails',
    )
    expect(silenceText(checkpoint({ on_timeout: { fails: false, answer: 'yes' } }))).to.equal(
      'then it goes on with “Yes, me”',
    )
  })
})
