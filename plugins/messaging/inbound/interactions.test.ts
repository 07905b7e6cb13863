import { expect } from 'chai'
import { buttonActionId, toButtonValue } from '../button-value.ts'
import { messagingFixture } from '../sandbox/fixture.ts'
import { signed, signingSettings } from '../sandbox/messages/signed-request.ts'
import { readInteraction } from './interactions.ts'

const formOf = (payload: unknown) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
const read = (payload: unknown) => readInteraction(signed(formOf(payload)), signingSettings)

const recorded = messagingFixture('interaction-block-actions-button') as object
const value = toButtonValue({ checkpointId: 'Jd8sKq0vWm3xTz5yBn7cRf2h', answer: 'not_mine' })
const press = {
  type: 'button',
  action_id: buttonActionId(1),
  block_id: 'b',
  value,
  action_ts: '1548426417.840180',
}
const pressed = (changes: object = {}, action: object = {}) => ({
  ...recorded,
  actions: [{ ...press, ...action }],
  ...changes,
})

describe('an interaction', () => {
  it('with one of our buttons is its answer', () => {
    expect(read(pressed())).to.deep.equal({
      dedupeKey: 'press Jd8sKq0vWm3xTz5yBn7cRf2h 1548261231.000200 tocsin_answer_1 UA8RXUSPL',
      answers: [{ checkpointId: 'Jd8sKq0vWm3xTz5yBn7cRf2h', value: 'not_mine', by: 'UA8RXUSPL' }],
    })
  })

  it('gets an empty response, as the vendor requires', () => {
    expect(read(pressed())).not.to.have.property('reply')
  })

  it('has the same id for a double click, and another for another button or person', () => {
    const key = read(pressed()).dedupeKey
    expect(read(pressed({ trigger_id: 'x' }, { action_ts: '2.0' })).dedupeKey).to.equal(key)
    expect(read(pressed({}, { action_id: buttonActionId(0) })).dedupeKey).not.to.equal(key)
    expect(read(pressed({ user: { id: 'U2' } })).dedupeKey).not.to.equal(key)
  })

  it('keeps any answer unchanged', () => {
    const answer = 'a: b, "ç" & 💶\n'
    const odd = toButtonValue({ checkpointId: 'id', answer })
    expect(read(pressed({}, { value: odd })).answers?.[0]?.value).to.equal(answer)
  })

  it('works without a team, as in enterprise organizations', () => {
    expect(read(pressed({ team: null, enterprise: { id: 'E1' } })).answers).to.have.length(1)
  })

  describe('is ignored', () => {
    for (const name of ['button', 'confirm', 'state', 'thread', 'view']) {
      it(`if recorded interaction-block-actions-${name} has foreign buttons`, () => {
        expect(read(messagingFixture(`interaction-block-actions-${name}`))).to.deep.equal({})
      })
    }

    it('for the recorded survey of another product', () => {
      expect(read(messagingFixture('interaction-survey-submit'))).to.deep.equal({})
    })

    for (const type of [
      'view_submission',
      'view_closed',
      'shortcut',
      'message_action',
      'interactive_message',
      'block_suggestion',
      'something_new',
    ]) {
      it(`for the type ${type}`, () => {
        expect(read(pressed({ type }))).to.deep.equal({})
      })
    }

    for (const [what, payload] of [
      ['without a user', pressed({ user: undefined })],
      ['without actions', pressed({ actions: undefined })],
      ['with malformed actions', pressed({ actions: [null, 'x', []] })],
      ['with a foreign value', pressed({}, { value: 'click_me_123' })],
      ['with a malformed id', pressed({}, { value: '../x:mine' })],
      ['without an answer', pressed({}, { value: 'id:' })],
      ['without a value', pressed({}, { value: undefined })],
    ] as const) {
      it(what, () => {
        expect(read(payload)).to.deep.equal({})
      })
    }
  })

  for (const text of ['', 'payload=', 'payload=%7B', 'payload=[]', 'other=1', JSON.stringify(pressed())]) {
    it(`that is malformed is refused: ${text.slice(0, 30)}`, () => {
      expect(() => readInteraction(signed(text), signingSettings))
        .to.throw()
        .with.property('code', 'bad_request')
    })
  }

  it('requires a valid signature over the raw form', () => {
    const request = signed(formOf(pressed()))
    const text = request.text.replaceAll('+', '%20')
    expect(text).not.to.equal(request.text)
    expect(() => readInteraction({ ...request, text, body: Buffer.from(text) }, signingSettings)).to.throw(
      'signature',
    )
  })
})
