import { expect } from 'chai'
import {
  compileExpression,
  dyn,
  duration,
  list,
  map,
  nullable,
  object,
  optional,
  string,
  timestamp,
  toJsonValue,
  typeOfSchema,
  union,
  type Type,
} from '../../core/expression/index.ts'

const dateTime = typeOfSchema({ type: 'string', format: 'date-time' })
const span = typeOfSchema({ type: 'string', format: 'duration' })

/** The same data with and without a schema. */
const typed: Record<string, Type> = {
  now: timestamp,
  d: object({
    a: dateTime,
    b: dateTime,
    na: nullable(dateTime),
    nb: nullable(dateTime),
    oa: optional(dateTime),
    times: list(dateTime),
    m: map(dateTime),
    short: span,
    long: span,
  }),
}
const untyped: Record<string, Type> = { now: timestamp, d: dyn }

const scope = {
  now: '2026-01-01T01:00:00Z',
  d: {
    a: '2026-01-01T01:00:00+00:00',
    b: '2026-01-01T02:00:00.000+01:00',
    na: '2026-01-01T01:00:00.0Z',
    nb: '2026-01-01T01:00:00Z',
    oa: '2026-01-01T00:00:00-01:00',
    times: ['2026-01-01T02:00:00+01:00'],
    m: { x: '2026-01-01T02:00:00+01:00' },
    short: '90s',
    long: '100s',
  },
}

function evaluate(source: string, names: Record<string, Type>): unknown {
  const { program, problems } = compileExpression(source, names)
  if (!program) throw new Error(problems.map(({ message }) => message).join('; '))
  return toJsonValue(program.evaluate(scope))
}

const doubts = (source: string) =>
  compileExpression(source, typed).doubts.map(({ code, message, hint }) => `${code}: ${message} (${hint})`)

describe('times stored as strings', () => {
  for (const [known, names] of [
    ['where schemas say so', typed],
    ['of unknown type', untyped],
  ] as const) {
    for (const [source, value] of [
      ['d.a == now', true],
      ['now == d.a', true],
      ['d.a == d.b', true],
      ['d.a != d.b', false],
      ['d.na == d.nb', true],
      ['d.a in [d.b]', true],
      ['now in d.times', true],
      ['d.a in d.times', true],
      ['d.times == [now]', true],
      ['[now] == d.times', true],
      ['d.m == {"x": now}', true],
      ['d.?oa == optional.of(now)', true],
      ['d.a < d.b', false],
      ['d.a <= d.b', true],
      ['d.short < d.long', true],
      ['now - d.b', '0s'],
      ['d.a - d.b', '0s'],
      ['d.a + duration(d.short)', '2026-01-01T01:01:30Z'],
      ['now - d.short', '2026-01-01T00:58:30Z'],
      ['d.a - d.short', '2026-01-01T00:58:30Z'],
      ['duration("10s") + d.short', '100s'],
      ['duration(d.short) == d.short', true],
      ['d.a.getHours()', 1],
      ['d.b.getHours("+01:00")', 2],
      ['d.long.getSeconds()', 100],
      ['[d.a, d.b].exists_one(t, t == now)', false],
      ['d.times.filter(t, t <= now).size()', 1],
    ] as const) {
      it(`are times ${known}: ${source}`, () => {
        expect(evaluate(source, names)).to.equal(value)
      })
    }
  }

  it('stay strings if nothing else is a time', () => {
    for (const names of [typed, untyped]) {
      expect(evaluate('d.a + d.short', names)).to.equal('2026-01-01T01:00:00+00:0090s')
      expect(evaluate('d.a + "."', names)).to.equal('2026-01-01T01:00:00+00:00.')
      expect(evaluate('string(d.a)', names)).to.equal('2026-01-01T01:00:00+00:00')
      expect(evaluate('"60s" == "1m"', names)).to.equal(false)
    }
  })

  it('are not guessed: other strings never equal a time and cannot be ordered with one', () => {
    const names = { now: timestamp, x: dyn }
    const failure = (source: string, x: unknown) => {
      const { program } = compileExpression(source, names)
      try {
        return program!.evaluate({ now: scope.now, x })
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(failure('x == now', 'never')).to.equal(false)
    expect(failure('x in [now]', '90s')).to.equal(false)
    expect(failure('x < now', 'never')).to.equal("'never' is not a timestamp")
    expect(failure('now - x', 'never')).to.equal('- does not work on timestamp and string')
    expect(failure('x + now', 'at ')).to.equal('+ does not work on string and timestamp')
    expect(failure('x > "2026-01-01T00:00:00Z"', '2026-01-01')).to.equal(false)
  })

  it('can be a union of times and other strings', () => {
    const names = { x: union([timestamp, string]), y: union([timestamp, duration]), now: timestamp }
    const read = (source: string, x: string) =>
      toJsonValue(compileExpression(source, names).program!.evaluate({ x, y: x, now: scope.now }))
    expect(read('x', 'never')).to.equal('never')
    expect(read('x == now', 'never')).to.equal(false)
    expect(read('x == now', scope.now)).to.equal(true)
    expect(read('y', '90s')).to.equal('90s')
    expect(read('y < duration("2m")', '90s')).to.equal(true)
  })

  it('cause a warning where they stay strings', () => {
    expect(doubts('d.a + d.short')).to.deep.equal([
      'times_as_text: two times are joined as strings here (convert one of them: timestamp(d.a))',
    ])
    expect(doubts('d.short < d.long')).to.deep.equal([
      'times_as_text: durations are compared as strings here (convert one of them: duration(d.short))',
    ])
    expect(doubts('d.short == d.long')).to.have.length(1)
    expect(doubts('duration(d.short) < d.long')).to.deep.equal([])
    expect(doubts('d.a < d.b && d.a == d.b')).to.deep.equal([])
  })
})
