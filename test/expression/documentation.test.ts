import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { compileExpression, toJsonValue } from '../../core/expression/index.ts'
import { stringifyJson } from '../../core/json.ts'
import { allFunctions } from '../../core/expression/functions/index.ts'

const page = readFileSync(new URL('../../docs/expressions.md', import.meta.url), 'utf8')

/** Rows such as | `signature` | meaning | `example` | `result` |. */
const rows = [...page.matchAll(/^\| `([^`]+)` +\|[^|]+\| `([^`]+)` +\| `([^`]+)` +\|$/gm)].map(
  ([, signature, example, result]) => ({ signature: signature!, example: example!, result: result! }),
)

describe('docs/expressions.md', () => {
  for (const { example, result } of rows) {
    it(`is right that ${example} is ${result}`, () => {
      const { program, problems } = compileExpression(example, {})
      expect(problems).to.deep.equal([])
      expect(stringifyJson(toJsonValue(program?.evaluate({})))).to.equal(result)
    })
  }

  it('shows each function of the profile, and no other', () => {
    const macros = [
      'has',
      '.all',
      '.exists',
      '.exists_one',
      '.filter',
      '.map',
      'cel.bind',
      '.optMap',
      '.optFlatMap',
    ]
    const shown = rows.map(({ signature }) => {
      const name = signature.slice(0, signature.indexOf('('))
      if (/^(cel|strings)\.|^optional\.(of|none)/.test(name)) return name
      return name.includes('.') ? name.slice(name.indexOf('.')) : name
    })
    const known = allFunctions.map(({ name, receiver }) => (receiver ? `.${name}` : name))
    expect([...new Set(shown)].toSorted()).to.deep.equal([...macros, ...known].toSorted())
  })

  it('lists each error code', () => {
    const source = readFileSync(new URL('../../core/expression/errors.ts', import.meta.url), 'utf8')
    const codes = [...source.matchAll(/'(expression_\w+)'/g)].map(([, code]) => code)
    const listed = [...page.matchAll(/^\| `(expression_\w+)`/gm)].map(([, code]) => code)
    expect(new Set(listed)).to.deep.equal(new Set(codes))
  })
})
