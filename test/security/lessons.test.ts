import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import * as prettier from 'prettier'
import { chapters } from './lessons.ts'
import { securityPage } from './security-page.ts'

const root = new URL('../../', import.meta.url)

describe('docs/security.md', () => {
  for (const { promise, proofs } of chapters.flatMap(({ lessons }) => lessons)) {
    it(`names existing tests: ${promise.slice(0, 80)}`, () => {
      expect(proofs).to.not.have.length(0)
      for (const [file, ...titles] of proofs) {
        const source = readFileSync(new URL(file, root), 'utf8')
        expect(titles, file).to.not.have.length(0)
        for (const title of titles) {
          const declared = [`it('${title}`, `it(\`${title}`, `it(\n    '${title}`].some((start) =>
            source.includes(start),
          )
          expect(declared, `${file}: no test begins with '${title}'`).to.equal(true)
        }
      }
    })
  }

  it('matches test/security/lessons.ts', async () => {
    const page = new URL('docs/security.md', root)
    const options = await prettier.resolveConfig(page)
    const text = await prettier.format(securityPage(), { ...options, parser: 'markdown' })
    if (process.env['UPDATE']) writeFileSync(page, text)
    const isSame = readFileSync(page, 'utf8') === text
    expect(isSame, 'UPDATE=1 npx mocha test/security/lessons.test.ts writes it anew').to.equal(true)
  })
})
