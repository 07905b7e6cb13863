import { expect } from 'chai'
import { check, parsed, withSteps } from './support.ts'

const messages = (checkpoint: string, rest = '') =>
  check(
    withSteps(
      `  - id: a\n    checkpoint: { via: operator, with: { message: Well? }, answers: [yes, no], timeout: 1h, ${checkpoint} }\n${rest}`,
      'inputs: { people: { type: array, items: { type: object, required: [mail], properties: { mail: { type: string } } }, default: [] } }',
    ),
  ).map(({ code, message }) => `${code} ${message}`)

describe('a checkpoint that asks several people', () => {
  it('is read with its defaults', () => {
    const [step] = parsed(
      withSteps(
        '  - { id: a, checkpoint: { ask: [ann, ben], via: operator, with: { message: Well? }, answers: [yes], timeout: 1h, veto: yes } }',
      ),
    ).steps
    expect(step).to.deep.include({
      people: {
        ask: { kind: 'literal', value: ['ann', 'ben'] },
        escalate: [],
        quorum: 'all',
        veto: ['yes'],
      },
    })
  })

  for (const [name, checkpoint, problems] of [
    ['an empty list', 'ask: []', ['E106 the list of people to ask is empty']],
    [
      'a quorum in quotes',
      "ask: [ann, ben], quorum: '2'",
      ['E106 expected a number for `quorum`, found a string'],
    ],
    ['an empty person', "ask: [ann, '']", ['E107 a person to ask is empty']],
    [
      'a person named twice',
      'ask: [ann, ben], escalate: [{ after: 5m, ask: ANN }]',
      ["E107 'ANN' is named twice, and each person is asked once"],
    ],
    [
      'more people than may be asked',
      `ask: [${Array.from({ length: 1_000 }, (_, index) => `a${index}`).join(', ')}]`,
      ['E107 a checkpoint asks at most 100 people'],
    ],
    [
      'a quorum of more people than are asked',
      'ask: [ann, ben], quorum: 3',
      ['E107 the quorum is 3, but only 2 people are asked'],
    ],
    ['a quorum of nobody', 'ask: [ann], quorum: 0', ['E107 `quorum` must be between 1 and 100']],
    ['an unknown quorum', 'ask: [ann], quorum: most', ["E107 'most' is not one of all, majority, any"]],
    ['an unknown veto', 'ask: [ann], veto: [yes, nope]', ["E202 veto: 'nope' is not one of yes, no"]],
    [
      'an escalation after the timeout',
      'ask: [ann], escalate: [{ after: 2h, ask: ben }]',
      ['E107 `after` of 2h is not before the timeout of 1h'],
    ],
    [
      'an escalation to nobody',
      'ask: [ann], escalate: []',
      ['E106 expected a list for `escalate`, found an empty one'],
    ],
    ['a quorum for one person', 'quorum: 2', ['E112 `quorum` goes with `ask`']],
  ] as const)
    it(`reports ${name}`, () => expect(messages(checkpoint)).to.deep.equal(problems))

  it('reports a message that is the same for all people', () => {
    const source = (user: string) =>
      withSteps(
        `  - checkpoint: { ask: [ann, ben], via: chat.ask, with: { user: "${user}" }, answers: [yes], timeout: 1h }`,
      )
    expect(check(source('kim')).map(({ message }) => message)).to.include(
      '`with` does not use `person`, so all people would be the same',
    )
    expect(check(source('${{ person }}')).map(({ message }) => message)).not.to.include(
      '`with` does not use `person`, so all people would be the same',
    )
  })

  it('types the people and the output', () => {
    const wrong = (expression: string) =>
      messages('ask: "${{ inputs.people }}"', `  - return: "\${{ ${expression} }}"\n`)
    expect(wrong('steps.a.output.missing.map(m, m.mail)')).to.deep.equal([])
    expect(wrong('steps.a.output.answers[0].person.mal')).to.deep.equal([
      "E205 steps.a.output.answers[0].person has no field 'mal'",
    ])
    expect(wrong("steps.a.output.decided_by == 'veto'")).to.deep.equal(["E202 'veto' is not one of quorum"])
    expect(wrong("steps.a.output.answer == 'nope'")).to.deep.equal(["E202 'nope' is not one of yes, no"])
    expect(wrong('steps.a.output.by')).to.deep.equal(["E205 steps.a.output has no field 'by'"])
  })

  it('has no common answer of forms, and continues or fails', () => {
    const form = (rest: string) =>
      check(
        withSteps(
          `  - { id: a, checkpoint: { ask: [ann, ben], via: operator, with: { message: Well? }, form: { type: object }, timeout: 1h, ${rest} } }\n  - return: "\${{ steps.a.output }}"`,
        ),
      ).map(({ message }) => message)
    expect(form('on_timeout: continue')).to.deep.equal([])
    expect(form('on_timeout: { a: 1 }')).to.deep.equal([
      'for a form of several people, `on_timeout` is fail or continue',
    ])
    expect(form('veto: yes')).to.deep.equal(['`veto` goes with `answers`, not with a form'])
  })
})
