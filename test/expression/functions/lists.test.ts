import { expect } from 'chai'
import fc from 'fast-check'
import { equals } from '../../../core/expression/values/operators.ts'
import { identityOf } from '../../../core/expression/values/identity.ts'
import { Meter } from '../../../core/expression/values/budget.ts'
import type { Value } from '../../../core/expression/values/values.ts'
import { tries } from '../../support/random.ts'
import { problems } from '../checked.ts'
import { evaluate, failure } from '../evaluated.ts'

const nowhere = { start: 0, end: 0 }

describe('functions of lists', () => {
  it('sort numbers of both kinds, text by code point, bools and times', () => {
    expect(evaluate('[x.sort(), [2.5, 1, 10].sort()]', { x: [10, 9, -1] })).to.deep.equal([
      [-1, 9, 10],
      [1, 2.5, 10],
    ])
    expect(evaluate('x.sort()', { x: ['b', 'A', '😀', '\uffff', 'a'] })).to.deep.equal([
      'A',
      'a',
      'b',
      '\uffff',
      '😀',
    ])
    const times = ['2026-03-01T09:00:00+02:00', '2026-03-01T08:00:00Z']
    expect(evaluate('[x.sort(), x.max()]', { x: times })).to.deep.equal([times, times[1]])
    expect(evaluate('[duration("1h"), duration("5m")].sort()')).to.deep.equal(['300s', '3600s'])
  })

  it('refuse to sort what has no common order', () => {
    expect(failure('x.sort()', { x: [1, 'a'] })).to.include({
      code: 'expression_invalid_argument',
      message: 'sort: element 1 is string, the first is double',
    })
    expect(failure('x.sort()', { x: ['a', null] })).to.include({
      message: 'sort: element 1 is null',
      hint: 'leave out nulls: .filter(x, x != null)',
    })
    expect(failure('x.max()', { x: [[1]] }).code).to.equal('expression_wrong_type')
    expect(evaluate('[[].sort(), x.sort()]', { x: [1] })).to.deep.equal([[], [1]])
  })

  it('keep equal elements in their order', () => {
    const x = Array.from({ length: 50 }, (_, at) => ({ key: at % 3, at }))
    expect(evaluate('x.sortBy(e, e.key).map(e, e.at)', { x })).to.deep.equal(
      x.toSorted((left, right) => left.key - right.key).map(({ at }) => at),
    )
  })

  it('compare elements for distinct, sets and groups as == does', () => {
    expect(evaluate('x.distinct()', { x: [{ a: [1] }, { a: [1] }, { a: [2] }, 1, '1'] })).to.deep.equal([
      { a: [1] },
      { a: [2] },
      1,
      '1',
    ])
    const same = ['2026-03-01T08:00:00Z', '2026-03-01T09:00:00+01:00']
    expect(evaluate('x.distinct()', { x: same })).to.deep.equal([same[0]])
    expect(evaluate('sets.equivalent(x, [timestamp("2026-03-01T08:00:00Z")])', { x: same })).to.equal(true)
    expect(evaluate('[sets.contains([1, 2.0], [1.0, 2]), sets.intersects([], [1])]')).to.deep.equal([
      true,
      false,
    ])
  })

  it('give an identity to equal values only', () => {
    const scalars = fc.constantFrom<Value>(null, true, 0, -0, 1, 1n, 2 ** 60, 2n ** 60n, '', 'a', 's1:a', '1')
    const { value } = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        scalars,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '1:a', '__proto__'), tie('value'), { maxKeys: 2 }),
      ),
    }))
    const meter = new Meter(undefined)
    const identity = (each: Value) => identityOf(each, meter, nowhere)
    fc.assert(
      fc.property(value, value, (a, b) => {
        meter.fuel = meter.bytes = 1e9
        expect(identity(a) === identity(b)).to.equal(equals(a, b, meter, nowhere))
      }),
      tries(500),
    )
  })

  it('flatten as many levels as asked for', () => {
    const x = [1, [2, [3, [4]]]]
    expect(evaluate('[x.flatten(), x.flatten(2), x.flatten(0), x.flatten(9)]', { x })).to.deep.equal([
      [1, 2, [3, [4]]],
      [1, 2, 3, [4]],
      x,
      [1, 2, 3, 4],
    ])
    expect(failure('x.flatten(-1)', { x }).code).to.equal('expression_invalid_argument')
  })

  it('select parts of a list', () => {
    expect(evaluate('[x.take(2), x.take(9), x.slice(1), x.slice(1, 2)]', { x: [1, 2, 3] })).to.deep.equal([
      [1, 2],
      [1, 2, 3],
      [2, 3],
      [2],
    ])
    expect(failure('x.slice(0, 4)', { x: [1, 2, 3] })).to.include({
      code: 'expression_index_out_of_range',
      hint: 'take(n) gives at most n elements',
    })
    expect(evaluate('[[].first().hasValue(), x.last().orValue(0)]', { x: [null] })).to.deep.equal([
      false,
      null,
    ])
  })

  it('sum and compare numbers', () => {
    expect(evaluate('[x.sum(), x.avg(), x.min(), x.max(), [].sum()]', { x: [1, 2, 6] })).to.deep.equal([
      9, 3, 1, 6, 0,
    ])
    expect(evaluate('[duration("1h"), duration("30m")].sum()')).to.equal('5400s')
    expect(failure('x.avg()', { x: [] })).to.include({ message: 'avg: the list is empty' })
    expect(failure('x.sum()', { x: ['1'] }).code).to.equal('expression_wrong_type')
    expect(problems('[9223372036854775807, 1].sum()')[0]).to.include('does not fit into 64 bits')
  })

  it('end for a million elements', () => {
    const x = Array.from({ length: 1_000_000 }, (_, at) => at)
    for (const source of [
      'x.sort()',
      'x.distinct()',
      'x.groupBy(e, e)',
      'x.sortBy(e, -e)',
      'x.zipMap(x)',
      'sets.equivalent(x, x)',
    ])
      expect(failure(source, { x }).code, source).to.match(/_exhausted$/)
    expect(evaluate('x.take(2)', { x })).to.deep.equal([0, 1])
    expect(failure('lists.range(x)', { x: 1_000_000_000 }).code).to.match(/_exhausted$/)
  })

  it('round halves away from zero, also where a double is only almost a half', () => {
    expect(
      evaluate('[math.round(-1.5), math.round(1.005, 2), math.round(1234.5678, 1), math.round(1e300, 3)]'),
    ).to.deep.equal([-2, 1.01, 1234.6, 1e300])
    expect(evaluate('math.round(x, 2)', { x: 1e-20 })).to.equal(0)
    expect(failure('math.round(x, 99)', { x: 1 }).code).to.equal('expression_invalid_argument')
  })

  it('read flags in numbers of data', () => {
    expect(evaluate('math.bitAnd(x, 2) != 0', { x: 514 })).to.equal(true)
    expect(failure('math.bitAnd(x, 2)', { x: 1.5 }).code).to.equal('expression_wrong_type')
  })

  it('zip columns and rows to objects', () => {
    const table = {
      columns: [{ name: 'host' }, { name: 'count' }],
      rows: [
        ['web-1', 3],
        ['web-2', 5],
      ],
    }
    const source =
      'cel.bind(names, table.columns.map(c, c.name), table.rows.map(row, names.zipMap(row))).sortBy(r, -r.count)'
    expect(evaluate(source, { table })).to.deep.equal([
      { host: 'web-2', count: 5 },
      { host: 'web-1', count: 3 },
    ])
    expect(failure('x.zipMap([1])', { x: ['a', 'b'] })).to.include({
      message: 'zipMap: there are 2 keys and 1 values',
    })
    expect(evaluate('x.zipMap([1])', { x: ['__proto__'] })).to.have.own.property('__proto__', 1)
  })

  it('merge maps', () => {
    expect(evaluate('x.merge({"b": 3, "c": 4})', { x: { a: 1, b: 2 } })).to.deep.equal({ a: 1, b: 3, c: 4 })
  })

  it('are checked by the types of elements', () => {
    expect(problems('b.tags.sum()')[0]).to.include(
      'sum() expects a list of numbers or durations, found list(string)',
    )
    expect(problems('b.owners.sort()')[0]).to.include('a list of numbers, strings, bools or times')
    expect(problems('[].max()')[0]).to.include('max: the list is empty')
    expect(problems('b.tags.first() == "a"')[0]).to.include('get the value with orValue(…)')
    expect(problems('math.greatest("a", 1)')[0]).to.include('expected a number, found string')
  })
})
