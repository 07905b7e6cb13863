import { expect } from 'chai'
import {
  compileExpression,
  describeType,
  duration,
  dyn,
  enumeration,
  epochMilliseconds,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  string,
  timestamp,
  typeOfSchema,
  type CompileOptions,
  type Reference,
} from '../../core/expression/index.ts'

const names = {
  alert: object({ id: string, data: dyn }),
  now: timestamp,
  inputs: object({ within: duration }),
  b: object({
    status: enumeration(['confirmed', 'cancelled', 'pending']),
    note: optional(string),
    owner: nullable(object({ name: string })),
    owners: list(nullable(object({ name: string }))),
    parent: optional(object({ id: string, label: optional(string) })),
    'sent-at': string,
    level: optional(nullable(number)),
    made_at: epochMilliseconds,
    count: integer,
    score: number,
    tags: list(string),
    rows: list(object({ id: integer, tag: optional(string) })),
    created_at: typeOfSchema({ type: 'string', format: 'date-time' }),
  }),
}

/** The problems of an expression as `code: source: message (hint)`. */
function problems(source: string, options?: CompileOptions): string[] {
  return compileExpression(source, names, options).problems.map(
    ({ code, message, hint, start, end }) =>
      `${code}: ${source.slice(start, end)}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
}

const typeOf = (source: string): string => describeType(compileExpression(source, names).type)

describe('checking expressions', () => {
  describe('enumerations', () => {
    it('finds misspelled members and suggests a similar one', () => {
      expect(problems('b.status == "confimed"')).to.deep.equal([
        `not_in_enum: "confimed": 'confimed' is not one of confirmed, cancelled, pending (did you mean 'confirmed'?)`,
      ])
    })

    it('finds them in lists, in ternaries and on the left', () => {
      expect(problems('b.status in ["pending", "canceled"]')).to.have.length(1)
      expect(problems('"x" != b.status')).to.have.length(1)
      expect(problems('(b.score > 1.0 ? b.status : "none") == "non"')).to.have.length(1)
    })

    it('warns about numbers that are not members, and no others', () => {
      const level = typeOfSchema({ enum: [1, 2, 3.5] })
      const names = { level, maybe: typeOfSchema({ enum: [1, null] }), levels: list(level), any: dyn }
      const doubts = (source: string) => {
        const { program, doubts } = compileExpression(source, names)
        expect(program, source).to.not.equal(undefined)
        return doubts.map(({ code, message }) => `${code}: ${message}`)
      }
      expect(doubts('level == 4')).to.deep.equal(['number_not_in_enum: 4 is not one of 1, 2, 3.5'])
      for (const source of ['level != 3', '4 == level', 'level in [1, 4]', '4 in levels', 'maybe == 2'])
        expect(doubts(source), source).to.have.length(1)
      for (const source of [
        'level == 3.5 || level == 1.0 || maybe == null || level in [1, 2] || 2 in levels',
        'level + 1 == 4 || -level == 4 || level > 7 || level == any || any == 4',
      ])
        expect(doubts(source), source).to.deep.equal([])
    })

    it('accepts members, and two literals', () => {
      expect(problems('b.status == "pending" || "a" == "b" || "a" in ["b"]')).to.deep.equal([])
    })
  })

  describe('fields that may be missing', () => {
    const missing =
      'optional_field: b.note: b.note may be missing (guard it with has(b.note), or give a default: b.?note.orValue(…))'

    it('need a guard', () => {
      expect(problems('b.note.size() > 1')).to.deep.equal([missing])
      expect(problems('b["note"].size() > 1')).to.have.length(1)
    })

    it('are guarded by has, also in later terms', () => {
      expect(problems('has(b.note) && b.note.size() > 1')).to.deep.equal([])
      expect(problems('!has(b.note) || b.note.size() > 1')).to.deep.equal([])
      expect(problems('has(b.note) ? b.note : "none"')).to.deep.equal([])
      expect(problems('!has(b.note) ? "none" : b.note')).to.deep.equal([])
      expect(problems('"note" in b && b.note != ""')).to.deep.equal([])
      expect(problems('b.?note.hasValue() && b.note != ""')).to.deep.equal([])
      expect(problems('has(b.parent) && has(b.parent.label) && b.parent.label == b.parent.id')).to.deep.equal(
        [],
      )
    })

    it('are not guarded by has on the wrong side', () => {
      expect(problems('b.note.size() > 1 && has(b.note)')).to.deep.equal([missing])
      expect(problems('has(b.note) || b.note.size() > 1')).to.deep.equal([missing])
      expect(problems('has(b.note) ? 1 : b.note.size()')).to.deep.equal([missing])
    })

    it('may be read with .? and a default', () => {
      expect(problems('b.?parent.label.orValue("none") == b.?note.orValue("")')).to.deep.equal([])
      expect(typeOf('b.?parent.label')).to.equal('optional(string)')
    })

    it('are present after a filter that checks them', () => {
      expect(problems('b.rows.map(r, r.tag)')).to.have.length(1)
      expect(problems('b.rows.filter(r, has(r.tag)).map(x, x.tag)')).to.deep.equal([])
      expect(problems('b.rows.map(r, has(r.tag), r.tag)')).to.deep.equal([])
    })

    it('do not inherit the guard of a shadowed variable', () => {
      expect(problems('has(b.note) && b.rows.all(b, b.tag != "")')).to.have.length(1)
      const hidden = 'cel.bind(i, 0, has(b.rows[i].tag) && [1].all(i, b.rows[i].tag != ""))'
      expect(problems(hidden)).to.have.length(1)
    })

    it('are guarded at one position of a list, by index or name', () => {
      expect(problems('has(b.rows[0].tag) ? b.rows[0].tag : ""')).to.deep.equal([])
      expect(problems('has(b.rows[b.count].tag) ? b.rows[b.count].tag : ""')).to.deep.equal([])
      expect(problems('has(b.rows[0].tag) ? b.rows[1].tag : ""')).to.have.length(1)
      expect(problems('has(b.rows[b.count].tag) ? b.rows[b.score].tag : ""')).to.have.length(1)
    })

    it('are guarded by external facts', () => {
      const { whenTrue } = compileExpression('has(b.note)', names)
      expect(problems('b.note', { given: whenTrue })).to.deep.equal([])
      const { whenFalse } = compileExpression('b.owner == null', names)
      expect(problems('b.owner.name', { given: whenFalse })).to.deep.equal([])
    })
  })

  describe('values that may be null', () => {
    it('need a comparison first', () => {
      expect(problems('b.owner.name == "x"')).to.deep.equal([
        'nullable: b.owner: b.owner may be null (check b.owner != null first)',
      ])
      expect(problems('b.owner != null && b.owner.name == "x"')).to.deep.equal([])
      expect(problems('b.owner == null || b.owner.name == "x"')).to.deep.equal([])
      expect(problems('b.owner == null ? "" : b.owner.name')).to.deep.equal([])
      expect(problems('b.owners[0] != null && b.owners[0].name == "x"')).to.deep.equal([])
      expect(problems('b.owners[0] != null && b.owners[1].name == "x"')).to.have.length(1)
    })

    it('are distinguished from values that are never null', () => {
      expect(problems('b.count == null')).to.deep.equal([
        'wrong_type: b.count == null: b.count is never null (leave out the comparison; check an optional field with has(…))',
      ])
    })

    it('need two checks if they may also be missing', () => {
      const names = { d: object({ u: optional(nullable(object({ mail: string }))) }) }
      const check = (source: string) => compileExpression(source, names).problems.map(({ hint }) => hint)
      expect(check('d.?u.mail.orValue("x")')).to.deep.equal([
        'it may exist and be null: write has(d.u) && d.u != null ? d.u.… : …',
      ])
      expect(check('has(d.u) && d.u != null ? d.u.mail : "x"')).to.deep.equal([])
    })

    it('are replaced by ofNonZeroValue, not by orValue', () => {
      expect(problems('b.?level.orValue(0) > 70')).to.deep.equal([
        'nullable: b.?level.orValue(0): b.?level.orValue(0) may be null (it may exist and be null: write has(b.level) && b.level != null ? b.level : 0)',
      ])
      expect(problems('(has(b.level) && b.level != null ? b.level : 0) > 70')).to.deep.equal([])
      expect(problems('(b.level == null ? 0 : b.level) > 70')).to.have.length(1)
      expect(problems('optional.ofNonZeroValue(b.owner).name.orValue("none").size() > 1')).to.deep.equal([])
    })

    it('may be compared redundantly', () => {
      expect(problems('b.owner != null && b.owner == null')).to.deep.equal([])
    })
  })

  describe('names, fields and functions', () => {
    it('suggests similar names', () => {
      expect(problems('alrt.id')).to.deep.equal([
        "unknown_name: alrt: unknown name 'alrt' (did you mean alert?)",
      ])
      expect(problems('b.stats')).to.deep.equal([
        "unknown_field: stats: b has no field 'stats' (did you mean status?)",
      ])
      expect(problems('alert.id.lowerAsci()')).to.deep.equal([
        "unknown_function: lowerAsci: there is no function 'lowerAsci' (did you mean lowerAscii?)",
      ])
      expect(problems('b.status == pending')[0]).to.include('it is compared with text: write "pending"')
      expect(problems('pending')[0]).to.include("put text into quotes: 'pending'")
      expect(problems('alert.id == alrt')[0]).to.include('did you mean alert?')
    })

    it('treats the name in a misspelled macro as a variable', () => {
      expect(problems('[1].filtr(x, x > 1)')).to.deep.equal([
        "unknown_function: filtr: there is no function 'filtr' (did you mean filter?)",
      ])
      expect(problems('[1].transformMap(i, v, i + v)')).to.have.length(1)
      expect(problems('[1].filtr(x, y > 1)')).to.have.length(3)
      expect(problems('alert.id.replac(old, "b")')).to.have.length(2)
      expect(problems('foo(bar, 1)')).to.have.length(2)
    })

    it('recognizes functions of other languages', () => {
      expect(problems('alert.id.toLowerCase()')[0]).to.include('write lowerAscii()')
      expect(problems('alert.id = "x"')).to.deep.equal(["syntax: =: unexpected '=' (use == to compare)"])
      expect(problems('alert.id === "x"')[0]).to.include('use == to compare')
      expect(problems('has(b.note) and b.count > 1')[0]).to.include('use && for "and"')
      expect(problems('${{ alert.id }}')[0]).to.include('inner ${{ }}')
    })

    it('explains how to read keys that are not names', () => {
      const said = (key: string) => `(write ["${key}"] instead of .${key}, and "${key}" in … for has(…))`
      for (const key of ['@timestamp', '2fa', '$ref', '@a.b-c']) {
        expect(problems(`alert.data.${key} == "x"`)).to.deep.equal([
          `syntax: ${key}: '${key}' is not a valid name after a dot ${said(key)}`,
        ])
      }
      const hyphen = `unknown_name: name: unknown name 'name': user-name is read as a subtraction ${said('user-name')}`
      expect(problems('alert.data.user-name == "x"')).to.deep.equal([hyphen])
      expect(problems('alert.data.?user-name')[0]).to.deep.equal(hyphen)
      expect(problems('alert.id-name')).to.have.length(1)
      expect(problems('b.sent-at')[0]).to.equal(
        `unknown_field: sent: b has no field 'sent' ${said('sent-at')}`,
      )
      expect(problems('alert.data.user - name')[0]).not.to.include('subtraction')
      expect(problems('true?.5:1')).to.deep.equal([])
      expect(problems('has(alert.data["@timestamp"])')[0]).to.include('(write "@timestamp" in alert.data)')
    })

    it('accepts any key between backticks', () => {
      expect(
        problems('has(alert.data.`@timestamp`) && alert.data.`a "b" ü` == alert.data.?`$x`.y'),
      ).to.deep.equal([])
      expect(problems('b.`sent-at`')).to.deep.equal([])
      expect(problems('alert.data.`x')[0]).to.include('another backtick')
    })

    it('counts arguments and checks their types', () => {
      expect(problems('alert.id.contains()')).to.deep.equal([
        'wrong_arguments: alert.id.contains(): contains() takes 1 argument, found 0',
      ])
      expect(problems('alert.id.contains(1)')).to.deep.equal([
        'wrong_type: 1: contains() expects string, found int (convert with string(…))',
      ])
      expect(problems('sha256(b.tags)')[0]).to.include('convert with json(…)')
    })

    it('leaves unknown types to run time', () => {
      expect(
        problems('alert.data.x.y[0].z + 1 > alert.data.limit && alert.data.f.contains("a")'),
      ).to.deep.equal([])
    })

    it('checks literal patterns and times immediately', () => {
      expect(problems('alert.id.matches("(")')[0]).to.match(/^invalid_literal: "\(": .*not a valid pattern/)
      expect(problems('duration("soon")')[0]).to.match(/^invalid_literal: "soon"/)
      expect(problems('timestamp("2026-02-30T00:00:00Z")')[0]).to.match(/^invalid_literal/)
    })
  })

  describe('constant parts', () => {
    it('are computed immediately if they decide the result', () => {
      for (const [source, at] of [
        ['now.getHours("Europe/Berlin")', '"Europe/Berlin"'],
        ['inputs.within > duration("1h") || now.getMonth("x") == 1', '"x"'],
        ['cidrContains("10.0.0.0/33", alert.id)', '"10.0.0.0/33"'],
        ['cidrContains(alert.id, "no ip")', '"no ip"'],
        ['isPrivateIp("no ip")', '"no ip"'],
        ['"%q".format([alert.id])', '"%q"'],
        ['"%s of %d".format([alert.id])', '"%s of %d"'],
        ['alert.data.x + int("abc")', 'int("abc")'],
        ['bool("yes") ? 1 : 2', 'bool("yes")'],
        ['[b.count, parseJson("{")]', 'parseJson("{")'],
        ['base64Decode("?")', 'base64Decode("?")'],
        ['[1, 2][7] == b.count', '[1, 2][7]'],
        ['b.count > 1 / 0', '1 / 0'],
        ['b.score / 0', 'b.score / 0'],
        ['b.count % 0', 'b.count % 0'],
        ['b.tags.map(t, "abc".substring(9))', '"abc".substring(9)'],
        ['9223372036854775807 + 1', '9223372036854775807 + 1'],
      ] as const) {
        const [problem, ...others] = problems(source)
        expect(problem, source).to.match(/^invalid_literal: /)
        expect(problem, source).to.include(`invalid_literal: ${at}: `)
        expect(others, source).to.deep.equal([])
      }
    })

    it('are networks only with a prefix length', () => {
      expect(problems('cidrContains("10.0.0.0", alert.id)')).to.deep.equal([
        `invalid_literal: "10.0.0.0": '10.0.0.0' is one address, not a network (write its length behind it, as in 10.0.0.0/8; one address is compared with ==)`,
      ])
    })

    it('are accepted if they work, or if other values decide', () => {
      for (const source of [
        'now.getHours("+02:00") + [1, 2][1] + int("4") / 2',
        '"%s: %.1f%%".format([alert.id, b.score])',
        '"%s %s".format(b.tags)',
        'cidrContains("10.0.0.0/8", alert.id) && isPrivateIp(alert.id)',
        '[1, 0].exists(x, 1 / x == 1)',
        'optional.none().orValue(1) + 1',
        'b.count > 1 || 1 / 0 > 1 || true',
      ])
        expect(problems(source), source).to.deep.equal([])
    })

    it('are left to run time if they take long', () => {
      const long = `"${'x'.repeat(900)}"`
      const source = `[${long}].join(${long}).replace("x", ${long}).replace("x", ${long}).size() / 0`
      expect(problems(source)).to.deep.equal([])
    })
  })

  describe('operators', () => {
    it('refuses operands that never match, and suggests a conversion', () => {
      expect(problems('"a" + b.count')[0]).to.match(/\(convert with string\(…\)\)$/)
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
      // What is hinted at is accepted.
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
