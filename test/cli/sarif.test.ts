import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { problemCatalogue } from '../../core/playbook/language/problem-catalogue.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const { version } = packageJson
const schemaFile = new URL('../data/sarif/sarif-2.1.0.schema.json', import.meta.url)

const bad = `apiVersion: tocsin/v1
name: bad
on: { manual: true }
steps:
  - uses: case.update
    with: { severity: hihg, summary: "é 🚨 \${{ run.idd }}" }
  - id: unused
    set: { x: 1 }
`

describe('tocsin validate --format sarif', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'play books'))
    await writeFile(join(folder.path, 'play books/bad ü.yaml'), bad)
    await writeFile(
      join(folder.path, 'play books/good.yaml'),
      bad.replace(/ {2}- uses[^]*/, '  - return: 1\n'),
    )
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  async function sarif(args: readonly string[], input?: string) {
    const options = { cwd: folder.path, ...(input === undefined ? {} : { input }) }
    const { code, stdout, stderr } = await runTocsin(['validate', '--format', 'sarif', ...args], options)
    expect(stderr).to.equal('')
    const log = JSON.parse(stdout)
    expect(await problemsOf(log)).to.deep.equal([])
    return { code, results: log.runs[0].results, driver: log.runs[0].tool.driver, run: log.runs[0] }
  }

  it('follows the SARIF 2.1.0 schema with each code as a rule', async () => {
    const { driver, run } = await sarif(['play books'])
    expect(driver.rules.map(({ id }: { id: string }) => id)).to.deep.equal(Object.keys(problemCatalogue))
    expect(driver.rules.find(({ id }: { id: string }) => id === 'W402')).to.deep.include({
      shortDescription: { text: problemCatalogue.W402.title },
      defaultConfiguration: { level: 'warning' },
    })
    expect(driver).to.include({ name: 'tocsin', version, semanticVersion: version })
    expect(run.columnKind).to.equal('utf16CodeUnits')
  })

  it('fails the schema check for a wrong report', async () => {
    expect(await problemsOf({ version: '2.1.0', runs: [{}] })).to.not.deep.equal([])
    expect(await problemsOf({ version: '2.2.0', runs: [] })).to.not.deep.equal([])
  })

  it('locates each problem by relative path, line and column', async () => {
    const { code, results, driver } = await sarif(['play books'])
    expect(code).to.equal(1)
    const misspelt = results.find(({ ruleId }: { ruleId: string }) => ruleId === 'E202')
    expect(misspelt.level).to.equal('error')
    expect(misspelt.message.text).to.match(/^severity: 'hihg' is not one of .* \(did you mean 'high'\?\)$/)
    expect(driver.rules[misspelt.ruleIndex].id).to.equal('E202')
    expect(misspelt.locations).to.deep.equal([
      {
        physicalLocation: {
          artifactLocation: { uri: 'play%20books/bad%20%C3%BC.yaml' },
          region: { startLine: 6, startColumn: 23, endLine: 6, endColumn: 27 },
        },
      },
    ])
    const field = results.find(({ ruleId }: { ruleId: string }) => ruleId === 'E205')
    const { startColumn, endColumn } = field.locations[0].physicalLocation.region
    expect(bad.split('\n')[5]!.slice(startColumn - 1, endColumn - 1)).to.equal('idd')
  })

  it('is an empty report with exit code 0 without problems', async () => {
    expect(await sarif(['play books/good.yaml'])).to.deep.include({ code: 0, results: [] })
  })

  it('names standard input with a valid URI', async () => {
    const { results } = await sarif(['-'], bad)
    expect(results[0].locations[0].physicalLocation.artifactLocation).to.deep.equal({ uri: 'stdin' })
  })

  it('names files outside the folder by absolute path', async () => {
    const elsewhere = await makeTemporaryFolder()
    try {
      const file = join(elsewhere.path, 'bad.yaml')
      await writeFile(file, bad)
      const { results } = await sarif([file])
      expect(results[0].locations[0].physicalLocation.artifactLocation.uri).to.equal(pathToFileURL(file).href)
    } finally {
      await elsewhere.remove()
    }
  })

  it('keeps both names of JSON output, and refuses other formats', async () => {
    const options = { cwd: folder.path }
    const [format, json] = await Promise.all([
      runTocsin(['validate', '--format', 'json', 'play books'], options),
      runTocsin(['validate', '--json', 'play books'], options),
    ])
    expect(format).to.deep.equal(json)
    expect(JSON.parse(json.stdout)[0]).to.include({ code: 'E202', line: 6, column: 23 })
    const { code, stderr } = await runTocsin(['validate', '--format', 'xml'], options)
    expect(code).to.equal(2)
    expect(stderr).to.include('text, json, sarif')
    const both = await runTocsin(['validate', '--json', '--format', 'sarif', 'play books'], options)
    expect(both).to.include({ code: 2, stdout: '' })
    expect(both.stderr).to.include("'--json' cannot be used with option '--format <format>'")
  })
})

async function problemsOf(log: unknown): Promise<unknown[]> {
  const { $schema: _, id: _id, ...schema } = JSON.parse(await readFile(schemaFile, 'utf8'))
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
  addFormats.default(ajv)
  const validate = ajv.compile(schema)
  validate(log)
  return validate.errors ?? []
}
