import { somePerson } from '../support/somebody.ts'
import { expect } from 'chai'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import { judgeById, judgeReply } from '../../core/inbound/judge-answer.ts'
import type { InboundAnswer } from '../../core/plugin/index.ts'

const now = 1_000_000_000
const hour = 3_600_000

const question = (
  changes: Partial<Checkpoint> = {},
  answers: readonly string[] | null = ['Yes', 'No, not me'],
) => ({
  id: 'c1',
  runUuid: 'r',
  organizationUuid: 'o',
  playbookName: 'p',
  alertId: null,
  caseId: null,
  path: 'ask',
  stepId: 'ask',
  question: { via: 'chat.ask', input: {}, answers, form: null },
  connection: 'chat',
  reference: { asked: 'U1', channel: 'D1', ts: '17.5' },
  state: 'waiting' as const,
  createdAt: now - hour,
  timeoutAt: now + hour,
  onTimeout: null,
  group: null,
  answer: null,
  ...changes,
})

const over = (state: 'answered' | 'timed_out' | 'withdrawn', at = now - 1) =>
  state === 'answered'
    ? { state, answer: { value: 'Yes', by: somePerson('U1'), text: null, at } }
    : { state, timeoutAt: at }

const judged = (answer: Omit<InboundAnswer, 'by'> & { readonly by?: string }, checkpoint = question()) => {
  const { value, refused } = judgeById(checkpoint, { by: 'U1', ...answer }, now)
  return [value, refused]
}

describe('judgeById', () => {
  it('accepts an answer of the asked person unchanged', () => {
    expect(judged({ value: 'Yes' })).to.deep.equal(['Yes', null])
    for (const value of ['yes', 'Yes ', '', 'no', 'toString']) {
      expect(judged({ value }), value).to.deep.equal([null, 'not_an_answer'])
    }
    expect(judged({ value: 'Yes', text: 'no, not me' })[0], 'a value comes before a text').to.equal('Yes')
  })

  it('matches a text to an answer regardless of case and spaces', () => {
    for (const text of ['yes', ' YES\n', 'y e s', 'ｙｅｓ', 'Yes\u00a0']) {
      expect(judged({ text }), text).to.deep.equal(['Yes', null])
    }
    expect(judged({ text: 'no,not me' })).to.deep.equal(['No, not me', null])
    for (const text of ['yes!', 'yes, it was', '', 'no']) {
      expect(judged({ text }), text).to.deep.equal([null, 'not_an_answer'])
    }
    expect(judged({})).to.deep.equal([null, 'not_an_answer'])
  })

  it('does not guess between answers that a text cannot distinguish', () => {
    const alike = question({}, ['ok', 'OK', 'no'])
    expect(judged({ text: 'OK' }, alike)).to.deep.equal(['OK', null])
    expect(judged({ text: 'Ok' }, alike)).to.deep.equal([null, 'not_an_answer'])
  })

  describe('accepts as an answer the button label', () => {
    const labelled = (labels: unknown, answers = ['mine', 'not_mine']) =>
      question({ question: { via: 'chat.ask', input: { labels }, answers, form: null } })

    it('and the answer itself', () => {
      const checkpoint = labelled({ mine: 'Yes, this was me', not_mine: "No, it wasn't" })
      for (const text of ['Yes, this was me', 'yes,  THIS was me ', 'mine']) {
        expect(judged({ text }, checkpoint), text).to.deep.equal(['mine', null])
      }
      for (const text of ["no, it wasn't", 'No, it wasn’t', 'Not_Mine']) {
        expect(judged({ text }, checkpoint), text).to.deep.equal(['not_mine', null])
      }
      expect(judged({ text: 'no' }, checkpoint)).to.deep.equal([null, 'not_an_answer'])
      expect(judged({ value: 'Yes, this was me' }, checkpoint)[0], 'a button carries its answer').to.equal(
        null,
      )
    })

    it('unless it could be another answer', () => {
      const alike = labelled({ mine: 'Yes', not_mine: 'yes' })
      const crossed = labelled({ mine: 'Not_mine', not_mine: 'Mine' })
      for (const [checkpoint, text] of [
        [alike, 'YES'],
        [labelled({ mine: 'Yes' }, ['mine', 'yes']), 'YES'],
        [labelled({ mine: 'Yes', not_mine: 'Yes' }), 'Yes'],
        [crossed, 'mine'],
        [crossed, 'not_mine'],
        [crossed, 'MINE'],
      ] as const) {
        expect(judged({ text }, checkpoint)[1], text).to.equal('not_an_answer')
      }
      expect(judged({ text: 'yes' }, alike)[0], 'to the letter').to.equal('not_mine')
      expect(judged({ text: 'Mine' }, crossed)[0], 'what was seen counts').to.equal('not_mine')
    })

    it('for any labels', () => {
      for (const labels of [null, 'Yes', ['Yes'], { mine: 7, not_mine: { a: 'Yes' } }, { other: 'Yes' }]) {
        expect(judged({ text: 'Yes' }, labelled(labels))[1]).to.equal('not_an_answer')
        expect(judged({ text: 'mine' }, labelled(labels))[0]).to.equal('mine')
      }
      expect(judged({ text: 'constructor' }, labelled({}, ['constructor', 'toString']))[0]).to.equal(
        'constructor',
      )
    })
  })

  it('refuses everyone who was not asked, for any answer at any time', () => {
    for (const by of ['U2', 'u1', 'U1 ', '']) {
      expect(judged({ by, value: 'Yes' }), by).to.deep.equal(['Yes', 'not_asked'])
    }
    expect(judged({ by: 'U2', value: 'Yes' }, question(over('answered')))[1]).to.equal('not_asked')
    expect(judged({ value: 'Yes' }, question({ reference: { asked: 7 } }))[1]).to.equal('not_asked')
    expect(judged({ by: 'undefined', value: 'Yes' }, question({ reference: null }))[1]).to.equal('not_asked')
  })

  it('leaves order and timeout to the store, even for an invalid answer', () => {
    for (const changes of [over('answered'), over('timed_out'), over('withdrawn'), { timeoutAt: now }]) {
      expect(judged({ value: 'maybe' }, question(changes))).to.deep.equal([null, null])
    }
  })

  it('validates form values against the form', () => {
    const form = question({
      question: {
        via: 'chat.ask',
        input: {},
        answers: null,
        form: { type: 'string', minLength: 3 },
      },
    })
    expect(judged({ text: 'because' }, form)).to.deep.equal(['because', null])
    expect(judged({ value: 'no' }, form)).to.deep.equal([null, 'not_an_answer'])
  })
})

describe('judgeReply', () => {
  const reply = (questions: readonly Checkpoint[], answer: Partial<InboundAnswer>) => {
    const found = judgeReply(questions, { by: 'U1', text: 'yes', ...answer }, now)
    return found && [found.checkpointId, found.value, found.refused]
  }
  const other = (changes: Partial<Checkpoint> = {}) =>
    question({ id: 'c2', reference: { asked: 'U1', channel: 'D1', ts: '18.0' }, ...changes })

  it('finds the open question', () => {
    expect(reply([other(over('timed_out')), question()], {})).to.deep.equal(['c1', 'Yes', null])
    expect(reply([question()], { text: 'hm' })).to.deep.equal(['c1', null, 'not_an_answer'])
    expect(reply([], {})).to.equal(undefined)
  })

  it('finds the question whose message is named', () => {
    const both = [other(), question()]
    expect(reply(both, { message: { channel: 'D1', ts: '17.5' } })).to.deep.equal(['c1', 'Yes', null])
    expect(reply(both, { message: { channel: 'D1', ts: '18.0' } })).to.deep.equal(['c2', 'Yes', null])
    for (const message of [{ channel: 'D2' }, { ts: 17.5 }, { nothing: undefined }, { ts: { of: '17.5' } }]) {
      expect(reply(both, { message }), JSON.stringify(message)).to.equal(undefined)
    }
  })

  it('compares the whole reference, deeply', () => {
    const nested = question({ reference: { asked: 'U1', at: { place: [1, { a: 'b' }], more: true } } })
    expect(reply([nested], { message: { at: { place: [1, { a: 'b' }] } } })?.[0]).to.equal('c1')
    for (const message of [
      { at: { place: [1] } },
      { at: { place: [1, { a: 'c' }] } },
      { at: { place: { 0: 1 } } },
    ]) {
      expect(reply([nested], { message }), JSON.stringify(message)).to.equal(undefined)
    }
  })

  it('matches none of several open questions, and explains this on the newest', () => {
    expect(reply([other(), question()], {})).to.deep.equal(['c2', null, 'ambiguous'])
    expect(reply([other({ timeoutAt: now }), question()], {}), 'the time of one is up').to.deep.equal([
      'c1',
      'Yes',
      null,
    ])
  })

  it('explains an ended question only for a day, and only for a possible answer', () => {
    for (const state of ['answered', 'timed_out', 'withdrawn'] as const) {
      expect(reply([other(over(state)), question(over('answered'))], {}), state).to.deep.equal([
        'c2',
        'Yes',
        null,
      ])
      expect(reply([other(over(state))], { text: 'thanks' }), state).to.equal(undefined)
      expect(reply([other(over(state, now - 24 * hour - 1))], {}), state).to.equal(undefined)
    }
  })
})
