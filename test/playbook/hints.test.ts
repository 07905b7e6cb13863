import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { typeOfSchema } from '../../core/expression/index.ts'
import { checkFit } from '../../core/playbook/check/check-fit.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { openSource } from '../../core/playbook/yaml/open-source.ts'
import { writtenValue } from '../../core/playbook/template/template.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { catalogue, withSteps } from './support.ts'

const fixture = new URL('fixtures/likely-mistakes.md', import.meta.url)
const section = /^## (.*)\n\n```\n([\s\S]*?)\n```\n\n```\n[\s\S]*?```\n/gm

/** Hints with a replacement for the marked text. */
const replacement = /^(?:did you mean (.+)\?|(?:remove the quotes|put it into quotes): (\S+))$/

function spanOf(source: string, { line, column, endLine, endColumn }: Problem): readonly [number, number] {
  const lines = source.split('\n')
  const offset = (at: number, col: number) =>
    lines.slice(0, at - 1).reduce((sum, each) => sum + each.length + 1, 0) + col - 1
  return [offset(line, column), offset(endLine, endColumn)]
}

/** The source with the hint applied literally; undefined if the hint is advice in words. */
function followed(source: string, problem: Problem): string | undefined {
  const [, meant, literal] = replacement.exec(problem.hint ?? '') ?? []
  const [start, end] = spanOf(source, problem)
  const written = meant ?? literal
  if (written === undefined) return undefined
  // Messages quote a name that is written without quotes.
  const bare = /^'(.*)'$/.exec(written)?.[1]
  const isBare = meant !== undefined && bare !== undefined && !/^["']/.test(source.slice(start, end))
  return source.slice(0, start) + (isBare ? bare : written) + source.slice(end)
}

const problemsOf = (source: string) => parsePlaybook(source, { catalogue }).problems

/** The remaining problem at this place after the hint was applied; undefined if it could not be applied. */
function left(source: string, problem: Problem): string | undefined {
  const mended = followed(source, problem)
  if (mended === undefined) return undefined
  if (mended === source) return `"${problem.hint}" changes nothing`
  const there = problemsOf(mended).filter(
    ({ code, severity, line, column }) =>
      (severity === 'error' || code === problem.code) && line === problem.line && column === problem.column,
  )
  return there.map(({ code, message }) => `${code} ${message}`).join('; ')
}

describe('hints, followed literally,', () => {
  const pieces = Array.from(readFileSync(fixture, 'utf8').matchAll(section), ([, title, piece = '']) => ({
    title,
    source: /^\w/.test(piece) ? piece : withSteps(piece),
  }))

  it('fix their problem', () => {
    let count = 0
    const bad: string[] = []
    for (const { title, source } of pieces) {
      for (const problem of problemsOf(source)) {
        const rest = left(source, problem)
        if (rest !== undefined) count++
        if (rest) bad.push(`${title}: ${problem.code} ${problem.message} (${problem.hint}) => ${rest}`)
      }
    }
    expect(bad).to.deep.equal([])
    expect(count).to.be.greaterThan(40)
  })

  const enrichment = '  - { id: a, uses: intel_provider.get_enrichment, with: { kind: ip, value: abc } }\n'
  const step = (text: string) => withSteps(`${enrichment}  - ${text}`)
  const setOf = (expression: string) => `set: { x: '${expression}' }`

  for (const [what, [before, hint, after]] of Object.entries<readonly [string, string, string]>({
    'null in single quotes': [
      setOf('of ${{ steps.a.output.owner }}'),
      'write steps.a.output.owner == null ? "" : steps.a.output.owner',
      setOf('of ${{ steps.a.output.owner == null ? "" : steps.a.output.owner }}'),
    ],
    'null in double quotes': [
      'set: { x: "of ${{ steps.a.output.owner }}" }',
      "write steps.a.output.owner == null ? '' : steps.a.output.owner",
      'set: { x: "of ${{ steps.a.output.owner == null ? \'\' : steps.a.output.owner }}" }',
    ],
    'a list in text': [
      setOf('of ${{ steps.a.output.tags }}'),
      'join it: .join(", ")',
      setOf('of ${{ steps.a.output.tags.join(", ") }}'),
    ],
    'a list where text is expected': [
      "uses: messaging.send_message\n    with: { text: '${{ steps.a.output.tags }}' }",
      'join it: .join(", ")',
      'uses: messaging.send_message\n    with: { text: \'${{ steps.a.output.tags.join(", ") }}\' }',
    ],
    'text without quotes': [
      setOf('${{ steps.a.output.status == confirmed }}'),
      'it is compared with text: write "confirmed"',
      setOf('${{ steps.a.output.status == "confirmed" }}'),
    ],
    'the largest of a list': [
      setOf('${{ [3, 5].maximum() }}'),
      'write math.greatest(a, b), or list.max()',
      setOf('${{ [3, 5].max() }}'),
    ],
    'a duration that is too long': ['wait: 9999d', 'write 366d or less', 'wait: 1h'],
    'weeks beyond a year': ['wait: 60 weeks', 'write 366d or less', 'wait: 1h'],
    'a number of seconds, none': ['wait: 0', 'write it like 500ms, 30s, 5m, 2h, 1d or 1h30m', 'wait: 1h30m'],
    'a timeout below zero': [
      'steps: [{ set: { x: 1 } }]\n    timeout: -5',
      'write it like 500ms, 30s, 5m, 2h, 1d or 1h30m',
      'steps: [{ set: { x: 1 } }]\n    timeout: 500ms',
    ],
  })) {
    it(`explain how to fix ${what}`, () => {
      const said = problemsOf(step(before)).filter(({ severity }) => severity === 'error')
      expect(said.map((problem) => problem.hint)).to.deep.equal([hint])
      expect(problemsOf(step(after)).filter(({ severity }) => severity === 'error')).to.deep.equal([])
    })
  }

  it('name only functions with matching parameters', () => {
    const hints = ['[3].min()', '[3].mop()', '[3].map()', '"a".al()']
      .flatMap((expression) => problemsOf(step(setOf(`\${{ ${expression} }}`))))
      .map(({ hint }) => hint)
    expect(hints.filter((hint) => hint?.startsWith('did you mean'))).to.deep.equal([])
  })

  it('report the wrong part of a map at its position', () => {
    const source = withSteps(
      '  - checkpoint: { via: operator, with: { message: x, labels: { yes: 5 } }, answers: [yes], timeout: 1h }',
    )
    const said = problemsOf(source).map(({ code, message, hint }) => `${code} ${message} (${hint})`)
    expect(said).to.deep.equal([
      'E307 expected a string for \'labels.yes\', found the number 5 (put it into quotes: "5")',
    ])
  })

  describe('about values that violate their schema', () => {
    const text = { type: 'string' } as const
    const schemas: readonly JsonSchema[] = [
      text,
      { type: 'integer' },
      { type: 'boolean' },
      { enum: ['a', 'b'] },
      { type: 'array', items: text },
      { type: 'array', items: { type: 'object', required: ['a'], properties: { a: text } } },
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } },
      { type: ['object', 'string'], additionalProperties: text },
      {
        oneOf: [
          { type: 'object', required: ['k'], additionalProperties: false, properties: { k: { const: 'a' } } },
          { type: 'object', additionalProperties: { type: 'integer' } },
        ],
      },
    ]
    const values = [
      'x',
      '5',
      '"5"',
      'true',
      'null',
      '-0',
      '[1]',
      '[[1]]',
      '{ a: 1 }',
      '{ a: x }',
      '{ a: [x] }',
    ]
    const codes = { unknown: 'E305', missing: 'E306', misfit: 'E307' } as const

    function misfits(schema: JsonSchema, value: string): readonly Problem[] {
      const { root, problems } = openSource(`v: ${value}\n`, undefined)
      if (root?.kind !== 'map') throw new Error(`${value} cannot be read`)
      checkFit(problems, writtenValue(root.entries[0]!.value), typeOfSchema(schema), 'v', codes)
      return problems.list()
    }

    it('never expect the type that was found', () => {
      for (const schema of schemas)
        for (const value of values)
          for (const { message } of misfits(schema, value)) {
            expect(message).not.to.match(/must be (?:.* or )?(.+?)(?: or .+)?, not \1$/)
            expect(message).not.to.match(/(a \w+) or \1/)
          }
    })

    it('fix them if they say what to write', () => {
      let count = 0
      for (const schema of schemas)
        for (const value of values)
          for (const { hint, line, column, endColumn, message } of misfits(schema, value)) {
            const written = /^(?:put it into quotes: |remove the quotes: |write )(.+)$/.exec(hint ?? '')?.[1]
            if (written === undefined) continue
            count++
            expect(line).to.equal(1)
            const source = `v: ${value}`
            const mended = source.slice(3, column - 1) + written + source.slice(endColumn - 1)
            const rest = misfits(schema, mended).map((problem) => problem.message)
            expect(rest, `${value} → ${mended}`).not.to.include(message)
            expect(rest, `${value} → ${mended}`).to.deep.equal([])
          }
      expect(count).to.be.greaterThan(10)
    })

    it('accept a value that fits one of several map types', () => {
      expect(misfits(schemas.at(-1)!, '{ a: 1 }')).to.deep.equal([])
    })
  })
})
