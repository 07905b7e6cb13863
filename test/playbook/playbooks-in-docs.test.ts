import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readBlocks, runCommands, writeFiles } from '../support/guide-page.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

/** Tested with their results: `reference.test.ts` and `guide.test.ts`. */
const testedElsewhere = ['playbooks.md', 'tutorial.md']

const pages = readdirSync(join(import.meta.dirname, '../../docs'))
  .filter((name) => name.endsWith('.md') && !testedElsewhere.includes(name))
  .map((name) => `docs/${name}`)

describe('the complete playbooks of the other pages in docs', function () {
  it('are valid', async () => {
    const playbooks = pages.flatMap((page) =>
      readBlocks(page)
        .filter(({ kind, text }) => kind === 'yaml' && /^apiVersion: /m.test(text) && /^steps:/m.test(text))
        .map(({ kind, text }, place) => ({ kind, text, file: `${page.replaceAll('/', '-')}-${place}.yaml` })),
    )
    expect(playbooks.length).to.be.greaterThan(3)
    const folder = await makeTemporaryFolder()
    try {
      await writeFiles(folder.path, playbooks)
      const text = await runCommands(folder.path, ['tocsin validate .'])
      expect(text.split('\n').filter((line) => / error E/.test(line))).to.deep.equal([])
    } finally {
      await folder.remove()
    }
  })
})
