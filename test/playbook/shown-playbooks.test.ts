import { expect } from 'chai'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'

const root = new URL('../../', import.meta.url)
const at = (path: string) => new URL(path, root)
const read = (path: string) => readFileSync(at(path), 'utf8')
const blocks = (text: string) =>
  [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

const pluginPages = globSync('plugins/*/README.md', { cwd: root.pathname }).filter(
  (page) => blocks(read(page)).length > 0,
)

/** Steps on the page omit the header of the playbook. */
const head = 'apiVersion: tocsin/v1\nname: piece\non:\n  alert: { type: t }\nsteps:\n'
const whole = (block: string) => (block.startsWith('-') ? head + block : block)

describe('playbooks of the documentation', () => {
  let catalogue: Catalogue

  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: at('plugins').pathname, packages: [] })
  })

  const said = (source: string, file?: string) =>
    parsePlaybook(source, { catalogue, file }).problems.map((problem) => formatProblem(problem, source))

  for (const page of pluginPages) {
    // Nothing reads the output of a step shown alone.
    it(`of ${page} have no problems`, () => {
      for (const block of blocks(read(page))) {
        const { problems } = parsePlaybook(whole(block), { catalogue })
        expect(
          problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
        ).to.deep.equal([])
      }
    })
  }

  it('that are shipped have no problems', () => {
    const shipped = readdirSync(at('playbooks')).filter((file) => /(?<!\.test)\.yaml$/.test(file))
    expect(shipped).to.include('phishing-report.yaml')
    // It is intended that this many indicators need an approval.
    const isMeant = (text: string) => text.includes(' info I503 ')
    for (const file of shipped)
      expect(
        said(read(`playbooks/${file}`)).filter((text) => !isMeant(text)),
        file,
      ).to.deep.equal([])
  })
})
