import { expect } from 'chai'
import {
  compileExpression,
  object,
  optional,
  timestamp,
  typeOfSchema,
  type Reference,
} from '../../core/expression/index.ts'
import { names, problems, typeOf } from './checked.ts'

describe('checking expressions', () => {
  describe('operators', () => {
    it('refuses operands that never match, and suggests a conversion', () => {
      expect(problems('"a" + b.count')[0]).to.match(/\(convert with string\(…\)\)$/)
      expect(problems('registeredDomain(alert.id) + "a"')[0]).to.match(
        /\(it may be missing: add \.orValue\(…\)\)$/,
      )
      expect(problems('b.count == "1"')).to.deep.equal([
        'wrong_type: b.count == "1": integer is never equal to string (convert with double(…) or int(…))',
      ])
      expect(problems('now > alert.id')[0]).to.match(/\(convert with timestamp\(…\)\)$/)
      expect(problems('inputs.within > alert.id')[0]).to.match(/\(convert with duration\(…\)\)$/)
      expect(problems('"a" in alert.id')[0]).to.include('text.contains(part)')
    })

    it('suggests a conversion that fits the operand', () => {
      const hintOf = (source: string) => compileExpression(source, names).problems[0]?.hint
      for (const source of ['now - "1h"', 'now + "1h"', 'inputs.within + "90s"'])
        expect(hintOf(source), source).to.equal('convert with duration(…)')
      expect(hintOf('now - "a"')).to.equal('convert with timestamp(…)')
      expect(hintOf('now in b.tags')).to.equal('convert the elements: b.tags.exists(x, timestamp(x) == now)')
      expect(hintOf('b.tags["0"]')).to.equal('write b.tags[0]')
      expect(hintOf('b.rows["a b"]')).to.match(
        /^write b\.rows\[0\]\["a b"\] for the first one, or .*each\["a b"\]/,
      )
      for (const name of ['None', 'nil', 'NULL']) expect(hintOf(name), name).to.equal('write null')
      expect(hintOf('b.score > 1 && True')).to.equal('write true')
      // The suggested replacement is accepted.
      for (const source of ['b.tags.exists(x, timestamp(x) == now)', 'b.tags[0]', 'now - duration("1h")'])
        expect(problems(source), source).to.deep.equal([])
    })

    it('keeps the format of a time with a default', () => {
      const names = {
        now: timestamp,
        d: object({ at: optional(typeOfSchema({ type: 'string', format: 'date-time' })) }),
      }
      const found = (source: string) => compileExpression(source, names).problems.length
      expect(found('d.?at.orValue("2020-01-01T00:00:00Z") < now')).to.equal(0)
      expect(found('d.?at.orValue("never") < now')).to.equal(1)
    })

    it('distinguishes milliseconds from the seconds of timestamp()', () => {
      const write = 'b.made_at is in milliseconds: write timestamp(b.made_at / 1000)'
      expect(problems('timestamp(b.made_at)')).to.deep.equal([
        `wrong_type: b.made_at: timestamp() takes seconds since 1970 (${write})`,
      ])
      for (const source of [
        'b.made_at > now',
        'now - b.made_at',
        'b.made_at == now',
        'b.created_at < b.made_at',
      ])
        expect(problems(source)[0], source).to.include(`(${write})`)
      expect(problems('now - timestamp(b.made_at / 1000) > duration("1h")')).to.deep.equal([])
      expect(problems('b.count > now')[0]).to.include(
        '(convert with timestamp(b.count), if it counts seconds)',
      )
      expect(problems('timestamp(b.count)')).to.deep.equal([])
    })

    it('combines numbers of different types', () => {
      expect(problems('-(b.score > 1.0 ? 1 : b.count) + b.tags.size() > [1, 2.5][0]')).to.deep.equal([])
      expect(typeOf('b.score > 1.0 ? 1 : b.count')).to.equal('integer')
    })

    it('requires bools in conditions', () => {
      expect(problems('b.count && true')[0]).to.include('expected a bool, found integer')
      expect(problems('b.?note ? 1 : 2')[0]).to.include('hasValue()')
      expect(problems('b.tags.all(t, t)')[0]).to.include('expected a bool')
    })

    it('names literals as written', () => {
      expect(problems('"" ? 1 : 2')[0]).to.include('expected a bool, found ""')
      expect(problems('"abc"[0]')[0]).to.include('"abc" has no [int]')
      expect(problems('-"a"')[0]).to.include('- does not work on string')
      expect(problems('null + 1')[0]).to.include('null is not allowed here')
      expect(typeOf('b.count > 1 ? "" : b.count')).to.equal('"" or integer')
    })

    it('detects text without quotes, and bools as strings', () => {
      expect(problems('b.status == yes')[0]).to.include('(it is compared with text: write "yes")')
      expect(problems('alert.id != yes')[0]).to.include('(it is compared with text: write "yes")')
      expect(problems('alert.id == None')[0]).not.to.include('compared with text')
      expect(problems('b.status == true')[0]).to.include('the string is one of confirmed, cancelled, pending')
      expect(problems('alert.id == true')[0]).to.include('a quoted string')
    })

    it('infers types', () => {
      expect(typeOf('b.count + 1')).to.equal('integer')
      expect(typeOf('b.count / 2')).to.equal('number')
      expect(typeOf('1 / 2')).to.equal('int')
      expect(typeOf('now - timestamp(b.created_at)')).to.equal('duration')
      expect(typeOf('b.rows.map(r, r.id)')).to.equal('list(integer)')
      expect(typeOf('{"a": b.count}')).to.equal('object')
      expect(typeOf('b.count > 1 ? "high" : "low"')).to.equal('"high" or "low"')
    })
  })

  describe('syntax', () => {
    it('continues after operators of other languages', () => {
      for (const source of [
        'b.tags.exists(t => t == "x")',
        'b.tags.map(t -> t.size())',
        'b.count <> 3',
        'b.count = 3',
        'b.count !== 3',
        'b.count > 1 & b.count < 3',
        'b.count > 1 | b.count == 7',
        'b?.note.orValue("")',
      ]) {
        const [problem, ...others] = problems(source)
        expect(problem, source).to.match(/^syntax: /)
        expect(others, source).to.deep.equal([])
      }
      expect(problems('b.tags.exists(t => t.x == 1)')).to.have.length(2)
    })

    it('does not check the arguments of an invalid call', () => {
      expect(problems('b.tags.filter(t ?? 1)')).to.have.length(1)
      expect(problems('alert.id.contains("a" ?? "b", "c")')).to.have.length(1)
    })

    it('explains how to write a backslash', () => {
      expect(problems('alert.id.matches("\\d+")')[0]).to.include('(put an r before the quote, as in r"\\d"')
    })

    it('collects all problems with their positions', () => {
      expect(problems('b.stats + foo(1, ) + alrt')).to.have.length(4)
      expect(problems('[b.x, (b.y, b.z]')).to.have.length.greaterThan(1)
    })

    it('points at the end of a truncated source', () => {
      const [problem] = compileExpression('(1 + ', {}).problems
      expect(problem).to.include({ code: 'syntax', start: 5, end: 5 })
    })

    it('counts offsets in UTF-16 units', () => {
      const [problem] = compileExpression('"😀" + x', {}).problems
      expect(problem).to.include({ code: 'unknown_name', start: 7, end: 8 })
    })

    it('names unsupported features', () => {
      expect(problems('b"x"')[0]).to.include('bytes are not supported')
      expect(problems('1u + 1')[0]).to.include('unsigned integer')
      expect(problems('Foo{a: 1}')[0]).to.include('messages are not supported')
    })

    it('never throws', () => {
      for (const source of [
        '',
        ' ',
        '(',
        ')',
        ']]',
        '{',
        '"',
        '\\',
        '..',
        'a.',
        'a.?',
        '?',
        ':',
        'a ? b',
        '[',
        'has(',
        '\0',
        '\ud800',
      ]) {
        expect(problems(source), source).to.have.length.greaterThan(0)
      }
    })
  })

  describe('references and sensitive values', () => {
    const taint = {
      user: typeOfSchema({
        type: 'object',
        required: ['email', 'id'],
        properties: { email: { type: 'string', 'x-sensitive': true }, id: { type: 'string' } },
      }),
    }

    it('lists each read with its static path and position', () => {
      const source = 'b.rows[0].id + alert.data["k"].v + b.tags.filter(t, t == b.status).size()'
      const { program } = compileExpression(source, names)
      const show = ({ root, path, start, end }: Reference): readonly string[] =>
        [root].concat(path, source.slice(start, end))
      expect(program?.references.map(show)).to.deep.equal([
        ['b', 'rows', 'b.rows[0].id'],
        ['alert', 'data', 'k', 'v', 'alert.data["k"].v'],
        ['b', 'tags', 'b.tags'],
        ['b', 'status', 'b.status'],
      ])
    })

    it('marks guarded reads', () => {
      const { program } = compileExpression(
        'has(b.note) || b.?parent.label == b.?note || b.status == "pending"',
        names,
      )
      expect(program?.references.map(({ guarded }) => guarded)).to.deep.equal([true, true, true, false])
    })

    const sensitive = { type: 'string', 'x-sensitive': true } as const
    const account = {
      account: typeOfSchema({
        type: 'object',
        required: ['number', 'name', 'digits'],
        properties: { number: { ...sensitive, type: 'integer' }, name: sensitive, digits: sensitive },
      }),
    }
    for (const source of [
      '[1, 2][account.number]',
      '"text".charAt(account.number)',
      '"text".substring(account.number)',
      '"text".substring(0, account.number)',
      '"text".indexOf("t", account.number)',
      '"text".lastIndexOf("t", account.number)',
      'int(account.name)',
      'int(account.digits)',
      'duration(account.name)',
      'timestamp(account.name)',
      'parseJson(account.name)',
      '"x".matches("(" + account.name)',
      '{account.name: 1, account.name: 2}',
      '{"a": 1}[account.name]',
      '"%d".format([account.name])',
    ]) {
      it(`quotes no sensitive value if ${source} fails`, () => {
        const { program, problems } = compileExpression(source, account)
        expect(problems).to.deep.equal([])
        const scope = { account: { number: 7_788_123, name: 'tulip', digits: '77881237788123778812' } }
        expect(() => program!.evaluate(scope))
          .to.throw()
          .that.satisfies((error: Error) => !/7788123|tulip/.test(JSON.stringify(error) + error.message))
      })
    }

    it('reports whether it uses a sensitive value', () => {
      expect(compileExpression('user.email', taint).program?.sensitive).to.equal(true)
      expect(compileExpression('json(user)', taint).program?.sensitive).to.equal(true)
      expect(compileExpression('has(user.email)', taint).program?.sensitive).to.equal(false)
      expect(compileExpression('user.id', taint).program?.sensitive).to.equal(false)
    })
  })
})
