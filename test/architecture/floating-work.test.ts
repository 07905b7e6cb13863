import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFloatingWorks } from './floating-work.ts'

const root = join(import.meta.dirname, '../..')
/** The file that gets the planted calls at its end. */
const place = 'server/sql/runs/unfinished-work.ts'

/** What is wrong, and code of a generator that gets a `database` and `rows`. `asked` is a work. */
const planted: readonly (readonly [says: string, code: string])[] = [
  ['a statement of its own', 'asked(database)'],
  ['a statement of the database', `database.run('DELETE FROM facts')`],
  ['a condition', 'if (asked(database)) return'],
  ['a comparison', `if (database.get('SELECT 1') === undefined) return`],
  ['a variable', 'const found = asked(database); void found'],
  ['a choice', 'const found = rows.length > 0 ? asked(database) : undefined; void found'],
  ['a fallback', `const found = (yield* database.get('SELECT 1')) ?? asked(database); void found`],
  ['a property', 'const found = { asked: asked(database) }; void found'],
  ['an element', 'const found = [asked(database)]; void found'],
  ['a spread', 'const found = { ...asked(database) }; void found'],
  ['a part of a text', 'const found = `${asked(database)}`; void found'],
  ['an argument of any type', 'const found = String(asked(database)); void found'],
  ['a yield without its star', 'yield asked(database) as never'],
  ['the result of a callback of forEach', 'rows.forEach(() => asked(database))'],
  ['the result of a callback of map', 'const found = rows.map(() => asked(database)); void found'],
  ['the result of a callback of filter', 'const found = rows.filter(() => asked(database)); void found'],
  ['the result of a callback of then', 'void Promise.resolve().then(() => asked(database))'],
  ['the result of an async function', 'const later = async () => asked(database); void later'],
  [
    'the result of a generator',
    'const later = function* () { return asked(database) }; void (yield* later())',
  ],
]

describe('works', function () {
  this.timeout(120_000)
  let found: readonly string[]
  const original = readFileSync(join(root, place), 'utf8')
  const firstLine = original.split('\n').length + 1

  before(() => {
    const functions = planted.map(
      ([, code], at) =>
        `export function* planted${at}(database: Database, rows: readonly number[]): Work<void> { void rows; ${code} }\n`,
    )
    const asked = `function* asked(database: Database): Work<boolean> { return (yield* database.get('SELECT 1')) !== undefined }\n`
    found = findFloatingWorks(root, new Map([[place, `${original}${asked}${functions.join('')}`]]))
  })

  for (const [at, [says, code]] of planted.entries())
    it(`may not be ${says}: ${code}`, () => {
      const line = `${place}:${firstLine + at} `
      expect(found.filter((call) => call.startsWith(line))).to.have.length(1)
    })

  it('are all done', () => {
    const ours = found.filter(
      (call) => !planted.some((_, at) => call.startsWith(`${place}:${firstLine + at} `)),
    )
    expect(ours).to.deep.equal([])
  })
})
