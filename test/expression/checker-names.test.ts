import { expect } from 'chai'
import { problems } from './checked.ts'

describe('checking expressions', () => {
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

    it('finds a field inside of the fields, and in data without a schema', () => {
      expect(problems('b.label')[0]).to.include('(did you mean b.parent.label?)')
      expect(problems('alert.account')[0]).to.include('(did you mean alert.data.account?)')
      expect(problems('alert.id[0]')[0]).to.include('(write alert.id.charAt(0))')
      expect(problems('b.zebra')[0]).not.to.include('did you mean')
    })

    it('treats the name in a misspelled macro as a variable', () => {
      expect(problems('[1].filtr(x, x > 1)')).to.deep.equal([
        "unknown_function: filtr: there is no function 'filtr' (did you mean filter?)",
      ])
      expect(problems('[1].transfrmMap(i, v, i + v)')).to.have.length(1)
      expect(problems('[1].filtr(x, y > 1)')).to.have.length(3)
      expect(problems('alert.id.replac(old, "b")')).to.have.length(2)
      expect(problems('foo(bar, 1)')).to.have.length(2)
    })

    it('recognizes functions of other languages', () => {
      expect(problems('alert.id.toLowerCase()')[0]).to.include('write lower()')
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
        ['now.getHours("Europe/Berlim")', '"Europe/Berlim"'],
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

    it('are accepted if they are valid, or if it depends on other values', () => {
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
})
