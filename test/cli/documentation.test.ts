import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import packageJson from '../../package.json' with { type: 'json' }
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/*.md', 'core/**/README.md', 'plugins/**/README.md'], { cwd: root })
const read = (page: string) => readFileSync(join(root, page), 'utf8')

/** Anchors as GitHub makes them from headings: a second `steps` is `steps-1`. */
function anchorsOf(text: string): readonly string[] {
  const times = new Map<string, number>()
  const headings = text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    const earlier = times.get(anchor) ?? 0
    times.set(anchor, earlier + 1)
    return earlier === 0 ? anchor : `${anchor}-${earlier}`
  })
}

describe('DECISIONS.md', () => {
  it('lists every area and record in its index, in order', () => {
    const [index = '', records = ''] = read('DECISIONS.md')
      .split('## Index\n')[1]!
      .split(/(?<=\n)(?=## )([^]*)/)
    const listed = [...index.matchAll(/\[(.+)\]\(#/g)].map(([, title]) => title)
    expect(listed).to.deep.equal([...records.matchAll(/^##+ (.+)$/gm)].map(([, title]) => title))
    expect(listed.length).to.be.above(100)
  })
})

describe('the pages of the plugins', () => {
  const pluginPages = pages.filter((page) => /^plugins\/[^/]+\/README\.md$/.test(page))

  it('are each in the table of shipped plugins, once, by their title', () => {
    const [, table = ''] = read('plugins/README.md').split('## Shipped plugins\n')
    const listed = [...table.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(
      ([, title, link]) => `${title}: plugins/${link}`,
    )
    const titled = pluginPages.map((page) => `${/^# (.+)$/m.exec(read(page))?.[1]}: ${page}`)
    expect(listed.toSorted()).to.deep.equal(titled.toSorted())
  })

  it('have their common sections in the same order, and name their interfaces', () => {
    const common = ['Set up', 'Undo', 'Limits', 'Not covered', 'Sources']
    const synonyms = /^(Set it up|What undoes what|Limits and quirks|What to know|What is not covered)$/
    for (const page of pluginPages) {
      const sections = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
      const found = sections.filter((title) => common.includes(title))
      expect(found, page).to.deep.equal(common.filter((title) => found.includes(title)))
      const declaration = join(root, dirname(page), 'plugin.yaml')
      const isDeclarative = existsSync(declaration)
      // `enriches` alone needs no mention: it implements `enrich`.
      if (isDeclarative && /^ +implements:/m.test(readFileSync(declaration, 'utf8')))
        expect(read(page), page).to.match(/The plugin implements `[^.]+\s+of\s+the\s+\[interfaces\]/)
      if (isDeclarative) expect([sections[0], sections.at(-1)], page).to.deep.equal(['Set up', 'Sources'])
      expect(
        sections.filter((title) => synonyms.test(title)),
        page,
      ).to.deep.equal([])
    }
  })
})

describe('the pages of the documentation', function () {
  after(killCommands)

  const helps = new Map<string, Promise<string>>()
  /** Undefined if there is no such command. */
  async function helpOf(command: string): Promise<string> {
    const help =
      helps.get(command) ?? runTocsin([...command.split(' '), '--help']).then(({ stdout }) => stdout)
    helps.set(command, help)
    return help
  }

  for (const page of pages) {
    it(`name commands and options that exist: ${page}`, async () => {
      const code = [...read(page).matchAll(/`(?:npx )?tocsin ([^`\n]+)`|^ *(?:npx )?tocsin (.+)$/gm)]
      for (const [, inText, inBlock] of code) {
        const [name = '', ...words] = (inText ?? inBlock ?? '').split(/\s+/)
        if (!/^[a-z-]+$/.test(name)) continue
        const own = await helpOf(name)
        const [, commands = ''] = own.split('\nCommands:\n')
        const isGroup = commands.split('\n').some((line) => line.startsWith(`  ${words[0]} `))
        const command = isGroup ? `${name} ${words[0]}` : name
        const help = await helpOf(command)
        expect(help, command).to.match(new RegExp(`^Usage: tocsin ${command}\\b`))
        for (const option of words.filter((word) => /^--?[a-z][a-z-]*$/.test(word)))
          expect(help, command).to.match(new RegExp(`(^|[ ,])${option}\\b`, 'm'))
      }
    })

    it(`name scripts, files and headings that exist: ${page}`, () => {
      const text = read(page)
      for (const [, script = ''] of text.matchAll(/\bnpm run ([a-z:-]+)/g))
        expect(packageJson.scripts).to.have.property(script)
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link)) continue
        const [file = '', anchor] = link.split('#')
        const path = file === '' ? join(root, page) : join(root, dirname(page), file)
        expect(existsSync(path), link).to.equal(true)
        if (anchor !== undefined) expect(anchorsOf(readFileSync(path, 'utf8')), link).to.include(anchor)
      }
    })
  }
})
