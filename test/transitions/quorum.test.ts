import { expect } from 'chai'
import type { Author } from '../../core/domain/audit.ts'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import { decide, personKey, refusedInGroup, type QuorumRule } from '../../core/transitions/quorum.ts'

const rule = (people: number, needed: number, veto: readonly string[] = [], agree = true): QuorumRule => ({
  people,
  needed,
  veto,
  agree,
})
const shown = (of: QuorumRule, answers: string, out = 0) => {
  const decision = decide(of, answers === '' ? [] : answers.split(' '), out)
  if (decision === undefined) return 'open'
  return decision.by === 'split' ? 'split' : `${decision.by} ${String(decision.answer)}`
}

describe('decide', () => {
  const cases: readonly (readonly [string, QuorumRule, string, string])[] = [
    ['any of 3', rule(3, 1), 'no', 'quorum no'],
    ['all of 2, one answered', rule(2, 2), 'yes', 'open'],
    ['all of 2', rule(2, 2), 'yes yes', 'quorum yes'],
    ['all of 3, two differ', rule(3, 3), 'yes no', 'split'],
    ['2 of 3', rule(3, 2), 'yes no', 'open'],
    ['2 of 3', rule(3, 2), 'yes no no', 'quorum no'],
    ['2 of 3, three answers', rule(3, 2), 'yes no unsure', 'split'],
    ['one veto', rule(3, 2, ['no']), 'yes no', 'veto no'],
    ['a veto of the only one needed', rule(1, 1, ['no']), 'no', 'veto no'],
    ['nobody answered', rule(2, 2), '', 'open'],
    ['2 filled-in forms', rule(3, 2, [], false), 'a b', 'quorum null'],
  ]
  for (const [name, of, answers, decision] of cases)
    it(`gives '${decision}' for ${name}: ${answers}`, () => expect(shown(of, answers)).to.equal(decision))

  it('does not depend on the order of the answers', () => {
    const of = rule(4, 2, ['no'])
    for (const answers of ['a b no', 'no a b', 'b no a']) expect(shown(of, answers)).to.equal('veto no')
    for (const answers of ['a b b', 'b a b', 'b b a']) expect(shown(of, answers)).to.equal('quorum b')
  })

  it('counts people who cannot answer as missing', () => {
    expect(shown(rule(3, 2), 'yes', 1)).to.equal('open')
    expect(shown(rule(3, 2), 'yes', 2)).to.equal('split')
    expect(shown(rule(2, 1), '', 2)).to.equal('split')
  })
})

describe('a group of questions', () => {
  type Member = Pick<Checkpoint, 'state' | 'answer' | 'reference'>
  const open = (reference: unknown): Member => ({ state: 'waiting', answer: null, reference })
  const answered = (by: Author, reference: unknown): Member => ({
    state: 'answered',
    answer: { value: 'yes', by, text: null, at: 1 },
    reference,
  })
  const person = (id: string): Author => ({ kind: 'person', id, name: id })
  const key = (id: string): Author => ({ kind: 'api_key', id, name: 'kim@x.example' })

  it('counts a person once, by id or name in the other system, and a key once', () => {
    const kim = answered(person('U1'), { asked: 'U1', asked_name: 'Kim@x.example' })
    const byName = { asked: 'U2', asked_name: 'kim@x.example' }
    expect(refusedInGroup(open({ asked: 'U1' }), person('U1'), [kim])).to.equal('same_person')
    expect(refusedInGroup(open(byName), person('U2'), [kim])).to.equal('same_person')
    expect(refusedInGroup(open({ asked: 'U2' }), person('U2'), [kim])).to.equal(null)
    expect(refusedInGroup(open(null), key('k1'), [answered(key('k1'), null)])).to.equal('same_person')
  })

  it('does not take a key for the person whose name it has', () => {
    const kim = answered(person('U1'), { asked: 'U1', asked_name: 'kim@x.example' })
    expect(refusedInGroup(open(byNameOf('U2')), key('k1'), [kim])).to.equal(null)
    expect(refusedInGroup(open(null), key('k2'), [answered(key('k1'), null)])).to.equal(null)
  })

  it('gives the reason of a closed question before that', () => {
    const kim = answered(person('U1'), { asked: 'U1' })
    expect(refusedInGroup({ ...open({ asked: 'U1' }), state: 'decided' }, person('U1'), [kim])).to.equal(null)
  })

  const byNameOf = (asked: string) => ({ asked, asked_name: 'kim@x.example' })
})

describe('personKey', () => {
  it('ignores letter case and spaces of a name, and the order of fields', () => {
    expect(personKey(' Kim@X.example ')).to.equal(personKey('kim@x.example'))
    expect(personKey({ a: 1, b: 'x' })).to.equal(personKey({ b: 'x', a: 1 }))
    expect(personKey({ a: 1 })).not.to.equal(personKey({ a: 2 }))
  })
})
