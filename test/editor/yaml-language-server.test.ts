import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { editorSchema } from '../../core/editor/editor-schema.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { playbookSchema } from '../../core/playbook/language/playbook-schema.ts'
import { guide, playbook } from './support/guide.ts'
import {
  atCursor,
  startLanguageServer,
  stopLanguageServers,
  type LanguageServer,
} from './support/language-server.ts'

const program = fileURLToPath(
  new URL('../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url),
)

describe('yaml-language-server with the schema for editors', function () {
  let folder: TemporaryFolder
  let server: LanguageServer
  let documents = 0

  before(async () => {
    folder = await makeTemporaryFolder()
    const file = `${folder.path}/playbook.schema.json`
    await writeFile(file, JSON.stringify(editorSchema(playbookSchema, guide.catalogue!)))
    server = await startLanguageServer([program, '--stdio'], {
      settings: {
        yaml: {
          validate: true,
          hover: true,
          completion: true,
          schemas: { [pathToFileURL(file).href]: '*.yaml' },
        },
      },
    })
    // It requests its settings after it reports that it is ready.
    const uri = pathToFileURL(`${folder.path}/settings.yaml`).href
    await server.open(uri, 'apiVersion: nonsense\n')
    for (let version = 2; (await server.diagnostics(uri)).length === 0; version++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      await server.change(uri, `apiVersion: nonsense${version}\n`, version)
    }
  })
  after(async () => {
    await stopLanguageServers()
    await folder.remove()
  })

  async function at(marked: string) {
    const { text, position } = atCursor(marked)
    const uri = pathToFileURL(`${folder.path}/${documents++}.yaml`).href
    await server.open(uri, text)
    const place = { textDocument: { uri }, position }
    return { uri, ask: (what: string) => server.request(`textDocument/${what}`, place) }
  }

  const labels = async (marked: string): Promise<string[]> =>
    (await (await at(marked)).ask('completion')).items.map(({ label }: { label: string }) => label)

  it('completes skills with descriptions', async () => {
    const { items } = await (await at(playbook('  - uses: ‸'))).ask('completion')
    const update = items.find(({ label }: { label: string }) => label === 'case.update')
    expect(update.documentation.value).to.include('**Update Case**')
  })

  it('completes the inputs of the skill, and their values', async () => {
    expect(await labels(playbook('  - uses: case.update\n    with:\n      ‸'))).to.include.members([
      'verdict',
      'severity',
      'summary',
    ])
    expect(await labels(playbook('  - uses: case.update\n    with:\n      verdict: ‸'))).to.include.members([
      'benign',
      'malicious',
    ])
  })

  it('explains skills and inputs', async () => {
    const { contents } = await (await at(playbook('  - uses: case.up‸date'))).ask('hover')
    expect(contents.value).to.include('**Update Case**').and.include('`verdict`')
  })

  it('reports an invalid value at its place, and accepts an expression', async () => {
    const wrong = await at(playbook('  - uses: case.update\n    with:\n      verdict: evil‸'))
    const [problem] = await server.diagnostics(wrong.uri)
    expect(problem?.message).to.match(/not accepted.*"benign"/)
    expect(problem?.range).to.deep.equal({
      start: { line: 12, character: 15 },
      end: { line: 12, character: 19 },
    })
    const right = await at(playbook('  - uses: case.update\n    with:\n      verdict: ${{ run.id }}‸'))
    expect(await server.diagnostics(right.uri)).to.deep.equal([])
  })
})
