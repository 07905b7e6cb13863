import { expect } from 'chai'
import {
  answerPlace,
  answererText,
  recipientOf,
  otherInputs,
  consequenceText,
  groupText,
  questionOf,
  shownAnswer,
  timeoutText,
  styleOf,
  howToAnswer,
} from '../../server/web/checkpoints/checkpoint.ts'
import type { ApiCheckpoint } from '../../server/web/api/types.ts'
import { kindsOf, kindText, outcomesText } from '../../server/web/checkpoints/question-list.ts'

describe('a question to several people', () => {
  const group = { path: 'all', people: 3, quorum: 2, veto: ['no'] }
  it('says how many must agree and who has answered', () => {
    expect(groupText({ group: null })).to.equal(undefined)
    expect(groupText({ group: { ...group, veto: [], answered: [] } })).to.equal(
      '3 people can answer. 2 must give the same answer. No answers yet.',
    )
    expect(groupText({ group: { ...group, veto: [], answered: [] }, form: {} })).to.include(
      '2 must fill in the form',
    )
    const answered = [
      { checkpoint_id: 'c1', label: 'Yes', by: 'U1', by_name: 'ana@x.example', at: 1 },
      { checkpoint_id: 'c2', label: null, by: 'U2', by_name: null, at: 2 },
    ]
    expect(groupText({ group: { ...group, answered } })).to.equal(
      '3 people can answer. 2 must give the same answer; “no” decides alone. Answers so far (2 of 3): ana@x.example: Yes, U2.',
    )
  })
})

describe('who answered', () => {
  it('is the recipient only if a person answered, not a key of that name', () => {
    const by = { by: 'U1', by_name: 'ana@x.example' }
    expect(answererText({ ...by, actor: { kind: 'person', id: 'U1', name: 'ana@x.example' } })).to.equal(
      'ana@x.example (U1)',
    )
    const key = { kind: 'api_key', id: 'k1', name: 'U1' } as const
    expect(answererText({ by: 'U1', by_name: null, actor: key })).to.equal('U1 (API key k1)')
  })
})

describe('an answer with consequences', () => {
  const actions = [
    { step_id: 'isolate', skill: 'edr.isolate', title: 'Isolate Machine', class: 'containment' },
  ] as const
  const consequences = [
    { answer: 'no', actions },
    { answer: 'yes', actions: [] },
  ]

  it('names destructive actions that may follow, if any are known', () => {
    expect(consequenceText({ consequences }, 'no')).to.equal('May lead to: Isolate Machine (edr.isolate)')
    expect(consequenceText({ consequences }, 'yes')).to.equal(undefined)
    expect(consequenceText({ consequences: null }, 'no')).to.equal(undefined)
    expect(consequenceText({ consequences: [{ answer: null, actions }] }, null)).to.include('edr.isolate')
  })

  it('has the style of the playbook, if it is a known one', () => {
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

const checkpoint = (changes: Partial<ApiCheckpoint> = {}): ApiCheckpoint => ({
  checkpoint_id: 'c1',
  reference: null,
  approval: null,
  group: null,
  run_uuid: 'r1',
  organization_code: 'main',
  playbook: 'p',
  alert_id: null,
  case_id: null,
  case_title: null,
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

  it('groups several questions of one organization, without forms', () => {
    const all = [of('a', 'p:x'), of('b', 'p:y'), of('c', 'p:y'), of('d', 'p:y'), of('e', 'p:x', 'other')]
    const form = checkpoint({ checkpoint_id: 'f', kind: 'p:x', form: { properties: {} } })
    expect(kindsOf([...all, form])).to.deep.equal([
      { kind: 'p:y', organization_code: 'main', ids: ['b', 'c', 'd'] },
    ])
    expect(kindsOf([...all, of('g', 'p:x')]).map(({ ids }) => ids.length)).to.deep.equal([3, 2])
  })

  it('are named after the skill to approve, or after the step', () => {
    expect(kindText('approval:edr.isolate')).to.equal('Approvals of edr.isolate')
    expect(kindText('approval:sure')).to.equal('sure of approval')
    expect(kindText('p:contain/confirm')).to.equal('contain/confirm of p')
  })

  it('report the results of their answers', () => {
    expect(outcomesText(['accepted', 'accepted'])).to.match(/^Recorded all 2 answers/)
    expect(outcomesText(['accepted', 'second', 'late'])).to.match(
      /^Recorded 1 of 3 answers\. The others have no effect/,
    )
  })
})

describe('texts of a question card', () => {
  it('show the message, or the step without one', () => {
    expect(questionOf(checkpoint())).to.equal('You?')
    for (const input of [null, 'text', { message: 7 }, ['x']])
      expect(questionOf(checkpoint({ input }))).to.equal('Step confirm')
  })

  it('show the recipient by name, by id, or as the playbook names them', () => {
    expect(recipientOf(checkpoint({ asked: 'U1', asked_name: 'ana' }))).to.equal('ana')
    expect(recipientOf(checkpoint({ asked: 'U1' }))).to.equal('U1')
    expect(recipientOf(checkpoint())).to.equal('ana@x.example')
    expect(recipientOf(checkpoint({ input: {} }))).to.equal(undefined)
  })

  it('show other input, such as the action to approve', () => {
    expect(otherInputs(checkpoint())).to.deep.equal([])
    const input = { message: 'One more?', skill: 'edr.isolate', input: { machine: 'WS-7' }, other: null }
    expect(otherInputs(checkpoint({ input }))).to.deep.equal([
      ['skill', 'edr.isolate'],
      ['input', { machine: 'WS-7' }],
    ])
  })

  it('show the label of an answer, and form input as it is', () => {
    const { answers } = checkpoint()
    expect(shownAnswer('yes', answers)).to.equal('Yes, me')
    expect(shownAnswer('no', answers)).to.equal('no')
    expect(shownAnswer({ count: 3 }, null)).to.equal('{"count":3}')
  })

  it('show what happens on timeout', () => {
    expect(timeoutText(checkpoint())).to.equal(undefined)
    expect(timeoutText(checkpoint({ on_timeout: { fails: true, answer: null } }))).to.equal(
      'then the step fails',
    )
    expect(timeoutText(checkpoint({ on_timeout: { fails: false, answer: 'yes' } }))).to.equal(
      'then continues as “Yes, me”',
    )
    const timedOut = checkpoint({ state: 'timed_out', on_timeout: { fails: false, answer: 'yes' } })
    expect(timeoutText(timedOut)).to.equal('then continued as “Yes, me”')
  })
})

describe('whoAnswers', () => {
  it('names the roles, the recipient, and the answers', () => {
    const roles = 'Answering here requires a key with the role analyst or admin.'
    expect(howToAnswer(checkpoint())).to.equal(
      `${roles} Sent to ana@x.example via chat, who can answer there. Answers: “Yes, me”, “no”.`,
    )
    expect(howToAnswer(checkpoint({ input: {}, answers: null }))).to.equal(roles)
  })
})

describe('unsaved input for a question', () => {
  it('belongs to that question only', () => {
    const of = (id: string) => answerPlace(checkpoint({ checkpoint_id: id }))
    expect(of('c1')).to.equal(of('c1')).and.to.not.equal(of('c2'))
  })
})
