import { expect } from 'chai'
import { PlaybookError } from '../../core/errors/playbook-error.ts'
import { formatProblem, type SourceProblem } from '../../core/errors/source-frame.ts'
import { check, withSteps } from './support.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'

const problem = (changes: Partial<SourceProblem>): SourceProblem => ({
  code: 'E202',
  severity: 'error',
  message: 'wrong',
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 2,
  ...changes,
})

/** Columns of the carets: the text above them. */
function underlined(frame: string): string {
  const [, line = '', carets = ''] = frame.split('\n')
  const start = carets.indexOf('^')
  return line.slice(start, carets.lastIndexOf('^') + 1)
}

describe('formatProblem', () => {
  it('shows place, code, message, line, caret range and hint', () => {
    const source = withSteps(
      '  - { id: a, uses: intel_provider.get_enrichment, with: { kind: ip, value: abc } }\n  - set:\n      x: ${{ steps.a.output.status == "confimed" }}',
    )
    const [found] = check(source, { file: 'playbooks/travel.yaml' })
    expect(formatProblem(found!, source)).to.equal(
      [
        `playbooks/travel.yaml:7:39  error E202  ${found!.message}`,
        '    7 |       x: ${{ steps.a.output.status == "confimed" }}',
        `      |                                       ^^^^^^^^^^  hint: ${found!.hint}`,
      ].join('\n'),
    )
    expect(found!.hint).to.include('confirmed')
  })

  it('escapes terminal control characters', () => {
    const source = 'a: \u001b[2J\u0007\u202e\u200b x'
    const hostile = {
      message: 'bad \u001b[31m',
      hint: '\u009b',
      file: 'a\nb.yaml',
      column: 12,
      endColumn: 13,
    }
    const frame = formatProblem(problem(hostile), source)
    expect(frame).to.not.match(/[^\n\P{Cc}]|\p{Cf}/u)
    expect(frame).to.include('\\x1b[2J\\x07\\u{202e}\\u{200b} x')
    expect(underlined(frame)).to.equal('x')
  })

  it('puts the caret under the character, also after tabs and wide or combining characters', () => {
    const frame = formatProblem(problem({ column: 4, endColumn: 7 }), 'a:\t日本x')
    expect(frame.split('\n')[2]).to.equal('      |    ^^^^^')
    const combined = formatProblem(problem({ column: 3, endColumn: 4 }), 'e\u0301x')
    expect(combined.split('\n')[2]).to.equal('      |  ^')
    const beyond = formatProblem(problem({ column: 3, endColumn: 4 }), '😀x')
    expect(beyond.split('\n')[2]).to.equal('      |   ^')
  })

  it('shows the part of a long line where the caret is', () => {
    const source = `${'a'.repeat(5000)}HERE${'b'.repeat(5000)}`
    const frame = formatProblem(problem({ column: 5001, endColumn: 5005 }), source)
    expect(underlined(frame)).to.equal('HERE')
    for (const line of frame.split('\n')) expect(line.length).to.be.below(120)
    expect(frame).to.include('…')
  })

  it('shows hundreds of problems in one long line quickly', () => {
    const source = 'a'.repeat(250_000)
    const started = processorTime()
    for (let at = 1; at <= 200; at++)
      formatProblem(problem({ column: at * 1000, endColumn: at * 1000 + 5 }), source)
    expect(processorTime() - started).to.be.below(limitHere(1000))
  })

  it('marks a range over several lines up to the end of the first', () => {
    const frame = formatProblem(problem({ column: 4, endLine: 3, endColumn: 1 }), 'a: bcd\r\nx\ny')
    expect(underlined(frame)).to.equal('bcd')
  })

  it('omits the line if the source has none', () => {
    expect(formatProblem(problem({ line: 9, hint: 'look' }), 'a')).to.equal(
      '9:1  error E202  wrong\n  hint: look',
    )
    expect(formatProblem(problem({}), '')).to.equal('1:1  error E202  wrong\n    1 |\n      | ^')
  })

  it('counts columns after a byte order mark', () => {
    expect(underlined(formatProblem(problem({}), '\uFEFFname'))).to.equal('n')
  })
})

describe('PlaybookError', () => {
  it('carries the problems and counts the errors', () => {
    const problems = [problem({}), problem({ severity: 'warning' })]
    const error = new PlaybookError('a.yaml', problems)
    expect(error).to.include({
      code: 'playbook_invalid',
      message: 'a.yaml has 1 problem',
      name: 'PlaybookError',
    })
    expect(error.problems).to.deep.equal(problems)
    expect(JSON.parse(JSON.stringify(error.details))).to.deep.equal({ problems })
  })
})
