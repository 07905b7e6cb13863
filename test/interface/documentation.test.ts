import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { interfaces, type InterfaceDefinition, type JsonSchema } from '../../core/plugin/index.ts'

const file = join(import.meta.dirname, '../../docs/interfaces.md')
const regions = /(<!-- interfaces -->\n)[\s\S]*?(?=<!-- \/interfaces -->)/g

describe('docs/interfaces.md', () => {
  it('lists the interfaces with their fields', async () => {
    const page = readFileSync(file, 'utf8')
    const given = page.replaceAll(regions, (_, opening: string) => `${opening}\n${table()}\n\n`)
    const written = await format(given, { ...(await resolveConfig(file)), parser: 'markdown' })
    if (process.env['UPDATE']) writeFileSync(file, written)
    const hint = 'UPDATE=1 npx mocha test/interface/documentation.test.ts writes it anew'
    expect(page === written, hint).to.equal(true)
  })

  it('shows steps without problems', async () => {
    const catalogue = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    const blocks = [...readFileSync(file, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)]
    expect(blocks).to.have.length.above(0)
    for (const [, block = ''] of blocks) {
      const head = 'apiVersion: tocsin/v1\nname: shown\non: { alert: { type: x } }\nsteps:\n'
      const { problems } = parsePlaybook(head + block.replaceAll(/^/gm, '  '), { catalogue })
      expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([])
    }
  })
})

const table = (): string =>
  [
    '| interface | what it does | effect | input | output | undone by |',
    '| --- | --- | --- | --- | --- | --- |',
    ...Object.entries<InterfaceDefinition>(interfaces).map(([name, one]) => {
      const { description, effect, destructive, undoneBy, input, output } = one
      const cells = [
        `\`${name}\``,
        description,
        destructive === undefined ? effect : `${effect}, ${destructive}`,
        fieldsOf(input),
        fieldsOf(output),
        undoneBy === undefined ? '' : `\`${undoneBy}\``,
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')

const fieldsOf = (schema: JsonSchema): string =>
  namesOf(schema)
    .map((text) => `\`${text}\``)
    .join(', ')

const namesOf = ({ properties = {}, required = [] }: JsonSchema): readonly string[] =>
  Object.entries(properties).map(([name, each]) => {
    const mayMiss = !required.includes(name) || (Array.isArray(each.type) && each.type.includes('null'))
    const inner = each.items ?? each
    const fields = inner.properties === undefined ? '' : ` { ${namesOf(inner).join(', ')} }`
    const choices = inner.enum === undefined ? '' : `: ${inner.enum.join(' or ')}`
    return `${name}${choices}${mayMiss ? '?' : ''}${each.items === undefined ? '' : '[]'}${fields}`
  })
