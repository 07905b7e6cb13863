import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import {
  maxHeight,
  maxNesting,
  maxExpressionNodes,
  maxExpressionBytes,
} from '../../core/expression/values/budget.ts'
import { maxValueDepth } from '../../core/expression/values/operators.ts'
import {
  compileExpression,
  dyn,
  isNamespaced,
  macros,
  object,
  toJsonValue,
  typeOfSchema,
} from '../../core/expression/index.ts'
import { calledName, functionDocs, functionSections } from '../../core/editor/function-docs/index.ts'
import { stringifyJson } from '../../core/common/json.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { getEnrichment } from '../../plugins/intel-provider/skills/get-enrichment.ts'
import { searchUserTravel } from '../../plugins/travel/skills/search-user-travel.ts'
import { allFunctions } from '../../core/expression/functions/standard-library.ts'

const file = new URL('../../docs/expressions.md', import.meta.url)
const page = readFileSync(file, 'utf8')

const stepOf = (schema: JsonSchema) => object({ output: typeOfSchema(schema) })
/** Steps with the shipped skills. */
const shippedSteps = object({
  intel: stepOf(getEnrichment.output),
  trips: stepOf(searchUserTravel.output),
})

function resultOf(example: string): string {
  const { program, problems } = compileExpression(example, {})
  expect(problems, example).to.deep.equal([])
  return stringifyJson(toJsonValue(program?.evaluate({})))
}

/** A table in Markdown with aligned columns. */
function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((row) => Array.from(row[at]!).length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell + ' '.repeat(widths[at]! - Array.from(cell).length)).join(' | ')} |`
  const [head, ...body] = cells.map(line)
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}

const head = ['Signature', 'Meaning', 'Example', 'Result']

function tableOf(section: string): string {
  const docs = functionSections[section]
  if (docs === undefined) throw new Error(`there is no section '${section}' of functions`)
  const rows = docs.map(({ signature, meaning, example }) => [
    `\`${signature}\``,
    meaning,
    `\`${example}\``,
    `\`${resultOf(example)}\``,
  ])
  return table([head, ...rows])
}

describe('docs/expressions.md', () => {
  it('has the tables of functions with the results of their examples (UPDATE=1 writes them)', () => {
    const written = page.replaceAll(
      /(<!-- functions (\w+) -->\n)[^]*?(<!-- \/functions -->)/g,
      (_, begin: string, section: string, end: string) => `${begin}\n${tableOf(section)}\n\n${end}`,
    )
    if (process.env['UPDATE']) writeFileSync(file, written)
    else expect(page).to.equal(written)
    const shown = [...written.matchAll(/<!-- functions (\w+) -->/g)].map(([, section]) => section)
    expect(shown).to.deep.equal(Object.keys(functionSections))
  })

  it('starts with valid expressions', () => {
    const [, block = ''] = /^```\n([^]*?)^```$/m.exec(page) ?? []
    const shown = block.trim().split('\n')
    expect(shown.length).to.be.greaterThan(2)
    for (const source of shown)
      expect(compileExpression(source, { alert: dyn, steps: shippedSteps }).problems, source).to.deep.equal(
        [],
      )
  })

  it('combines functions that exist', () => {
    const [, rows = ''] = /Some tasks take two of them:\n\n([^]*?)\n\n/.exec(page) ?? []
    const sources = [...rows.matchAll(/`([^`]+)`/g)].map(([, source]) => source!)
    expect(sources).to.have.length.greaterThan(5)
    const scope = { list: dyn, map: dyn, table: dyn }
    for (const source of sources) expect(compileExpression(source, scope).problems, source).to.deep.equal([])
  })

  it('is right about the letters of patterns of times', () => {
    const rows = [...page.matchAll(/^\| (`%[^|]*?) +\|[^|]+\| ([^|]*?) +\|$/gm)]
    const shown = rows.flatMap(([, letters = '', examples = '']) => {
      const [patterns, results] = [letters, examples].map((cell) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
      )
      return patterns!.map((pattern, at): [string, string | undefined] => [pattern, results![at]])
    })
    expect(shown.length).to.be.greaterThan(25)
    const time = 'timestamp("2026-03-01T19:05:09.25Z")'
    for (const [pattern, result] of shown) {
      const written = JSON.parse(resultOf(`${time}.format("${pattern}", "Europe/Berlin")`)) as string
      if (result !== undefined) expect(written, pattern).to.equal(result)
    }
  })

  const claims: Readonly<Record<string, readonly [source: string, result: unknown]>> = {
    'every number in data is a double': ['count / 2', 1.5],
    'two literals are ints': ['3 / 2', 1],
    'a time leaves as text in UTC': ['timestamp("2026-03-01T09:00:00+01:00")', '2026-03-01T08:00:00Z'],
    'a duration leaves as seconds': ['duration("1m30s")', '90s'],
    'what is read from an optional is an optional': ['data.?b.c.d.orValue("none")', 'none'],
    'has() guards': ['has(data.b) ? data.b : 0', 0],
    'null is no reason for orValue': ['data.?n.orValue(0)', null],
    'a default for null is a condition': ['data.n == null ? 0 : data.n', 0],
    'a default for both is one too': ['has(data.n) && data.n != null ? data.n : 0', 0],
    'fields may stand in backticks': ['data.`x-id`', 7],
    'an error on one side does not matter if the other decides': ['data.missing == 1 || true', true],
    'all and exists stop at what decides': ['[1, 0].exists(x, 1 / x == 1)', true],
    'two nested loops over 200 items are fine': ['items.all(x, items.all(y, x == y))', true],
  }
  const data = { count: 3, data: { 'x-id': 7, n: null }, items: Array.from({ length: 200 }, () => 1) }
  const names = { count: dyn, data: dyn, items: dyn }
  for (const [claim, [source, result]] of Object.entries(claims)) {
    it(`is right that ${claim}`, () => {
      const { program, problems } = compileExpression(source, names)
      expect(problems).to.deep.equal([])
      expect(toJsonValue(program?.evaluate(data))).to.equal(result)
    })
  }

  it('is right that three nested loops over 200 items exceed the limit', () => {
    const { program } = compileExpression('items.all(x, items.all(y, items.all(z, x == y)))', names)
    expect(() => program?.evaluate(data))
      .to.throw()
      .with.property('code', 'expression_fuel_exhausted')
  })

  it('states the actual limits', () => {
    const rows = new Map(
      [...page.matchAll(/^\| (\w[\w ]*\w) +\| ([\d,]+)\D/gm)].map(([, what, limit]) => [what, limit]),
    )
    expect(Object.fromEntries(rows)).to.deep.include({
      source: String(maxExpressionBytes / 1024),
      nesting: String(maxNesting),
      nodes: maxExpressionNodes.toLocaleString('en'),
      'depth of compared values': String(maxValueDepth),
    })
    expect(page).to.include(`may have ${maxHeight} links`)
  })

  it('shows exactly the functions of the profile', () => {
    const methods = [...macros.keys()].filter((name) => name !== 'existsOne').map((name) => `.${name}`)
    const known = allFunctions.map(({ name, receiver }) => (receiver ? `.${name}` : name))
    expect([...new Set(functionDocs.map(calledName))].toSorted()).to.deep.equal(
      ['has', 'cel.bind', ...methods, ...known].toSorted(),
    )
  })

  it('knows the functions of each namespace', () => {
    const names = allFunctions.filter(({ receiver }) => !receiver).map(({ name }) => name.split('.'))
    for (const [space, member] of names)
      if (member !== undefined) expect(isNamespaced(space!, member), `${space}.${member}`).to.equal(true)
  })

  it('lists each error code', () => {
    const source = readFileSync(new URL('../../core/expression/values/errors.ts', import.meta.url), 'utf8')
    const codes = [...source.matchAll(/'(expression_\w+)'/g)].map(([, code]) => code)
    const listed = [...page.matchAll(/^\| `(expression_\w+)`/gm)].map(([, code]) => code)
    expect(new Set(listed)).to.deep.equal(new Set(codes))
  })
})
