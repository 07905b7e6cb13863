import { expect } from 'chai'
import {
  compileExpression,
  dyn,
  enumeration,
  list,
  number,
  object,
  optional,
  string,
} from '../../core/expression/index.ts'

const names = {
  a: object({
    status: enumeration(['open', 'closed', 'ignored']),
    mode: enumeration(['strict']),
    text: string,
    risk: number,
    tags: list(string),
    maybe: optional(string),
    on: { type: { kind: 'bool' } },
  }),
  x: dyn,
}
const outcome = (source: string) => {
  const { problems, outcome: found } = compileExpression(source, names)
  expect(
    problems.map(({ message }) => message),
    source,
  ).to.deep.equal([])
  return found
}

describe('constant conditions', () => {
  it('are never true', () => {
    for (const source of [
      'a.status == "open" && a.status == "closed"',
      'a.text == "x" && a.text != "x"',
      'a.text == "x" && a.text in ["y", "z"]',
      'a.text in ["x", "y"] && !(a.text in ["y", "x"])',
      'a.risk > 70 && a.risk < 50',
      'a.risk >= 70 && (a.text == "x" && a.risk < 70)',
      '70 < a.risk && 50 > a.risk',
      'a.risk == 5 && a.risk != 5',
      'size(a.tags) < 0',
      'a.tags.size() == 0 && a.tags.size() > 1',
      'a.on && !a.on',
      'has(a.maybe) && !has(a.maybe)',
      'a.risk != a.risk',
      '1 == 2',
      'size([]) > 0',
      'x.kind == "a" && x.kind == "b"',
      'a.on && (a.text == "x" ? a.text == "y" : false)',
      '!(a.on || !a.on)',
    ])
      expect(outcome(source), source).to.equal('never')
  })

  it('are always true', () => {
    for (const source of [
      'a.status != "open" || a.status != "closed"',
      'a.status in ["open", "closed", "ignored"]',
      'a.risk >= 0 || a.risk < 0',
      'a.on || !a.on',
      'size(a.tags) >= 0',
      'a.text == a.text',
      '"a" in ["a", "b"]',
      '!(a.text == "x" && a.text == "y")',
    ])
      expect(outcome(source), source).to.equal('always')
  })

  it('are not reported otherwise', () => {
    for (const source of [
      'a.status == "open" || a.status == "closed"',
      'a.status == "open" && a.text == "closed"',
      'a.status in ["open", "closed"]',
      'a.risk > 50 && a.risk < 70',
      'a.risk >= 50 && a.risk <= 50',
      'a.risk > 50 || a.risk < 70 && a.on',
      'a.mode == "strict"',
      'a.text != "x" && a.text != "y"',
      'has(a.maybe) && a.maybe == "x"',
      'has(a.risk)',
      'true',
      'false',
      'size(a.tags) > 0',
      'x.n > 5 && x.m < 3',
      'x[0] == "a" && x[1] == "b"',
      'x[x.i] == "a" && x[x.j] == "b"',
      'a.tags.exists(t, t == "x") && a.tags.exists(t, t == "y")',
      'a.text.contains("x") && a.text.contains("y")',
      'a.?maybe.orValue("x") == "x" || a.?maybe.orValue("y") == "y"',
      'a.text < "b" && a.text > "a"',
      'a.on == (a.risk > 5)',
      'a.text == "x" ? a.on : a.risk > 5',
    ])
      expect(outcome(source), source).to.equal(undefined)
  })
})
