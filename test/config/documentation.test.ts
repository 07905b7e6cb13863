import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { readConfig, variableNames } from '../../server/config.ts'

const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `(TOCSIN_\w+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, name = '', standard = '', meaning = '']) => ({
    name,
    standard,
    meaning,
  }),
)

describe('docs/configuration.md', () => {
  it('lists every variable, and no other, in the order of the program', () => {
    expect(rows.map(({ name }) => name)).to.deep.equal(variableNames)
    for (const { name, meaning } of rows) expect(meaning, name).to.match(/^[A-Z0-9`].{10,}\.$/)
  })

  it('names the defaults that the program has', () => {
    const literal = rows.flatMap(({ name, standard }) => {
      const [, value] = /^`([^`]+)`$/.exec(standard) ?? []
      return value === undefined ? [] : [[name, value] as const]
    })
    expect(literal.map(([name]) => name)).to.include.members([
      'TOCSIN_HOST',
      'TOCSIN_PORT',
      'TOCSIN_MAX_RUNS',
    ])
    const given = { ...readConfig({}), playbooksDirNamed: true }
    expect(readConfig(Object.fromEntries(literal))).to.deep.equal(given)
  })

  it('mentions no variable that there is not', () => {
    const mentioned = [...page.matchAll(/TOCSIN_\w+/g)].map(([name]) => name)
    expect(variableNames).to.include.members([...new Set(mentioned)].filter((name) => name !== 'TOCSIN_'))
  })
})
