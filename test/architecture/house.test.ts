import { expect } from 'chai'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { findBrokenRules, readSources } from './house-rules.ts'

const root = join(import.meta.dirname, '../..')

/** A small tree that breaks one rule, and what the rule reports. */
const planted: readonly { rule: string; files: Readonly<Record<string, string>>; reports: string }[] = [
  {
    rule: 'at most 15 source files in a folder',
    files: Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [`core/a/f${n}.ts`, `export const f${n} = ${n}\n`]),
    ),
    reports: 'core/a has 16 source files, 15 are allowed',
  },
  {
    rule: 'a facade is respected',
    files: {
      'core/a/index.ts': "export { inner } from './inner.ts'\n",
      'core/a/inner.ts': 'export const inner = 1\n',
      'core/b.ts': "import { inner } from './a/inner.ts'\nexport const b = inner\n",
    },
    reports: 'core/b.ts imports core/a/inner.ts past core/a/index.ts',
  },
]

describe('layout of the source', () => {
  it('keeps the rules', () => {
    expect(findBrokenRules(readSources(root))).to.deep.equal([])
  })

  for (const { rule, files, reports } of planted) {
    it(`reports a breach of: ${rule}`, async () => {
      const folder = await makeTemporaryFolder()
      try {
        for (const [path, content] of Object.entries(files)) {
          await mkdir(join(folder.path, dirname(path)), { recursive: true })
          await writeFile(join(folder.path, path), content)
        }
        expect(findBrokenRules(readSources(folder.path))).to.deep.equal([reports])
      } finally {
        await folder.remove()
      }
    })
  }
})
