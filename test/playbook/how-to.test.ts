import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  readBlocks,
  replaceBlocks,
  runCommands,
  trialsOf,
  writeFiles,
  type Block,
} from '../support/guide-page.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const folderOfPages = 'docs/how-to'
const pages = readdirSync(join(import.meta.dirname, '../..', folderOfPages))
  // A server is needed: test/end-to-end/backtest.test.ts and shadow.test.ts, test/http/approval-rules.test.ts and roles.test.ts,
  // test/cli/containments.test.ts and playbooks.test.ts, test/http/drafts.test.ts.
  .filter(
    (name) =>
      ![
        'README.md',
        'backtest-a-change.md',
        'try-in-shadow.md',
        'approval-rules.md',
        'take-back-a-case.md',
        'people-and-roles.md',
        'playbooks-from-a-repository.md',
        'work-on-a-draft.md',
      ].includes(name),
  )
  .map((name) => `${folderOfPages}/${name}`)

describe('docs/how-to', function () {
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(() => folder.remove())

  for (const page of pages) {
    const blocks = readBlocks(page)
    const trials = trialsOf(blocks)
    it(`have the actual output of ${page}`, async () => {
      expect(trials).not.to.have.length(0)
      const printed = new Map<Block, string>()
      for (const { commands, prints, files } of trials) {
        await writeFiles(folder.path, files)
        const text = await runCommands(folder.path, commands)
        printed.set(prints!, text)
        if (!process.env['UPDATE']) expect(text).to.equal(prints?.text)
      }
      if (process.env['UPDATE']) replaceBlocks(page, printed, blocks)
    })

    it(`run each file of ${page}`, () => {
      const commands = trials.flatMap((trial) => trial.commands).join('\n')
      for (const { file } of blocks)
        if (file !== undefined)
          expect(commands).to.match(new RegExp(`${file}|${file.replace('.test.yaml', '.yaml')}`))
    })
  }
})
