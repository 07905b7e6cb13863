import { expect } from 'chai'
import { skillDocumentation } from '../../core/editor/describe-skill.ts'
import { readMarkdown, type Block } from '../../server/web/playbooks/editor/markdown.ts'
import { catalogue } from '../http/support/catalogue.ts'

const text = (words: string) => ({ kind: 'text', text: words }) as const
const paragraph = (markdown: string) => {
  const [block, ...more] = readMarkdown(markdown)
  expect(more).to.deep.equal([])
  return block?.kind === 'paragraph' ? block.content : block
}

describe('documentation in the editor', () => {
  it('reads what core/editor writes', () => {
    expect(
      readMarkdown(
        '**Set** · `a.b`\n\nInputs:\n\n- `x` (text) — a\n- `y`\n\n```cel\na: int\n\nb\n```\n\nend',
      ),
    ).to.deep.equal([
      {
        kind: 'paragraph',
        content: [{ kind: 'strong', text: 'Set' }, text(' · '), { kind: 'code', text: 'a.b' }],
      },
      { kind: 'paragraph', content: [text('Inputs:')] },
      {
        kind: 'list',
        items: [[{ kind: 'code', text: 'x' }, text(' (text) — a')], [{ kind: 'code', text: 'y' }]],
      },
      { kind: 'code', text: 'a: int\n\nb' },
      { kind: 'paragraph', content: [text('end')] },
    ] satisfies Block[])
  })

  it('reads escaped characters as text', () => {
    expect(paragraph('\\*\\*no\\*\\* \\`code\\` \\<b\\> \\[x\\](https://a.example)')).to.deep.equal([
      text('**no** `code` <b> [x](https://a.example)'),
    ])
    expect(paragraph('**a \\* b**')).to.deep.equal([{ kind: 'strong', text: 'a * b' }])
  })

  it('links to https pages only', () => {
    expect(paragraph('[Docs](https://a.example/b)')).to.deep.equal([
      { kind: 'link', text: 'Docs', href: 'https://a.example/b' },
    ])
    expect(paragraph('[Docs](javascript:alert\\(1))')).to.deep.equal([text('[Docs](javascript:alert\\(1))')])
  })

  it('loses no word of any skill', () => {
    for (const entry of catalogue.skills) {
      const shown = JSON.stringify(readMarkdown(skillDocumentation(entry)))
      for (const words of [entry.name, entry.skill.title]) expect(shown).to.contain(words)
    }
  })
})
