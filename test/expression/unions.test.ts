import { expect } from 'chai'
import { compileExpression, describeType, typeOfSchema } from '../../core/expression/index.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'

const kind = (name: string, field: string, type: 'string' | 'integer'): JsonSchema => ({
  type: 'object',
  properties: { kind: { const: name }, [field]: { type } },
  required: ['kind', field],
})
const shape: JsonSchema = { oneOf: [kind('a', 'x', 'integer'), kind('b', 'y', 'string')] }

const names = {
  n: typeOfSchema({ type: ['string', 'integer'] }),
  either: typeOfSchema({ anyOf: [{ type: 'boolean' }, { type: 'string' }] }),
  some: typeOfSchema({ type: ['string', 'integer', 'null'] }),
  nul: typeOfSchema({ type: ['string', 'null'] }),
  tags: typeOfSchema({ type: ['string', 'array'], items: { type: 'string' } }),
  st: typeOfSchema(shape),
  many: typeOfSchema({ type: 'array', items: shape }),
  deep: typeOfSchema({ type: 'object', properties: { st: shape }, required: ['st'] }),
  odd: typeOfSchema({
    oneOf: [
      {
        type: 'object',
        properties: { kind: { type: ['string', 'null'], enum: ['a', null] }, x: { type: 'string' } },
        required: ['kind', 'x'],
      },
      kind('b', 'y', 'string'),
    ],
  }),
  maybe: typeOfSchema({ type: ['object', 'string'], properties: { x: { type: 'string' } }, required: ['x'] }),
}

const compile = (source: string) => compileExpression(source, names)
const problems = (source: string) => compile(source).problems.map(({ message }) => message)
/** `part: message (hint)` of each. */
const doubts = (source: string) =>
  compile(source).doubts.map(
    ({ start, end, message, hint }) => `${source.slice(start, end)}: ${message} (${hint})`,
  )

describe('values of several types', () => {
  describe('in a joined list of strings', () => {
    it('are reported unless they are filtered out', () => {
      expect(doubts('["a", some].join(",")')).to.deep.equal([
        '["a", some]: ["a", some] may hold integer or null: join() does not work on it (leave out nulls: .filter(x, x != null))',
      ])
      expect(doubts('["a", n].join()')).to.have.length(1)
      expect(doubts('["a", n].map(x, string(x)).join()')).to.deep.equal([])
      expect(doubts('["a", nul].join()')).to.have.length(1)
      expect(doubts('["a", nul].filter(x, x != null).join()')).to.deep.equal([])
    })
  })

  describe('in operations that work for some of them', () => {
    it('are reported with a check', () => {
      expect(doubts('n + 1')).to.deep.equal([
        'n: n may be string: + does not work on string and int (check first: type(n) != string)',
      ])
      expect(doubts('n.startsWith("x")')).to.deep.equal([
        'n: n may be integer: startsWith() does not work on integer (check first: type(n) == string)',
      ])
      for (const doubtful of [
        '3 > n',
        'tags.contains("x")',
        'tags.exists(t, t == "x")',
        '"x" in tags',
        'tags[0]',
        'either ? 1 : 2',
        'either && true',
        '!either',
        'has(maybe.x)',
        '[n].map(each, each + "x")',
      ]) {
        expect(problems(doubtful), doubtful).to.deep.equal([])
        expect(doubts(doubtful), doubtful).to.have.lengthOf(1)
      }
    })

    it('do not prevent compilation', () => {
      const { program } = compile('n + 1')
      expect(program?.evaluate({ n: 2 })).to.equal(3)
    })

    it('are accepted if the operation works for all of them', () => {
      for (const fine of [
        'n == 1',
        'n == "x"',
        'string(n)',
        'int(n) + 1',
        'n in [1, 2]',
        'json(tags)',
        '[n]',
        'tags.size()',
      ])
        expect([...problems(fine), ...doubts(fine)], fine).to.deep.equal([])
    })

    it('are not reported together with errors', () => {
      expect(compile('n + 1 == st.nothing').doubts).to.deep.equal([])
    })

    it('leave null to the null checks', () => {
      expect(problems('some.startsWith("x")')).to.deep.equal(['some may be null'])
      expect(doubts('some != null && type(some) == string && some.startsWith("x")')).to.deep.equal([])
    })
  })

  describe('distinguished by type(…)', () => {
    it('have that type if it is true, and the others if not', () => {
      for (const fine of [
        'type(n) == string ? n.startsWith("x") : n + 1 > 2',
        'type(n) != string ? n + 1 > 2 : n.startsWith("x")',
        'string == type(n) && n.startsWith("x")',
        '!(type(n) == string) || n.startsWith("x")',
        'type(tags) == list ? tags.exists(t, t == "x") : tags.contains("x")',
        'type(either) == bool && either',
        'type(maybe) == map && has(maybe.x) && maybe.x != ""',
      ])
        expect([...problems(fine), ...doubts(fine)], fine).to.deep.equal([])
      expect(describeType(compile('type(n) == string ? n : "x"').type)).to.equal('string')
    })

    it('stay numbers if they are not ints', () => {
      expect(doubts('type(n) == int ? "x" : n + "x"')).to.have.lengthOf(1)
      expect(doubts('type(n) == double ? n + 1 : 0')).to.deep.equal([])
    })
  })

  describe('distinguished by a field', () => {
    it('have the fields of the members with this constant', () => {
      for (const fine of [
        'st.kind == "a" ? st.x : 0',
        '"a" == st.kind && st.x > 1',
        'st.kind != "a" ? st.y : ""',
        'st.kind in ["a"] ? st.x : 0',
        '!(st.kind in ["a"]) ? st.y : ""',
        'deep.st.kind == "b" ? deep.st.y : ""',
        'many.filter(s, s.kind == "a").map(s, s.x)',
        'many.map(s, s.kind == "b", s.y)',
        'many.exists(s, s.kind == "b" && s.y == "z")',
        'has(st.x) ? st.x : 0',
        'cel.bind(s, st, s.kind == "a" ? s.x : 0)',
      ])
        expect([...problems(fine), ...doubts(fine)], fine).to.deep.equal([])
      expect(describeType(compile('many.filter(s, s.kind == "a").map(s, s.x)').type)).to.equal(
        'list(integer)',
      )
    })

    it('still may be missing otherwise', () => {
      for (const wrong of [
        'st.x',
        'st.kind == "a" || st.x > 1',
        'st.kind == "a" ? st.y : ""',
        'st.kind != "b" ? st.y : ""',
        'deep.st.kind == "a" ? st.x : 0',
        'many.filter(s, s.kind == "a").map(s, s.y)',
        'st.kind == "a" && many.exists(st, st.x > 1)',
      ])
        expect(problems(wrong), wrong).to.have.lengthOf(1)
    })

    it('may be checked for fields of the others', () => {
      expect(problems('st.kind == "a" && has(st.y)')).to.deep.equal([])
    })

    it('are not distinguished by a nullable field', () => {
      expect(problems('odd.kind != "a" ? odd.y : ""')).to.deep.equal(['odd.y may be missing'])
    })
  })
})
