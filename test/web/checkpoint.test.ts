import { expect } from 'chai'
import {
  answerPlace,
  answererText,
  askedOf,
  besides,
  consequenceText,
  questionOf,
  shownAnswer,
  silenceText,
  styleOf,
  whoAnswers,
  type Checkpoint,
} from '../../server/web/checkpoints/checkpoint.ts'
import { kindsOf, kindText, outcomesText } from '../../server/web/checkpoints/answer/kinds.ts'

describe('who answered', () => {
  it('is the person who was asked only where a person answered, and not a key of that name', () => {
    const by = { by: 'U1', by_name: 'ana@x.example' }
    expect(answererText({ ...by, actor: { kind: 'person', id: 'U1', name: 'ana@x.example' } })).to.equal(
      'ana@x.example (U1)',
    )
    const key = { kind: 'api_key', id: 'k1', name: 'U1' }
    expect(answererText({ by: 'U1', by_name: null, actor: key })).to.equal('U1 (API key k1)')
  })
})

describe('an answer with consequences', () => {
  const actions = [{ skill: 'edr.isolate', title: 'Isolate Machine' }]
  const consequences = [
    { answer: 'no', actions },
    { answer: 'yes', actions: [] },
  ]

  it('says which destructive actions may follow, and nothing where none does or none is known', () => {
    expect(consequenceText({ consequences }, 'no')).to.equal('May lead to: Isolate Machine (edr.isolate)')
    expect(consequenceText({ consequences }, 'yes')).to.equal(undefined)
    expect(consequenceText({ consequences: null }, 'no')).to.equal(undefined)
    expect(consequenceText({ consequences: [{ answer: null, actions }] }, null)).to.include('edr.isolate')
  })

  it('has the style that the playbook gives it, if there is such a one', () => {
    const input = { message: 'x', styles: { no: 'danger', yes: 'primary', maybe: 'loud' } }
    expect(['no', 'yes', 'maybe', 'other'].map((answer) => styleOf({ input }, answer))).to.deep.equal([
      'danger',
      'primary',
      undefined,
      undefined,
    ])
    for (const odd of [null, 'x', { styles: 'danger' }, { styles: null }])
      expect(styleOf({ input: odd }, 'no')).to.equal(undefined)
  })
})

const checkpoint = (changes: Partial<Checkpoint> = {}): Checkpoint => ({
  checkpoint_id: 'c1',
  run_uuid: 'r1',
  organization_code: 'main',
  playbook: 'p',
  alert_id: null,
  case_id: null,
  path: 'contain/confirm',
  step_id: 'confirm',
  kind: 'p:confirm',
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
  consequences: null,
  state: 'waiting',
  created_at: 1,
  timeout_at: 2,
  on_timeout: null,
  answer: null,
  ...changes,
})

describe('questions of one kind', () => {
  const of = (id: string, kind: string, organization_code = 'main') =>
    checkpoint({ checkpoint_id: id, kind, organization_code })

  it('are those of one organization, where there is more than one, without forms', () => {
    const all = [of('a', 'p:x'), of('b', 'p:y'), of('c', 'p:y'), of('d', 'p:y'), of('e', 'p:x', 'other')]
    const form = checkpoint({ checkpoint_id: 'f', kind: 'p:x', form: { properties: {} } })
    expect(kindsOf([...all, form])).to.deep.equal([
      { kind: 'p:y', organization_code: 'main', ids: ['b', 'c', 'd'] },
    ])
    expect(kindsOf([...all, of('g', 'p:x')]).map(({ ids }) => ids.length)).to.deep.equal([3, 2])
  })

  it('are called after the skill to be approved, or after the step that asks', () => {
    expect(kindText('approval:edr.isolate')).to.equal('Approvals of edr.isolate')
    expect(kindText('approval:sure')).to.equal('sure of approval')
    expect(kindText('p:contain/confirm')).to.equal('contain/confirm of p')
  })

  it('say what became of their answers', () => {
    expect(outcomesText(['accepted', 'accepted'])).to.match(/^Recorded all 2 answers/)
    expect(outcomesText(['accepted', 'second', 'late'])).to.match(/^Recorded 1 answers\. 2 came too late/)
  })
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
      'then continues as “Yes, me”',
    )
    const timedOut = checkpoint({ state: 'timed_out', on_timeout: { fails: false, answer: 'yes' } })
    expect(silenceText(timedOut)).to.equal('then continued as “Yes, me”')
  })
})

describe('whoAnswers', () => {
  it('names the roles, whom it was sent to, and the answers', () => {
    const roles = 'Answering here requires a key with the role analyst or admin.'
    expect(whoAnswers(checkpoint())).to.equal(
      `${roles} Sent to ana@x.example via chat, who can answer there. Answers: “Yes, me”, “no”.`,
    )
    expect(whoAnswers(checkpoint({ input: {}, answers: null }))).to.equal(roles)
  })
})

describe('what is typed for a question', () => {
  it('is for that one alone, whatever others of its run ask', () => {
    const of = (id: string) => answerPlace(checkpoint({ checkpoint_id: id }))
    expect(of('c1')).to.equal(of('c1')).and.to.not.equal(of('c2'))
  })
})
