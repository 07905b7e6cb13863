import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { check, withSteps } from './support.ts'

const file = new URL('fixtures/likely-mistakes.md', import.meta.url)
const section = /^## (.*)\n\n```\n([\s\S]*?)\n```\n\n```\n([\s\S]*?)```\n/gm

function answerTo(piece: string): string {
  const source = /^\w/.test(piece) ? piece : withSteps(piece)
  const frames = check(source).map((problem) => `${formatProblem(problem, source)}\n`)
  return frames.join('')
}

describe('messages for common mistakes', () => {
  if (process.env['UPDATE']) {
    const updated = readFileSync(file, 'utf8').replace(
      section,
      (_, title: string, piece: string) =>
        `## ${title}\n\n\`\`\`\n${piece}\n\`\`\`\n\n\`\`\`\n${answerTo(piece)}\`\`\`\n`,
    )
    writeFileSync(file, updated)
  }
  const sections = [...readFileSync(file, 'utf8').matchAll(section)]

  it('cover sixty of them', () => {
    expect(sections).to.have.length.greaterThan(59)
  })

  for (const [, title, piece = '', answer] of sections) {
    it(`match the fixture: ${title}`, () => {
      expect(answerTo(piece)).to.equal(answer)
      expect(answer, 'something is said').not.to.equal('')
    })
  }
})
