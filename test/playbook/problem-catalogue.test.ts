import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { problemCatalogue } from '../../core/playbook/language/problem-catalogue.ts'
import { badPlaybooks, problemsOf } from './bad-playbooks.ts'
import { problemsPage } from './problems-page.ts'
import { codesOf } from './support.ts'

describe('problem catalogue', () => {
  for (const [code, bad] of Object.entries(badPlaybooks)) {
    it(`produces ${code} for its bad playbook`, () => {
      expect(codesOf(problemsOf(bad))).to.include(code)
    })
  }

  it('has an invalid playbook for every code', () => {
    expect(Object.keys(badPlaybooks)).to.deep.equal(Object.keys(problemCatalogue))
  })

  it('matches docs/problems.md', () => {
    const page = new URL('../../docs/problems.md', import.meta.url)
    if (process.env['UPDATE']) writeFileSync(page, problemsPage())
    const isSame = readFileSync(page, 'utf8') === problemsPage()
    expect(isSame, 'UPDATE=1 npx mocha test/playbook/problem-catalogue.test.ts writes it anew').to.equal(true)
  })
})
