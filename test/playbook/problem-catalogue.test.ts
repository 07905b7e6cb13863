import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { problemCatalogue } from '../../core/playbook/index.ts'
import { badPlaybooks } from './bad-playbooks.ts'
import { check, codesOf } from './support.ts'

describe('problem catalogue', () => {
  for (const [code, { source, options }] of Object.entries(badPlaybooks)) {
    it(`produces ${code} for its bad playbook`, () => {
      expect(codesOf(check(source, options))).to.include(code)
    })
  }

  it('has a bad playbook for every code', () => {
    expect(Object.keys(badPlaybooks)).to.deep.equal(Object.keys(problemCatalogue))
  })

  it('says the same as docs/problems.md, word by word and in the same order', () => {
    const page = readFileSync(new URL('../../docs/problems.md', import.meta.url), 'utf8')
    const documented = [...page.matchAll(/^### (\w\d+): (.+)\n\n(.+)$/gm)].map(([, code, title, text]) => [
      code,
      title,
      text,
    ])
    const known = Object.entries(problemCatalogue).map(([code, { title, explanation }]) => [
      code,
      title,
      explanation,
    ])
    expect(documented).to.deep.equal(known)
  })
})
