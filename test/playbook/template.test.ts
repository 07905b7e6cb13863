import { expect } from 'chai'
import { evaluateTemplate } from '../../core/playbook/template/template.ts'
import { splitTemplate } from '../../core/playbook/yaml/template-text.ts'
import { check, codesOf, parsed, withSteps } from './support.ts'

const scope = {
  alert: {
    id: 'ACME-siem-1',
    data: JSON.parse('{"n": 5, "ip": "192.0.2.1", "list": [1, 2], "__proto__": {"x": 1}}'),
  },
  run: { id: 'r1', started_at: '2026-03-01T08:00:00Z', dry_run: false },
}

/** What `return: <yaml>` gives. */
function returned(yaml: string): unknown {
  const [step] = parsed(withSteps(`  - return: ${yaml}`)).steps
  if (step?.action !== 'return') throw new Error('no return')
  return evaluateTemplate(step.return, scope)
}

describe('a template', () => {
  it('keeps the type of a single expression', () => {
    expect(returned('${{ alert.data.n }}')).to.equal(5)
    expect(returned('"${{ alert.data.list }}"')).to.deep.equal([1, 2])
    expect(returned('>\n      ${{ alert.data.n\n        + 1 }}')).to.equal(6)
    expect(returned(`'\${{ {"a": {"b": run.dry_run}} }}'`)).to.deep.equal({ a: { b: false } })
  })

  it('names the expression whose value is not JSON, and the cause', () => {
    expect(() => returned('{ deep: "${{ [alert.data.n / (alert.data.n - 5)] }}" }'))
      .to.throw('the value of [alert.data.n / (alert.data.n - 5)] cannot be stored: JSON has no Infinity')
      .with.property('hint')
      .that.includes('division by zero')
  })

  it('is a string if there is text around the expression', () => {
    expect(returned('n=${{ alert.data.n }}, ${{ run.dry_run }}')).to.equal('n=5, false')
    expect(returned('at ${{ run.started_at + duration("1h") }}')).to.equal('at 2026-03-01T09:00:00Z')
    expect(returned('|\n      a ${{ run.id }}\n      b\n')).to.equal('a r1\nb\n')
  })

  it('escapes $${{', () => {
    expect(returned('$${{ secrets.x }}')).to.equal('${{ secrets.x }}')
    expect(returned('$${{ a }} is ${{ run.id }}')).to.equal('${{ a }} is r1')
    expect(returned('costs $5 {{ x }}')).to.equal('costs $5 {{ x }}')
  })

  it('evaluates lists and maps, also with a key `__proto__`', () => {
    expect(returned('{ a: [1, "${{ run.id }}", { b: "x${{ run.id }}" }], c: null }')).to.deep.equal({
      a: [1, 'r1', { b: 'xr1' }],
      c: null,
    })
    for (const value of ['1', '"${{ run.id }}"']) {
      const made = returned(`{ __proto__: { polluted: ${value} }, a: 1 }`) as object
      expect(Object.getPrototypeOf(made)).to.equal(Object.prototype)
      expect(Object.keys(made)).to.deep.equal(['__proto__', 'a'])
      expect((made as { polluted?: unknown }).polluted).to.equal(undefined)
    }
  })

  it('freezes literals, because all runs share them', () => {
    const value = returned('{ a: [1], b: { c: 2 } }') as { a: number[]; b: { c: number } }
    expect(() => value.a.push(2)).to.throw(TypeError)
    expect(() => (value.b.c = 3)).to.throw(TypeError)
  })

  it('ends an expression at its own braces, not at those in strings or maps', () => {
    for (const inner of ['"}}"', "'}}'", '{"a": {"b": 1}}', '"\\"}}"', 'r"\\"', '"""}}"""', "'it\\'s }}'"]) {
      const [segment, ...others] = splitTemplate(`\${{ ${inner} }}`)
      expect(others, inner).to.deep.equal([])
      expect(segment).to.deep.equal({ kind: 'expression', start: 3, end: 5 + inner.length })
    }
  })

  it('reports unclosed and empty braces with positions', () => {
    const problems = check(withSteps('  - fail: "a ${{ run.id } b"'))
    expect(problems).to.have.lengthOf(1)
    expect(problems[0]).to.include({ code: 'E201', line: 5, column: 14, endColumn: 17 })
    expect(codesOf(check(withSteps('  - fail: "a ${{ }}"')))).to.deep.equal(['E201'])
    expect(codesOf(check(withSteps('  - set: { "${{ run.id }}": 1 }')))).to.include('E107')
  })

  it('refuses non-scalars and values that may be null or missing in text', () => {
    const codes = (expression: string) => codesOf(check(withSteps(`  - fail: "x \${{ ${expression} }}"`)))
    expect(codes('[1, 2]')).to.deep.equal(['E211'])
    expect(codes('run')).to.deep.equal(['E211'])
    expect(codes('run.dry_run ? null : 1')).to.deep.equal(['E207'])
    expect(codes('alert.?data')).to.deep.equal(['E206'])
    expect(codes('alert.data.anything')).to.deep.equal([])
  })
})
