import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import {
  readBlocks,
  replaceBlocks,
  runCommands,
  trialsOf,
  writeFiles,
  type Block,
} from '../support/guide-page.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const page = 'docs/tutorial.md'
const shipped = 'playbooks/impossible-travel.yaml'
const blocks = readBlocks(page)

describe('docs/tutorial.md', function () {
  let folder: TemporaryFolder
  const printed = new Map<Block, string>()

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    await cp(join(root, 'playbooks'), join(folder.path, 'playbooks'), { recursive: true })
  })
  afterEach(() => folder.remove())
  after(() => {
    if (process.env['UPDATE']) replaceBlocks(page, printed, blocks)
  })

  for (const { commands, prints, files } of trialsOf(blocks)) {
    it(`shows the actual output: ${commands.join(' ; ')}`, async () => {
      await writeFiles(folder.path, files)
      const text = await runCommands(folder.path, commands)
      printed.set(prints!, text)
      if (!process.env['UPDATE']) expect(text).to.equal(prints?.text)
    })
  }

  it('is right that a misspelled answer is an error', async () => {
    const asking = blocks.find(({ file }) => file === 'confirm.yaml')!
    const wrong = asking.text.replace('== "not_mine"', '== "not_me"')
    await writeFiles(folder.path, [{ ...asking, text: wrong }])
    expect(await runCommands(folder.path, ['tocsin validate confirm.yaml'])).to.match(/error E\d+ .*'not_me'/)
  })

  it('runs a command on each of its files', () => {
    const commands = trialsOf(blocks).flatMap((trial) => trial.commands.join(' '))
    const files = blocks.flatMap(({ file }) => (file === undefined ? [] : [file]))
    expect(files.length).to.be.greaterThan(5)
    for (const file of files) {
      const name = file.replace('.test.yaml', '.yaml')
      expect(
        commands.some((command) => command.includes(name)),
        file,
      ).to.equal(true)
    }
  })

  it('ends with the shipped playbook', () => {
    const file = readFileSync(join(root, shipped), 'utf8')
    const shown = blocks.find((block) => block.file === shipped)?.text
    expect(withoutFirstLine(shown ?? '')).to.equal(withoutFirstLine(file))
  })
})

/** The page names the file, and the file names its schema. */
const withoutFirstLine = (text: string): string => text.slice(text.indexOf('\n') + 1)
