import { expect } from 'chai'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { readConfig, variableNames } from '../../server/config/config.ts'

const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `(TOCSIN_\w+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, name = '', standard = '', meaning = '']) => ({
    name,
    standard,
    meaning,
  }),
)

describe('docs/configuration.md', () => {
  it('lists exactly the existing variables, in the order of the program', () => {
    expect(rows.map(({ name }) => name)).to.deep.equal(variableNames)
    for (const { name, meaning } of rows) expect(meaning, name).to.match(/^[A-Z0-9`].{10,}\.$/)
  })

  it('names the actual defaults', () => {
    const literal = rows.flatMap(({ name, standard }) => {
      const [, value] = /^`([^`]+)`$/.exec(standard) ?? []
      return value === undefined ? [] : [[name, value] as const]
    })
    expect(literal.map(([name]) => name)).to.include.members([
      'TOCSIN_HOST',
      'TOCSIN_PORT',
      'TOCSIN_MAX_RUNS',
      'TOCSIN_MAX_QUEUED',
    ])
    const given = { ...readConfig({}), playbooksDirNamed: true }
    expect(readConfig(Object.fromEntries(literal))).to.deep.equal(given)
  })
})

describe('the documentation', () => {
  const root = new URL('../../', import.meta.url)
  /** Variables of the shell that calls the API in the examples. */
  const ofTheShell = ['TOCSIN_URL', 'TOCSIN_KEY', 'TOCSIN_PROVIDER']

  it('quotes only messages that the program has', async () => {
    const read = (path: string) => readFile(new URL(path, root), 'utf8')
    const programs = globSync('{cli,core,plugins,server}/**/*.{ts,tsx}', { cwd: root.pathname })
    const sources = (await Promise.all(programs.map(read))).join('\n')
    let count = 0
    for (const page of globSync('docs/*.md', { cwd: root.pathname }))
      for (const [, words = ''] of (await read(page)).matchAll(
        /`((?!tocsin |np[mx] )[a-z]+(?: [a-z']+){2,})`/g,
      )) {
        expect(sources.includes(words), `${page}: ${words}`).to.equal(true)
        count++
      }
    expect(count).to.be.greaterThan(10)
  })

  for (const file of globSync(['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'plugins/**/*.md'], {
    cwd: root.pathname,
  })) {
    it(`mentions only existing variables in ${file}`, async () => {
      const text = await readFile(new URL(file, root), 'utf8')
      const mentioned = [...text.matchAll(/(?<!\$)\bTOCSIN_(?!TEST_)[A-Z][A-Z_]*/g)].map(([name]) => name)
      expect([...variableNames, ...ofTheShell]).to.include.members(mentioned)
    })
  }
})
