import { expect } from 'chai'
import { familiarNames } from '../../../core/expression/check/calls/familiar-functions.ts'
import { allFunctions } from '../../../core/expression/functions/standard-library.ts'
import { macros } from '../../../core/expression/index.ts'
import { problems } from '../checked.ts'

const names = new Set(['has', 'cel.bind', ...macros.keys(), ...allFunctions.map(({ name }) => name)])
const familiar = [...familiarNames()]

describe('functions of other languages', () => {
  it('are at least 80 names, none of which is ours', () => {
    expect(familiar.length).to.be.greaterThan(80)
    expect(familiar.map(([name]) => name).filter((name) => names.has(name))).to.deep.equal([])
  })

  it('are answered with functions that exist', () => {
    const stray = familiar.flatMap(([, hint]) =>
      [...hint.matchAll(/([A-Za-z_][\w.]*)\(/g)]
        .map(([, called]) => called!)
        .filter((called) => !names.has(called) && !names.has(called.slice(called.lastIndexOf('.') + 1))),
    )
    expect([...new Set(stray)]).to.deep.equal([])
  })

  it('are recognized as functions and as methods', () => {
    for (const [name, hint] of familiar)
      for (const source of [`${name}(alert.data)`, `alert.data.${name}()`])
        expect(problems(source)[0], source).to.include(`there is no function '${name}' (${hint})`)
  })

  it('are recognized in the objects of JavaScript and Python', () => {
    const hints: readonly (readonly [source: string, hint: string])[] = [
      ['JSON.parse(alert.data)', 'write parseJson(…)'],
      ['JSON.stringify(alert.data)', 'write json(…)'],
      ['Object.keys(alert.data)', 'write map.map(k, k)'],
      ['Math.max(1, 2)', 'write math.greatest(a, b), or list.max()'],
      ['Math.floor(1.5)', 'write math.floor(…)'],
      ['Date.now()', 'write now'],
      ['re.search("a", alert.data)', 'write text.matches(pattern)'],
      ['Array.isArray(alert.data)', 'write type(x) == string'],
    ]
    for (const [source, hint] of hints) {
      const found = problems(source)
      expect(found, source).to.have.lengthOf(1)
      expect(found[0]).to.include(`there is no function '${source.split('(')[0]}' (${hint})`)
    }
  })

  it('do not hide a misspelled name of ours', () => {
    expect(problems('alert.id.lowerAsci()')[0]).to.include('did you mean lowerAscii?')
    expect(problems('b.tags.groupBi(t, t)')[0]).to.include('did you mean groupBy?')
    expect(problems('distinct(b.tags)')[0]).to.include('write value.distinct(…)')
    expect(problems('math.max(1, 2)')[0]).to.include('write value.max(…)')
  })
})
