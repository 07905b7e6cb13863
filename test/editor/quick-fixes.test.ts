import { expect } from 'chai'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { quickFixes } from '../../core/editor/assist/quick-fixes.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { badPlaybooks, problemsOf } from '../playbook/bad-playbooks.ts'

const weigh = (problems: readonly Problem[]) => problems.filter(({ severity }) => severity === 'error').length

/** The replacement that the hint of a problem gives. */
const isPlain = ({ hint = '' }: Problem) => /^did you mean '[^']+'\?$/.test(hint)

describe('quick fixes', () => {
  it('fix their problem, for every code', () => {
    let [plain, offered] = [0, 0]
    for (const bad of Object.values(badPlaybooks)) {
      const text = bad.source
      if (typeof text !== 'string' || text.length > 20_000 || bad.beside !== undefined) continue
      const check = (source: string) => problemsOf({ ...bad, source })
      const document = TextDocument.create('', 'yaml', 0, text)
      const before = check(text)
      for (const problem of before) {
        const { line, column, endLine, endColumn } = problem
        const span = {
          start: document.offsetAt({ line: line - 1, character: column - 1 }),
          end: document.offsetAt({ line: endLine - 1, character: endColumn - 1 }),
        }
        const fixes = quickFixes(text, problem, span, check)
        if (isPlain(problem)) plain++
        if (isPlain(problem) && fixes.length > 0) offered++
        for (const fix of fixes) {
          const after = check(text.slice(0, fix.span.start) + fix.text + text.slice(fix.span.end))
          const same = after.filter(
            ({ code, message }) => code === problem.code && message === problem.message,
          )
          expect(same, `${fix.title}\n${text}`).to.deep.equal([])
          expect(weigh(after), `${fix.title}\n${text}`).to.be.at.most(weigh(before))
        }
      }
    }
    expect(plain).to.be.above(5)
    expect(plain - offered, 'one would be a second `name`').to.be.at.most(1)
  })
})
