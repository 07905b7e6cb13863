import { expect } from 'chai'
import * as fc from 'fast-check'
import { check, marked, withSteps } from './support.ts'
import { tries } from '../support/random.ts'

/** Scalars of every style with the unknown name `nobody` in an expression: its place must be exact. */
const scalars: Readonly<Record<string, string>> = {
  plain: '${{ nobody }}',
  'plain, in text': 'a ${{ run.id }} b ${{ nobody }} c',
  'plain, folded': 'first line\n        second ${{ nobody }}\n        third',
  'plain, folded over an empty line': 'first\n\n\n        second ${{ nobody }}',
  'plain, expression over lines': '${{ run.id +\n            nobody }}',
  single: "'${{ nobody }}'",
  'single, with doubled quotes': "'it''s ''here'' ${{ ''x'' + nobody }}'",
  'single, folded': "'a\n\n        b''c ${{ nobody }}'",
  double: '"${{ nobody }}"',
  'double, with escapes': '"tab\\t \\u00e9 \\x41 \\U0001F600 \\"q\\" \\\\ ${{ nobody }}"',
  'double, with escapes in the expression': '"${{ \\"a\\" + nobody }}"',
  'double, folded': '"a   \n        b ${{ nobody }}"',
  'double, with escaped line end': '"a \\\n        b \\\n        ${{ nobody }}"',
  'double, with an escaped newline': '"a\\n  \\n b\\n${{ nobody }}"',
  literal: '|\n        a\n            indented\n\n        ${{ nobody }}\n',
  'literal, with indentation indicator': '|2\n            a\n        ${{ nobody }}\n',
  'literal, kept': '|+\n        ${{ nobody }}\n\n\n',
  'literal, expression over lines': '|-\n        ${{ run.id +\n             nobody }}',
  folded: '>\n        a b\n        c ${{ nobody }} d\n',
  'folded, with more indentation':
    '>-\n        a\n            - b\n            - c\n\n        d\n        e ${{ nobody }}\n',
  'after characters beyond the basic plane': '😀 é ${{ "😀" + nobody }}',
  'with an anchor': '&x ${{ nobody }}',
}

describe('the position of a problem in an expression', () => {
  for (const [style, scalar] of Object.entries(scalars)) {
    it(`is exact in a scalar: ${style}`, () => {
      const source = withSteps(`  - return:\n      key: ${scalar}\n`)
      const problems = check(source)
      expect(problems.map(({ code }) => code)).to.deep.equal(['E204'])
      expect(marked(source, problems[0]!)).to.equal('nobody')
    })
  }

  it('is exact in a condition, bare or quoted', () => {
    for (const written of [
      'nobody',
      '"nobody"',
      "run.id == 'a' || nobody",
      '"\\"a\\" == nobody"',
      '>-\n      nobody ||\n      true',
    ]) {
      const source = withSteps(`  - if: ${written}\n    return: 1`)
      const problems = check(source)
      expect(
        problems.map(({ code }) => code),
        written,
      ).to.deep.equal(['E204'])
      expect(marked(source, problems[0]!)).to.equal('nobody')
    }
  })

  it('is exact in an alias: at its anchor', () => {
    const source = withSteps('  - set: &x { a: "${{ nobody }}" }\n  - return: *x')
    const problems = check(source)
    expect(problems).to.have.lengthOf(1)
    expect(marked(source, problems[0]!)).to.equal('nobody')
  })

  it('is exact in any surrounding text, in every style', () => {
    const text = fc.stringMatching(/^[a-zé😀'"\\ \n#:-]{0,30}$/u)
    const style = fc.constantFrom('single', 'double', 'literal')
    fc.assert(
      fc.property(text, text, style, (before, after, chosen) => {
        const source = withSteps(
          `  - return:\n      key: ${write(`${before}\${{ nobody }}${after}`, chosen)}\n`,
        )
        const [problem, ...others] = check(source)
        return problem?.code === 'E204' && others.length === 0 && marked(source, problem) === 'nobody'
      }),
      tries(200),
    )
  })
})

function write(value: string, style: string): string {
  if (style === 'double') return JSON.stringify(value)
  const indent = '\n          '
  if (style === 'single') return `'${value.replaceAll("'", "''").replaceAll(/ *\n */g, `\n${indent}`)}'`
  return `|2-\n        ${value.replaceAll('\n', '\n        ')}`
}
